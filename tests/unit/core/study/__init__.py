# SPDX-License-Identifier: Apache-2.0
"""Where do slots and studies stand?"""
