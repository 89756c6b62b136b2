# SPDX-License-Identifier: Apache-2.0
"""Is everything documented, and does the house keep its rules?"""
