# SPDX-License-Identifier: Apache-2.0
"""Does the page say what the verdict says, and no more?"""
