# SPDX-License-Identifier: Apache-2.0
"""Statements as data: one closed shape a kind, the reader, and the sanitizer."""
