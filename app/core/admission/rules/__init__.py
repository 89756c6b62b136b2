# SPDX-License-Identifier: Apache-2.0
"""The rules of admission, one file a kind, each a numbered recipe."""
