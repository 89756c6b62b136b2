# SPDX-License-Identifier: Apache-2.0
"""What things cost, as ratios of one run: a machine's own speed falls out of them."""
