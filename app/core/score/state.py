# SPDX-License-Identifier: Apache-2.0
"""The five states of a gate, from worst to best, and the three words of a head."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """What a gate, a cell, an arm or a scope says, in the order in which one hides another.

    ``INCONCLUSIVE`` was measured and is undecided; ``INVALID`` has attempts of which none can be
    scored; ``NOT_RUN`` has nothing. Only ``PASS`` is a claim that something holds.
    """

    FAIL = "FAIL"
    INVALID = "INVALID"
    NOT_RUN = "NOT_RUN"
    INCONCLUSIVE = "INCONCLUSIVE"
    PASS = "PASS"  # noqa: S105  a state, not a password


class Word(StrEnum):
    """What is established about a claim on one exact head; only ``QUALIFIED`` is green."""

    QUALIFIED = "QUALIFIED"
    NOT_QUALIFIED = "NOT_QUALIFIED"
    HOLD = "HOLD"
