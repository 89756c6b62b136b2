# SPDX-License-Identifier: Apache-2.0
"""Bundles that are kept for ever: what a later version must still verify, or still refuse."""
