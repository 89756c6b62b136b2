# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Why a unit says nothing, for the reader, and how many units count where not each one does."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from app.core.protocol.gate import Domain
from app.core.protocol.plan import PlannedSlot
from app.core.reason import Reason
from app.core.score.boot_ratio import boot_ratios
from app.core.score.judge import ScoredSlot
from app.core.score.observe import Evidence, Unit
from app.core.score.observed import Absence, Observed, above, absent, conflicting, exact, unknown
from app.core.score.reading import Ending, Reading
from app.core.score.required import Counted, required_of
from app.core.score.why import why_of
from app.core.statement.capture import Counter
from app.core.statement.interval import Interval
from app.core.statement.judgement import CountedOf, Judgement, RequiredOf
from tests import facts
from tests.claims import compared
from tests.documents import canary_gate, document, streams_cell
from tests.gates import bound, integrity, population
from tests.judged import SAME, judged
from tests.judged_results import judged as reported
from tests.results import CPU, checks, checks_gate, number, parity_gate, with_cells
from tests.scores import (
    ABANDONED,
    COMPLETE,
    FAILED,
    GOOD,
    MISSING,
    OTHER_IMAGE,
    STARVED,
    Filled,
    only,
    protocol,
    study,
)

_, NEWCOMER = streams_cell(document()).streams


def reading(lost: Reason | None) -> Reading:
    return Reading(NEWCOMER, None, Ending.UNKNOWN, 0, deadline_passed=False, lost=lost)


@pytest.mark.parametrize(
    ("observed", "why"),
    [
        (exact(1), None),
        (above(1), None),
        (unknown(Reason.ANSWER_UNKNOWN), Reason.ANSWER_UNKNOWN),
        (absent(Absence.NOT_STARTED, Reason.MISSING), Reason.MISSING),
        (absent(Absence.CAPTURE_MISSING), Reason.VALUE_NOT_RECORDED),
        (absent(Absence.ABANDONED), Reason.ABANDONED),
        (conflicting([exact(1), exact(2)]), Reason.CONFLICTING_RECEIPTS),
        (conflicting([exact(1)], Absence.DOUBTED), Reason.TAINTED),
        (unknown(), Reason.VALUE_NOT_RECORDED),
        (unknown(Reason.MISSING_UNDECIDED), Reason.VALUE_NOT_RECORDED),
    ],
)
def test_why_a_unit_says_nothing(observed: Observed, why: Reason | None) -> None:
    assert why_of(observed) is why


def test_what_was_lost_is_said_before_that_nobody_recorded_it() -> None:
    lost = [reading(None), reading(Reason.HARNESS_FAULT), reading(Reason.ENVIRONMENT_FAULT)]
    assert why_of(unknown(), lost) is Reason.HARNESS_FAULT
    assert why_of(unknown(), lost, broken=True) is Reason.SERVER_REPLACED
    assert why_of(unknown(), lost[:1]) is Reason.VALUE_NOT_RECORDED
    assert why_of(above(1), lost, broken=True) is None


def whys(found: Judgement) -> list[Any]:
    return [None if each.why is UNSET else each.why for each in found.observations]


def slot(newcomer: Any, incumbent: Any = None) -> Filled:
    seen = facts.capture(incumbent or facts.incumbent(), newcomer)
    return ("PARTIAL", None, (Reason.UNFINISHED_STREAM,), (seen,))


LATE = facts.starved_newcomer(error_class="timeout")
UNSEEN = facts.newcomer(first_generated_us=None, last_content_us=None)


def test_each_slot_of_a_gate_says_why_it_says_nothing() -> None:
    both = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), (GOOD, STARVED))
    slots = [COMPLETE, MISSING, ABANDONED, OTHER_IMAGE, slot(LATE), slot(UNSEEN), both]
    of = protocol(bound(), repetitions=len(slots))
    found = only(study(of, {f"B{place}": each for place, each in enumerate(slots, 1)}), "bound-b")
    assert whys(found) == [
        None,
        "MISSING",
        "ABANDONED",
        "IMAGE_MISMATCH",
        "HARNESS_FAULT",
        "VALUE_NOT_RECORDED",
        "CONFLICTING_RECEIPTS",
    ]
    assert [each.absence for each in found.observations] == [
        UNSET,
        "not_started",
        "abandoned",
        "unscorable",
        UNSET,
        UNSET,
        "conflict",
    ]


