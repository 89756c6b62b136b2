# SPDX-License-Identifier: Apache-2.0
"""What every head of the example ledger must say."""
