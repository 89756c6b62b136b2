# SPDX-License-Identifier: Apache-2.0
"""Unit tests of the use cases, over ports without a machine behind them."""
