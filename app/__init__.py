# SPDX-License-Identifier: Apache-2.0
"""Fairtrial: qualification protocols and an evidence ledger for exact commits."""
