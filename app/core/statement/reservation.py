# SPDX-License-Identifier: Apache-2.0
"""Kind ``reservation``: a runner takes slots, in order, before running them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from app.core.identity import Host, Sha256Hex, SlotId
from app.core.statement.header import Header

Attempt = Annotated[int, Meta(ge=1, le=2)]


class ReservationPredicate(Header, frozen=True):
    """Slots taken by one runner on one host.

    Attributes:
        study: statement digest of the study.
        slots: in the order they will run; the challenge chain follows it.
        attempt: 1, or 2 for a retry that the locked rule allows.
        host: pseudonym of the machine that drives them.
    """

    study: Sha256Hex
    slots: Annotated[list[SlotId], Meta(min_length=1, max_length=1000)]
    attempt: Attempt
    host: Host
