# SPDX-License-Identifier: Apache-2.0
"""What does one receipt make of its slot?"""
