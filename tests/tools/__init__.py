# SPDX-License-Identifier: Apache-2.0
"""Checks and measurements that are run by make, not by pytest."""
