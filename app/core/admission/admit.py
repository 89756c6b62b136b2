# SPDX-License-Identifier: Apache-2.0
"""May this statement enter at this index? Each kind's rules stand in ``app.core.admission.rules``.

Everything here is judged at the statement's own index and log time, inside the sequencer; the same
statement again was found by its digest before. What a receipt says is never a reason to refuse it.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias

from app.core.admission.state import Standing
from app.core.statement.capture import StreamsCapture
from app.core.statement.parse import Parsed

RootAt: TypeAlias = Callable[[int], str | None]
"""Root in hex of the tree of a size; None where this process cannot say."""


class Effect(StrEnum):
    """What becomes of an admitted statement."""

    ACCEPTED = "accepted"
    SCORED = "scored"
    NOT_MEASURED = "not_measured"
    LATE = "late"
    CONFLICTING = "conflicting"


def admit(
    parsed: Parsed,
    *,
    signers: frozenset[str],
    standing: Standing,
    index: int,
    at_us: int,
    capture: StreamsCapture | None = None,
    root_at: RootAt | None = None,
) -> Effect:
    """Return what ``parsed`` would do at ``index``, or refuse it.

    Args:
        parsed: the statement.
        signers: key ids of its verified signatures.
        standing: the three lines, every entry below ``index`` applied.
        index: where it would stand.
        at_us: the log time it would get.
        capture: receipts only.
        root_at: roots of older trees, for the checkpoint that a key statement names.

    Raises:
        NotAuthenticated: a signature that the kind needs is not there.
        NotAllowed: this key may not do this here.
        UnknownThing: it names what does not stand on its lines.
        Conflict: something else stands there.
        Unprocessable: it could not be meant.
    """
    raise NotImplementedError
