# SPDX-License-Identifier: Apache-2.0
"""The pure core: no I/O, no clock, no randomness; everything it needs comes in as an argument."""
