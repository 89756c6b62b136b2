# SPDX-License-Identifier: Apache-2.0
"""Signatures: keys, and the envelope whose bytes they sign. Who may sign what is the keyring's matter."""
