# SPDX-License-Identifier: Apache-2.0
"""Tests of the word, of what it rests on, and of the words around it."""
