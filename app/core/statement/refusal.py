# SPDX-License-Identifier: Apache-2.0
"""Kind ``refusal``: content for a held slot was refused; nothing of it is recorded."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from app.core.identity import END, Sha256Hex, SlotId, Slug
from app.core.statement.header import Header
from app.core.statement.reservation import Attempt

# A slash only ever starts a token, so that the pattern has one way to match.
Pointer = Annotated[str, Meta(pattern=r"^(/[ -.0-~]{0,120}){0,16}" + END, max_length=500)]


class RefusalPredicate(Header, frozen=True):
    """At most three per attempt; the slot stays reserved.

    Attributes:
        code: the problem's code.
        rule: the schema keyword or sanitizer rule that refused.
        pointer: where, in the refused document; never what.
        content: SHA-256 of what was refused; null when the sanitizer refused it.
    """

    study: Sha256Hex
    reservation: Sha256Hex
    slot: SlotId
    attempt: Attempt
    code: Slug
    rule: Slug
    pointer: Pointer
    content: Sha256Hex | None
