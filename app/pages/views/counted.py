# SPDX-License-Identifier: Apache-2.0
"""What a gate without a number was decided on: counts of checks, lanes of long work, reviews.

Nothing is judged here: these are the captures' own counts, printed beside the state that a verdict
gives. A check that was skipped is called not tested wherever its scope is named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from app.core.identity import Scope
from app.core.statement.capture import Capture, ChecksCapture, JobsCapture, Lane
from app.core.statement.judgement import Judgement, Observation
from app.core.verdict.judgement_text import reviews_text as counting_text
from app.core.verdict.numbers import count_text, fraction_of, hours, is_infinite, number_text
from app.core.verdict.unit_text import told_text, unit_name
from app.pages.facts import HeadFacts, StudyFacts
from app.pages.views.people import reviews_text

_SHOWN: Final = 3
NOT_TESTED: Final = "skipped: not tested"
ELSEWHERE: Final = "how many were skipped stands on each receipt's page"


def counted_text(facts: HeadFacts, study: StudyFacts, gate: Judgement) -> str | None:
    """Return what was counted for a gate, for those kinds whose observation is no number."""
    match gate.kind:
        case "checks" | "jobs":
            found = list(_captures_of(facts, study, [gate]))
            texts = [(label, _text(capture)) for label, capture in found]
            named = [text if len(found) == 1 else f"{label}: {text}" for label, text in texts]
            return "; ".join(named) or None
        case "review":
            there = reviews_text(facts.document.reviews)
            return there if gate.reviews is UNSET else f"{counting_text(gate.reviews)}; {there}"
        case "comparison":
            return _per_arm(gate)
        case "canary" | "parity" | "artifact_registry" | "claim":
            return _told(gate)
        case _:
            return None


def skipped_text(facts: HeadFacts, studies: Iterable[StudyFacts], scope: Scope) -> str | None:
    """Return how many checks of a scope were skipped in these studies; None: none were."""
    counts: list[int | None] = []
    for study in studies:
        gates = [
            gate
            for gate in study.record.judgements
            if gate.kind == "checks" and gate.scope == scope
        ]
        if gates and facts.captures_left_out:
            return ELSEWHERE
        counts += [skipped for _, _, skipped in skipped_in(facts, study, gates)]
    if None in counts:
        return f"an unrecorded number {NOT_TESTED}"
    total = sum(one for one in counts if one is not None)
    return f"{total:,} {NOT_TESTED}" if total else None


def skipped_in(
    facts: HeadFacts, study: StudyFacts, gates: Sequence[Judgement]
) -> Iterator[tuple[str, str, int | None]]:
    """Yield receipt, suite and how many of it were skipped, where any were or nobody counted."""
    for label, capture in _captures_of(facts, study, gates):
        if isinstance(capture, ChecksCapture):
            for suite in capture.suites:
                if suite.skipped != 0:
                    yield label, suite.name, suite.skipped


def _captures_of(
    facts: HeadFacts, study: StudyFacts, gates: Sequence[Judgement]
) -> Iterator[tuple[str, Capture]]:
    """Yield the captures that came in time for the slots that these gates ask."""
    asked = {(gate.arm, gate.cell) for gate in gates}
    for identity, attempt, receipt in study.receipts():
        planned = study.state.slots[identity].planned
        capture = facts.captures.get(receipt.predicate.capture.sha256)
        if (planned.arm, planned.cell) in asked and capture is not None and not receipt.late:
            yield f"{identity} attempt {attempt.number}", capture


def _text(capture: Capture) -> str:
    if isinstance(capture, ChecksCapture):
        return "; ".join(
            f"{one.name}: {count_text(one.passed)} passed, {count_text(one.failed)} failed, "
            f"{count_text(one.skipped)} {NOT_TESTED if one.skipped != 0 else 'skipped'}"
            for one in capture.suites
        )
    if isinstance(capture, JobsCapture):
        return "; ".join(_lane(one) for one in capture.lanes)
    return f"a capture of another kind: {capture.schema}"


def _lane(lane: Lane) -> str:
    took = "no end seen"
    if lane.started_us is not None and lane.ended_us is not None:
        took = f"{hours(max(lane.ended_us - lane.started_us, 0))} (h:min:s)"
    return (
        f"lane {lane.lane}: {took}, {count_text(lane.validated)} validated, "
        f"{count_text(lane.failed)} failed"
    )


def _told(gate: Judgement) -> str | None:
    """Return what the first units told that tell anything, of a parity those farthest apart."""
    told = [one for one in gate.observations if one.told is not UNSET]
    if gate.kind == "parity":
        told.sort(key=_farthest, reverse=True)
    said = [
        f"{unit_name(one)}: {told_text(one.told, gate.unit)}"
        for one in told[:_SHOWN]
        if one.told is not UNSET
    ]
    more = [f"{len(told) - _SHOWN:,} more below"] if len(told) > _SHOWN else []
    return "; ".join((*said, *more)) or None


def _farthest(one: Observation) -> tuple[int, Fraction]:
    return _place("inf" if one.interval is None else one.interval.hi)


def _per_arm(gate: Judgement) -> str | None:
    """Return from where to where each arm's units go: what a spread of controls looks like."""
    arms: dict[str, list[Observation]] = {}
    for one in gate.observations:
        arms.setdefault(one.slot.partition("/")[0], []).append(one)
    return "; ".join(filter(None, (_ends(gate, arm, each) for arm, each in arms.items()))) or None


def _ends(gate: Judgement, arm: str, units: Sequence[Observation]) -> str:
    lows = [one.interval.lo for one in units if one.interval is not None]
    highs = [one.interval.hi for one in units if one.interval is not None]
    if not lows:
        return f"{arm}: no value"
    low, high = min(lows, key=_place), max(highs, key=_place)
    span = " to ".join(number_text(each, gate.unit) for each in (low, high))
    return f"{arm}: {span}"


def _place(number: str) -> tuple[int, Fraction]:
    if is_infinite(number):
        return (-1 if number.startswith("-") else 1, Fraction(0))
    return 0, fraction_of(number)
