# SPDX-License-Identifier: Apache-2.0
"""Situations from public threads, each with its figures and the word it must get."""
