# SPDX-License-Identifier: Apache-2.0
"""Signatures: keys, and the envelope whose bytes they sign; who may sign what is the keyring's."""
