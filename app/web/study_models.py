# SPDX-License-Identifier: Apache-2.0
"""What REST answers about studies: where they stand, and every planned slot of them."""

from __future__ import annotations

from typing import Literal

from app.core.statement.verdict import SlotState
from app.web.answer import Answer


class StudyEntry(Answer):
    """A study in a list."""

    study: str
    index: int
    at: str
    repository: str
    head: str
    ordinal: int
    change: str | None
    protocol: str


class Studies(Answer):
    """A page of studies."""

    studies: list[StudyEntry]


class SlotFlow(Answer):
    """The accounting identity: planned is the sum of the other nine."""

    planned: int
    open: int
    reserved: int
    missing: int
    abandoned: int
    warmup_failed: int
    complete: int
    partial: int
    failed: int
    invalid: int


class StudyProgress(Answer):
    """A study where it stands at ``log_time``.

    Attributes:
        state: OPEN; DRAINING (nothing more is reserved); CLOSED.
        sealed: captures and what is computed from them are not given out yet.
    """

    study: str
    index: int
    repository: str
    head: str
    ordinal: int
    change: str | None
    protocol: str
    exploratory: bool
    replay: bool
    state: Literal["OPEN", "DRAINING", "CLOSED"]
    sealed: bool
    opened_at: str
    closes_at: str
    ended_at: str | None
    log_time: str
    flow: SlotFlow


class AttemptProgress(Answer):
    """One attempt at a slot.

    Attributes:
        challenge: of this slot in its reservation; null until the slot before is done with.
        receipts: digests of what came in time; ``late`` of what did not.
    """

    attempt: int
    reservation: str
    runner: str
    host: str
    reserved_at: str
    deadline: str
    challenge: str | None
    receipts: list[str]
    late: list[str]
    refusals: int


class SlotProgress(Answer):
    """A planned slot and what became of it."""

    slot: str
    arm: str
    cell: str
    repetition: int
    state: SlotState
    attempts: list[AttemptProgress]


class StudySlots(Answer):
    """Every planned slot, in running order."""

    study: str
    log_time: str
    flow: SlotFlow
    slots: list[SlotProgress]
