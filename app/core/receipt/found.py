# SPDX-License-Identifier: Apache-2.0
"""What a capture says by the rules of its own kind, before SCORING.md B1 puts it in order."""

from __future__ import annotations

import msgspec

from app.core.reason import Reason
from app.core.receipt.faults import Fault


class Found(msgspec.Struct, frozen=True, gc=False):
    """What one kind's rules find in one capture; ``outcome_of`` decides what counts first.

    Attributes:
        complete: why it is complete, where nothing else is found.
        started: whether anything was measured.
        faults: whose fault each thing is that did not come to its end.
        identity: why it is about something else than what was locked.
        failures: what it establishes against the server.
        not_started: why nothing was measured, where nothing was.
        retryable: a locked retry code fits and no response had succeeded.
        doubts: why a measured capture is no evidence about the server, faults aside.
        unfinished: why it is only a part; None: it is whole.
    """

    complete: Reason
    started: bool = True
    faults: tuple[Fault, ...] = ()
    identity: tuple[Reason, ...] = ()
    failures: tuple[Reason, ...] = ()
    not_started: Reason = Reason.NOT_STARTED
    retryable: bool = False
    doubts: tuple[Reason, ...] = ()
    unfinished: Reason | None = None
