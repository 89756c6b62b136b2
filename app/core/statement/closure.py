# SPDX-License-Identifier: Apache-2.0
"""Kind ``closure``: the ledger says that a study is closed; anybody can derive the same."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Count, Sha256Hex, SlotId
from app.core.statement.header import Header, Shape


class Flow(Shape, frozen=True):
    """The accounting identity of a study: planned is the sum of the other nine."""

    planned: Count
    open: Count
    reserved: Count
    missing: Count
    abandoned: Count
    warmup_failed: Count
    complete: Count
    partial: Count
    failed: Count
    invalid: Count


class ClosurePredicate(Header, frozen=True):
    """The study's last state.

    Attributes:
        reason: every slot terminal; its time was over; or a deviation ended it.
        missing: planned slots nobody reserved.
        abandoned: reserved slots that nothing filled in time.
    """

    study: Sha256Hex
    reason: Literal["terminal", "overdue", "ended"]
    flow: Flow
    missing: Annotated[list[SlotId], Meta(max_length=100000)]
    abandoned: Annotated[list[SlotId], Meta(max_length=100000)]
