# SPDX-License-Identifier: Apache-2.0
"""Do the rules of the core hold?"""
