# SPDX-License-Identifier: Apache-2.0
"""The tests; the folder a test lies in is its marker."""
