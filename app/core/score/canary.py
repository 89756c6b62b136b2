# SPDX-License-Identifier: Apache-2.0
"""The canary: does one stream's event come before another's, with the expected answer?

HTTP status is no input. Equal instants are not "before". A slot is true (1), false (0) or open;
what a page shows is the delay of the left event behind the right one, which must be below zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from app.core.protocol.gate import ONE_OR_ZERO, Domain
from app.core.reason import Reason
from app.core.score.interval import Interval, Truth, finite, hull, whole
from app.core.score.measure import answer_of
from app.core.score.observed import Basis, Observed, zero_or_one
from app.core.score.reading import Reading
from app.core.score.statistic import ranked
from app.core.statement.gate_record import Operator
from app.core.statement.tally import AnswerTally

_FROM_ZERO: Final = Domain(ONE_OR_ZERO.lo, None)
_IGNORANCE: Final = (
    (Basis.UNKNOWN, Reason.MISSING_UNDECIDED),
    (Basis.CENSORED, Reason.CENSORED_BEFORE_DECIDING_INSTANT),
    (Basis.BOUNDED, Reason.BOUNDS_UNDECIDED),
    (Basis.EXACT, Reason.RESOLUTION_UNDECIDED),
)


def observe_canary(left: Observed, right: Observed, *, op: Operator, answer: Truth) -> Observed:
    """Return whether ``left op right`` and the answer hold in one slot.

    Args:
        left: when the event happened that must come first.
        right: when the other did.
        op: the order demanded, ``<`` for before.
        answer: whether the expected answer came; TRUE where none is demanded. A stream that was
            cut short has not answered.
    """
    if left.absence is not None and right.absence is not None:
        return max(left, right, key=lambda each: bool(each.absence and each.absence.is_attempt))
    delay = _known(left).minus(_known(right))
    seen = (left.shown or _known(left)).minus(_known(right))
    if left.basis in (Basis.CENSORED, Basis.UNKNOWN) and answer is Truth.FALSE:
        answer = Truth.OPEN
    order = delay.compared(op, finite(0))
    if order is Truth.FALSE:
        return _shown(zero_or_one(value=False, why=Reason.NOT_BEFORE), seen)
    if answer is Truth.FALSE:
        return _shown(zero_or_one(value=False, why=Reason.WRONG_ANSWER), seen)
    if order is Truth.OPEN:
        basis, why = next(each for each in _IGNORANCE if each[0] in (left.basis, right.basis))
        return Observed(whole(ONE_OR_ZERO), basis, why=why, shown=seen)
    if answer is Truth.OPEN:
        return Observed(whole(ONE_OR_ZERO), Basis.UNKNOWN, why=Reason.ANSWER_UNKNOWN, shown=seen)
    return _shown(zero_or_one(value=True), seen)


def together(pairs: Iterable[Observed], *, op: Operator) -> Observed:
    """Return one slot's canary where several streams must each hold it: the first that decides.

    Shown is the delay that all of them are beyond, so that it holds just where each of them does.
    """
    each = tuple(pairs)
    worst = min(each, key=_rank)
    shown = [one.shown for one in each if one.shown is not None]
    return _shown(worst, _farthest(shown, op)) if shown else worst


def answers_of(lefts: Iterable[Reading]) -> list[AnswerTally]:
    """Return the streams that are not known to have given the expected answer."""
    return [_answer(each) for each in lefts if answer_of(each) is not Truth.TRUE]


def _answer(reading: Reading) -> AnswerTally:
    planned, stream = reading.planned, reading.stream
    return AnswerTally(
        stream_role=planned.role,
        lane=planned.lane,
        matched=False if answer_of(reading) is Truth.FALSE else None,
        parts=None if stream is None else stream.answer_parts,
    )


def _farthest(delays: Sequence[Interval], op: Operator) -> Interval:
    match op:
        case "<" | "<=":
            return ranked(delays, len(delays))
        case ">" | ">=":
            return ranked(delays, 1)
        case "==":
            return hull(delays)


def _rank(observed: Observed) -> int:
    if observed.interval is None:
        return 1
    if observed.interval.is_point:
        return 0 if observed.interval.hi == finite(0) else 3
    return 2


def _known(event: Observed) -> Interval:
    return whole(_FROM_ZERO) if event.interval is None else event.interval.within(_FROM_ZERO)


def _shown(observed: Observed, delay: Interval) -> Observed:
    return Observed(observed.interval, observed.basis, observed.absence, observed.why, delay)
