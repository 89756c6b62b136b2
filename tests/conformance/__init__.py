# SPDX-License-Identifier: Apache-2.0
"""Do we agree with others' vectors?"""
