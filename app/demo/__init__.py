# SPDX-License-Identifier: Apache-2.0
"""The example ledger: two situations from a public thread, and one head for every word."""
