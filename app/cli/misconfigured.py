# SPDX-License-Identifier: Apache-2.0
"""What keeps a command from beginning: a setting, an option or a file that cannot be used."""

from __future__ import annotations


class Misconfigured(Exception):
    """Says what is missing or wrong, and never a secret's value."""
