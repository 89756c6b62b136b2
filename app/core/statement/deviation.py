# SPDX-License-Identifier: Apache-2.0
"""Kind ``deviation``: something did not go as locked; it may end the study."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import Sha256Hex, SlotId, Text
from app.core.statement.header import Header


class DeviationPredicate(Header, frozen=True):
    """What happened, beside the computed states and never instead of them.

    Attributes:
        slots: the slots concerned; empty: the study as a whole.
        restored: whether the deployment was put back afterwards; null: not known.
        ends_study: open slots become missing at once, reserved ones keep their deadline.
    """

    study: Sha256Hex
    slots: Annotated[list[SlotId], Meta(max_length=1000)]
    what: Text
    phase: Literal["before", "warmup", "measured", "after"]
    restored: bool | None
    ends_study: bool
