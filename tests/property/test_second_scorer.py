# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a gate is any JSON
"""Canary, progress, completeness and integrity, scored twice: no two scorers disagree."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.protocol.plan import PlannedSlot, plan
from app.core.score.judge import ScoredSlot, judge_study
from app.core.statement.capture import Clock, Counter, Stream, StreamsCapture
from app.core.statement.judgement import SlotState
from tests import facts
from tests.documents import SECOND_US, canary_gate, completeness_gate, document
from tests.gates import bound, integrity
from tests.property import second_scorer as second
from tests.property.second_scorer import Slot, Told

N = 3
LIMITS = (Fraction(2), Fraction(4))
INSTANTS = st.lists(st.integers(1, 9), max_size=3, unique=True).map(sorted).map(tuple)
ABSENT: dict[str, SlotState] = {
    "missing": "MISSING",
    "abandoned": "ABANDONED",
    "not_warm": "WARMUP_FAILED",
}
COUNTS = st.none() | st.integers(0, 2)


@st.composite
def told(draw: st.DrawFn) -> Told:
    end, contents = draw(st.sampled_from(("done", "done", "failed", "cut"))), draw(INSTANTS)
    if end == "done":
        contents = contents or (draw(st.integers(1, 9)),)
    last = contents[-1] if contents else 0
    until = draw(st.sampled_from((last, last + 1, last + 3, 9, second.DEADLINE)))
    return Told(end, contents, max(until, last), draw(st.sampled_from((True, False, None))))


@st.composite
def slot(draw: st.DrawFn) -> Slot:
    absence = draw(st.sampled_from(("", "", "", "", *ABSENT)))
    # Most servers stay up, or nothing would be left to be known of the other gates.
    restarts = draw(st.sampled_from(((0, 0),) * 6) | st.tuples(COUNTS, COUNTS))
    return Slot(absence, draw(told()), draw(told()), restarts)


def stream_of(role: str, lane: int, one: Told, error: Any) -> Stream:
    instants = [each * SECOND_US for each in one.contents]
    seen: dict[str, Any] = {
        "first_generated_us": instants[0] if instants else None,
        "first_answer_us": instants[0] if instants else None,
        "content_gaps_us": [late - early for early, late in pairwise(instants)],
        "last_content_us": instants[-1] if instants else None,
        "observed_until_us": one.until * SECOND_US,
    }
    match one.end:
        case "done":
            ended = {"settled_us": one.until * SECOND_US, "answer_matched": one.answered}
            return facts.complete_stream(role, lane, **(seen | ended))
        case "failed":
            failed = {"http_status": 500, "error_class": "http_error"}
            return facts.stream(role, lane, **(seen | failed))
        case _:
            return facts.stream(role, lane, **seen, error_class=error)


def capture_of(one: Slot, error: Any) -> StreamsCapture:
    whole = facts.capture(
        stream_of("incumbent", 0, one.incumbent, error),
        stream_of("newcomer", 1, one.newcomer, error),
    )
    before, after = one.restarts
    counters = [Counter(name="restarts", before=before, after=after)]
    clock = Clock(kind="monotonic", zero="slot_start", resolution_us=0)
    observations = replace(whole.observations, counters=counters)
    return replace(whole, clock=clock, observations=observations)


def scored(planned: PlannedSlot, one: Slot, error: Any) -> ScoredSlot:
    if one.absence:
        return ScoredSlot(planned, ABSENT[one.absence], None, (), ())
    return ScoredSlot(planned, "PARTIAL", None, (), (capture_of(one, error),))


def silent_at_most(seconds: Fraction, op: str) -> Any:
    gate = bound(
        "max_content_gap",
        str(seconds),
        id=f"silent-{'lt' if op == '<' else 'le'}-{seconds}",
        metric={"unit": "s", "resolution": "0"},
    )
    gate["population"]["stream_role"] = "incumbent"
    gate["comparison"]["op"] = op
    return {**gate, "kind": "progress"}


PROTOCOL = document(
    arms=["B"],
    repetitions=N,
    gates=[
        {**canary_gate("B"), "resolution_us": 0},
        completeness_gate("B", 2 * N),
        integrity(),
        *(silent_at_most(limit, op) for limit in LIMITS for op in ("<", "<=")),
    ],
)
SLOTS = st.lists(slot(), min_size=N, max_size=N)
CUT = st.sampled_from((None, "connection_reset", "cancelled_by_person", "interrupted"))
QUIET = Told("done", (1, 2, 3), 3, answered=True)
GOOD = Slot("", Told("done", (1, 5), 6), QUIET)


@given(SLOTS, CUT)
@example([GOOD] * N, None)
@example([Slot("missing", QUIET, QUIET)] * N, None)
@example([Slot("abandoned", QUIET, QUIET), GOOD, GOOD], None)
@example([Slot("", Told("done", (1, 3), 3), QUIET), GOOD, GOOD], None)
def test_two_scorers_agree_on_what_every_completion_says(slots: list[Slot], error: Any) -> None:
    made = [scored(each, one, error) for each, one in zip(plan(PROTOCOL), slots, strict=True)]
    said = {each.gate: each.state for each in judge_study(PROTOCOL, made).judgements}
    expected = {
        "canary-b": second.canary(slots),
        "complete-b": second.completeness(slots),
        "integrity-b": second.integrity(slots),
    }
    for limit in LIMITS:
        expected[f"silent-lt-{limit}"] = second.progress(slots, limit.__gt__)
        expected[f"silent-le-{limit}"] = second.progress(slots, limit.__ge__)
    assert said == expected
