# SPDX-License-Identifier: Apache-2.0
"""Does it hold for every input?"""