def test_only_the_streams_that_a_gate_reads_say_why() -> None:
    seen = slot(facts.newcomer(), facts.incumbent(error_class="timeout", finish_reason=None))
    of = protocol(bound(unit="stream"), canary_gate("B"))
    score = study(of, {"B": slot(LATE)})
    assert whys(only(score, "bound-b")) == ["HARNESS_FAULT"]
    assert whys(only(score, "canary-b")) == ["HARNESS_FAULT"]
    beside = study(of, {"B": seen})
    assert whys(only(beside, "bound-b")) == [None]
    assert whys(only(beside, "canary-b")) == ["HARNESS_FAULT"]
    unseen = slot(UNSEEN, facts.incumbent(error_class="timeout", finish_reason=None))
    assert whys(only(study(protocol(bound()), {"B": unseen}), "bound-b")) == ["VALUE_NOT_RECORDED"]
    late = slot(UNSEEN, msgspec.structs.replace(LATE, role="incumbent", lane=0))
    each = bound() | {"population": population("B", unit="stream")}
    told = whys(only(study(protocol(each), {"B": late}), "bound-b"))
    assert told == ["HARNESS_FAULT", "VALUE_NOT_RECORDED"]


def test_number_that_a_failing_server_gave_needs_no_reason() -> None:
    assert whys(only(study(protocol(bound()), {"B": FAILED}), "bound-b")) == [None]


@pytest.mark.parametrize(("matched", "told"), [(True, []), (False, [False]), (None, [None])])
@pytest.mark.parametrize("asked", [True, False])
def test_canary_tells_of_answers_where_it_asks_for_them(
    *, matched: bool | None, told: list[bool | None], asked: bool
) -> None:
    gate = canary_gate("B")
    if not asked:
        del gate["rule"]["and"]
    found = only(
        study(protocol(gate), {"B": slot(facts.newcomer(answer_matched=matched))}), "canary-b"
    )
    (one,) = found.observations
    if not (asked and told):
        assert one.told is UNSET
    else:
        assert one.told is not UNSET
        assert isinstance(one.told.answers, list)
        assert [each.matched for each in one.told.answers] == told


def test_nothing_counted_needs_no_reason() -> None:
    seen = msgspec.structs.replace(
        GOOD.observations, counters=[Counter(name="restarts", before=0, after=0)]
    )
    stayed: Filled = (*COMPLETE[:3], (msgspec.structs.replace(GOOD, observations=seen),))
    assert whys(only(study(protocol(integrity()), {"B": stayed}), "integrity-b")) == [None]


def test_units_behind_a_restart_say_that_the_server_was_replaced() -> None:
    seen = msgspec.structs.replace(
        GOOD.observations, counters=[Counter(name="restarts", before=0, after=1)]
    )
    again: Filled = (*COMPLETE[:3], (msgspec.structs.replace(GOOD, observations=seen),))
    score = study(protocol(integrity(), bound(), canary_gate("B")), {"B": again})
    assert whys(only(score, "integrity-b")) == [None]
    assert whys(only(score, "bound-b")) == whys(only(score, "canary-b")) == ["SERVER_REPLACED"]


def test_checks_behind_a_restart_say_that_the_server_was_replaced() -> None:
    again = msgspec.structs.replace(
        checks().observations, counters=[Counter(name="restarts", before=0, after=1)]
    )
    live = integrity() | {"population": checks_gate()["population"]}
    of = with_cells(checks_gate(), live, cells=[CPU])
    score = reported(of, {"B": checks(observations=again)})
    assert whys(only(score, checks_gate()["id"])) == ["SERVER_REPLACED"]


# ---- two slots that make one unit ----


def ratio(top: Unit, bottom: Unit | None, *, boot: str = "boot") -> Any:
    place = PlannedSlot("B/C/1", "B", "C", 1)
    over, under = (
        Evidence(
            ScoredSlot(place, "COMPLETE", None, (), (facts.capture(boot_id=each),)),
            (),
            (),
            streams_cell(document()),
        )
        for each in ("boot", boot)
    )
    below = [] if bottom is None else [(under, bottom)]
    (unit,) = boot_ratios([(over, top)], below, domain=Domain(Fraction(0), None))
    assert unit.slot == top.slot
    return unit.why


