# SPDX-License-Identifier: Apache-2.0
"""What the ledger costs, as ratios of one run on one machine; nothing here is a test."""
