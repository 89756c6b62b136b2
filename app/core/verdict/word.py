# SPDX-License-Identifier: Apache-2.0
"""From what is established to the word: every reason that applies, in the order that decides.

    UNKNOWN_STATEMENT, NO_POLICY                                        HOLD
    SCOPE_FAILED (CONFLICTING stands beside it)                         NOT_QUALIFIED
    OPEN_STUDY, GATES_MOVED_AFTER_RESULT, BASE_NOT_TRACKED, STALE_BASE,
    TAINTED, HOLD_IN_FORCE, REPLAY, SCOPE_NOT_PASS                      HOLD
    else                                                                QUALIFIED

The order is that of ``app.core.reason``, so there is one list of it. A reason only ever takes a
word away: to add one is to add a function to ``_FINDERS``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from app.core.identity import Scope, Sha256Hex
from app.core.reason import Reason
from app.core.statement.verdict import Base, HoldRecord, RequiredState, StudyRecord, Word
from app.core.statement.verdict import Reason as ReasonRecord
from app.core.verdict.counting import MovedGates
from app.core.verdict.head_scopes import Said, said_about, severity_of
from app.core.verdict.taint import Tainted

_ORDER: Final = {code.value: place for place, code in enumerate(Reason)}


@dataclass(frozen=True, slots=True)
class Grounds:
    """Everything the word of one claim follows from.

    Attributes:
        unknown: log indices of entries on the three lines that this reader does not know.
        has_policy: whether any policy speaks about the head.
        required: every required scope and its state.
        studies: every study on the head.
        masked: studies, and scopes that each would fail but for its empty slots.
        moved: studies whose gates were locked when results could be known.
        base: what the head stands on.
        tainted: what was signed by keys under suspicion.
        holds: that concern this claim.
    """

    unknown: tuple[int, ...]
    has_policy: bool
    required: Sequence[RequiredState]
    studies: Sequence[StudyRecord]
    masked: Collection[tuple[Sha256Hex, Scope]]
    moved: Sequence[MovedGates]
    base: Base
    tainted: Sequence[Tainted] = ()
    holds: Sequence[HoldRecord] = ()


def reasons_for(grounds: Grounds) -> list[ReasonRecord]:
    """Return every reason that applies, the deciding one first; never empty."""
    found = list(chain.from_iterable(finder(grounds) for finder in _FINDERS))
    if not found:
        return [_reason(Reason.ALL_SCOPES_PASS)]
    return sorted(found, key=lambda reason: _ORDER[reason.code])


def word_for(reasons: Sequence[ReasonRecord]) -> Word:
    """Return the word that the first of ``reasons`` decides."""
    first = reasons[0].code
    if first == Reason.ALL_SCOPES_PASS:
        return "QUALIFIED"
    return "NOT_QUALIFIED" if first == Reason.SCOPE_FAILED else "HOLD"


def _unknown(grounds: Grounds) -> Iterator[ReasonRecord]:
    return (_reason(Reason.UNKNOWN_STATEMENT, entry=index) for index in grounds.unknown)


def _no_policy(grounds: Grounds) -> Iterator[ReasonRecord]:
    if not grounds.has_policy:
        yield _reason(Reason.NO_POLICY)


def _failed(grounds: Grounds) -> Iterator[ReasonRecord]:
    for scope, said in _counting(grounds):
        if said.state == "FAIL":
            yield _about(Reason.SCOPE_FAILED, scope, said)


def _conflicting(grounds: Grounds) -> Iterator[ReasonRecord]:
    """Find each PASS beside a FAIL, or after a FAIL that empty slots kept from being judged."""
    said = _counting(grounds)
    failed = {scope for scope, one in said if one.state == "FAIL"}
    for scope, one in said:
        if one.state == "PASS" and (scope in failed or _masked_before(grounds, scope, one)):
            yield _about(Reason.CONFLICTING, scope, one)


def _open(grounds: Grounds) -> Iterator[ReasonRecord]:
    """Find studies that are not closed, of any scope: before it is closed nobody knows its word."""
    for study in grounds.studies:
        if study.sealed and study.counting != "exploratory":
            yield _reason(Reason.OPEN_STUDY, study=study)


def _moved(grounds: Grounds) -> Iterator[ReasonRecord]:
    studies = {study.study: study for study in grounds.studies}
    for moved in grounds.moved:
        yield _reason(
            Reason.GATES_MOVED_AFTER_RESULT, study=studies[moved.study], entry=moved.lock_index
        )


def _base(grounds: Grounds) -> Iterator[ReasonRecord]:
    if grounds.base.state == "UNKNOWN":
        yield _reason(Reason.BASE_NOT_TRACKED)
    if grounds.base.state == "STALE":
        yield _reason(Reason.STALE_BASE)


def _tainted(grounds: Grounds) -> Iterator[ReasonRecord]:
    """Find what rests on doubted signatures; an exploratory study carries nothing."""
    studies = {study.study: study for study in grounds.studies}
    for tainted in grounds.tainted:
        study = None if tainted.study is None else studies[tainted.study]
        if study is None or study.counting != "exploratory":
            yield _reason(Reason.TAINTED, study=study, entry=tainted.entry)


def _held(grounds: Grounds) -> Iterator[ReasonRecord]:
    """Find the holds in force, the newest first: it names who acts."""
    for hold in reversed(grounds.holds):
        if hold.in_force:
            yield _reason(Reason.HOLD_IN_FORCE, entry=hold.said.entry)


def _replays(grounds: Grounds) -> Iterator[ReasonRecord]:
    for study in grounds.studies:
        if study.counting == "replay":
            yield _reason(Reason.REPLAY, study=study)


def _not_pass(grounds: Grounds) -> Iterator[ReasonRecord]:
    """Find scopes that are not established, the worst first; what has failed is said elsewhere."""
    failed = {scope for scope, said in _counting(grounds) if said.state == "FAIL"}
    for required in sorted(grounds.required, key=lambda scope: severity_of(scope.state)):
        if required.state != "PASS" and required.scope not in failed:
            yield _reason(Reason.SCOPE_NOT_PASS, scope=required.scope)


_FINDERS: Final[tuple[Callable[[Grounds], Iterator[ReasonRecord]], ...]] = (
    _unknown,
    _no_policy,
    _failed,
    _conflicting,
    _open,
    _moved,
    _base,
    _tainted,
    _held,
    _replays,
    _not_pass,
)


def _counting(grounds: Grounds) -> list[tuple[Scope, Said]]:
    """Return what each counting study says about each required scope."""
    counted = [study for study in grounds.studies if study.counting == "counts"]
    pairs = [(r.scope, said_about(r.scope, study)) for r in grounds.required for study in counted]
    return [(scope, said) for scope, said in pairs if said is not None]


def _masked_before(grounds: Grounds, scope: Scope, passed: Said) -> bool:
    """Tell whether an earlier counting study would have failed ``scope`` but for empty slots."""
    return any(
        other == scope
        and said.study.ordinal < passed.study.ordinal
        and (said.study.study, scope) in grounds.masked
        for other, said in _counting(grounds)
    )


def _about(code: Reason, scope: Scope, said: Said) -> ReasonRecord:
    return _reason(code, scope=scope, study=said.study)


def _reason(
    code: Reason,
    *,
    scope: Scope | None = None,
    study: StudyRecord | None = None,
    entry: int | None = None,
) -> ReasonRecord:
    digest = None if study is None else study.study
    return ReasonRecord(code=code, scope=scope, study=digest, entry=entry)
