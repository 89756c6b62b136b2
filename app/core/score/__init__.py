# SPDX-License-Identifier: Apache-2.0
"""From facts to judgements: intervals, statistics, gates, and the lattice above them."""