def test_ratio_says_which_of_its_slots_says_nothing_or_that_they_have_none() -> None:
    known = Unit("B/C/1", None, exact(6))
    late = Unit("B/C/1", None, unknown(), why=Reason.HARNESS_FAULT)
    gone = Unit("B/C/1", None, absent(Absence.ABANDONED), why=Reason.ABANDONED)
    assert ratio(known, known) is None
    assert ratio(late, gone) is Reason.HARNESS_FAULT
    assert ratio(known, gone) is Reason.ABANDONED
    assert ratio(known, None) is Reason.CONTROL_MISSING
    assert ratio(known, known, boot="another") is Reason.NO_RATIO
    assert ratio(known, Unit("B/C/1", None, exact(0))) is Reason.NO_RATIO


def parity(own: Any, other: Any, **members: Any) -> Any:
    of = with_cells(parity_gate(**members), cells=[CPU])
    captures = {"A": other, "B": own}
    held = {arm: each for arm, each in captures.items() if each is not None}
    return whys(reported(of, held).judgements[0])


def test_parity_says_whose_number_is_not_there() -> None:
    some, none = checks(), checks(values=[])
    assert parity(some, some) == [None]
    assert parity(None, some) == ["MISSING"]
    assert parity(some, None) == ["CONTROL_MISSING"]
    assert parity(none, None) == ["VALUE_NOT_RECORDED"]
    assert parity(some, none) == parity(none, some) == ["VALUE_NOT_RECORDED"]
    assert parity(some, some, metric=number(resolution="0.1")) == ["RESOLUTION_UNDECIDED"]


# ---- how many count ----


def units(*observed: Observed) -> list[Unit]:
    return [Unit("B/1", None, each) for each in observed]


def test_number_of_units_stands_there_where_not_each_planned_and_observed_one_counts() -> None:
    two = units(exact(1), exact(2))
    short = units(exact(1), unknown())
    assert required_of(None, [Counted("B", two)]) is None
    assert required_of(2, [Counted("B", short, 1), Counted("A", two)]) is None
    fewer = RequiredOf(n=1, counted=[CountedOf(arm="B", n=1), CountedOf(arm="A", n=2)])
    assert required_of(1, [Counted("B", short), Counted("A", two)]) == fewer
    boots = RequiredOf(n=2, counted=[CountedOf(arm="B", n=1)])
    assert required_of(None, [Counted("B", two, 1)]) == boots


def test_blocks_say_how_many_boots_of_each_arm_count() -> None:
    assert judged(compared()).required is UNSET
    boots = dict.fromkeys(("B1", "B2"), "one")
    assert judged(compared(), boots=boots).required == RequiredOf(
        n=6, counted=[CountedOf(arm="B", n=5), CountedOf(arm="A", n=5)]
    )
    fewer = judged(compared(required_n=5), {"B": [MISSING, *SAME[1:]]}).required
    assert fewer == RequiredOf(n=5, counted=[CountedOf(arm="B", n=5), CountedOf(arm="A", n=6)])


def test_bound_says_how_many_units_it_needs_where_not_each_planned_one() -> None:
    some: dict[str, Filled] = {"B1": COMPLETE, "B2": MISSING}
    fewer = only(study(protocol(bound(required_n=1), repetitions=2), some), "bound-b").required
    assert fewer == RequiredOf(n=1, counted=[CountedOf(arm="B", n=1)])
    assert only(study(protocol(bound(), repetitions=2), some), "bound-b").required is UNSET


def test_slots_of_one_boot_count_once_in_a_bound_of_boots() -> None:
    two: dict[str, Filled] = {"B1": COMPLETE, "B2": COMPLETE}
    found = only(study(protocol(bound(unit="boot"), repetitions=2), two), "bound-b")
    assert found.required == RequiredOf(n=2, counted=[CountedOf(arm="B", n=1)])


def test_parity_with_something_that_is_no_number_is_infinitely_far() -> None:
    seen = checks().values[0]
    none = msgspec.structs.replace(seen, value="nan")
    of = with_cells(parity_gate(), cells=[CPU])
    (found, *_) = reported(of, {"A": checks(), "B": checks(values=[none])}).judgements
    assert found.observed == Interval(lo="inf", hi="inf", lo_open=False, hi_open=False)
