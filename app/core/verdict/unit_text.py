# SPDX-License-Identifier: Apache-2.0
"""One planned unit of a gate in words: what is known of it, why no more, and what was told of it.

The words are the same for the page and the command line. A check that was skipped or did not run
is called what it is, and what nobody recorded is never a zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import UNSET

from app.core.statement.judgement import Judgement, Observation
from app.core.statement.tally import (
    AnswerTally,
    CheckTally,
    FileTally,
    JobsTally,
    LaneTally,
    PairTally,
    Told,
)
from app.core.verdict.numbers import count_text, hours, interval_text, seconds

_NAMED: Final = 3
_DIGITS: Final = 12


def unit_name(one: Observation) -> str:
    """Return the unit: its slot, and its stream where the unit is one."""
    lane = None if one.lane is None else f"lane {one.lane}"
    return " ".join(part for part in (one.slot, one.stream_role, lane) if part)


def aside_text(gate: Judgement, one: Observation) -> str:
    """Return what stands beside a unit's interval: why it is so and what was told, if anything."""
    why = None if one.why is UNSET else one.why
    told = None if one.told is UNSET else told_text(one.told, gate.unit)
    return ": ".join(part for part in (why, told) if part)


def told_text(told: Told, unit: str | None) -> str:
    """Return what a slot's captures told, in one line.

    Args:
        told: the one member that its gate's kind has.
        unit: of the gate.
    """
    parts: list[str] = []
    if told.checks is not UNSET:
        parts += _checks(told.checks)
    if told.files is not UNSET:
        parts += [_file(each) for each in told.files]
    if told.jobs is not UNSET:
        parts += _jobs(told.jobs)
    if told.answers is not UNSET:
        parts += [_answer(each) for each in told.answers]
    if told.pair is not UNSET:
        parts.append(_pair(told.pair, unit))
    if told.decision is not UNSET:
        parts.append(f"the tool decided {told.decision}")
    return "; ".join(parts)


def _checks(told: CheckTally) -> list[str]:
    suites = [
        f"{each.name}: {count_text(each.passed)} passed, {count_text(each.failed)} failed, "
        f"{count_text(each.skipped)} skipped"
        for each in told.suites
    ]
    failed_first = sorted(told.not_passed, key=lambda each: each.result != "failed")
    named = [f"{each.id} {each.result.replace('_', ' ')}" for each in failed_first]
    return [*suites, *([f"by name: {_few(named)}"] if named else [])]


def _file(told: FileTally) -> str:
    if told.result is None:
        return f"{told.name}: not reported"
    result = told.result.replace("_", " ")
    if told.artifact is None:
        return f"{told.name}: {result}, no file named"
    return (
        f"{told.name}: {result}, sha256 {told.artifact.sha256[:_DIGITS]}, "
        f"{told.artifact.size:,} bytes"
    )


def _jobs(told: JobsTally) -> list[str]:
    head = f"{len(told.lanes)} of {told.planned} lanes reported"
    return [head, *(_lane(each, told.resolution_us) for each in told.lanes)]


def _lane(lane: LaneTally, resolution_us: int) -> str:
    took = "no end seen"
    if lane.duration_us is not None:
        took = f"{hours(max(lane.duration_us, 0))} (h:min:s) within {seconds(resolution_us)}"
    counts = f"{count_text(lane.validated)} validated, {count_text(lane.failed)} failed"
    return f"lane {lane.lane}: {took}, {counts}"


def _answer(told: AnswerTally) -> str:
    said = "another answer than expected" if told.matched is False else "answer not known"
    parts = ""
    if told.parts is not None:
        parts = f" ({told.parts.matched} of {told.parts.expected} parts)"
    return f"{told.stream_role} lane {told.lane}: {said}{parts}"


def _pair(told: PairTally, unit: str | None) -> str:
    own, other = interval_text(told.own, unit), interval_text(told.other, unit)
    return f"{own} against {other} of {told.against}"


def _few(named: Sequence[str]) -> str:
    left = len(named) - _NAMED
    more = f" and {left:,} more" if left > 0 else ""
    return ", ".join(named[:_NAMED]) + more
