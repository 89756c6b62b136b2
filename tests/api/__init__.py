# SPDX-License-Identifier: Apache-2.0
"""Is every answer as documented?"""
