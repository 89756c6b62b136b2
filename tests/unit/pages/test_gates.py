# SPDX-License-Identifier: Apache-2.0
"""Marks and texts of one gate's units."""

from types import SimpleNamespace

import pytest
from msgspec import structs

from app.core.statement.interval import Interval
from app.core.statement.judgement import (
    CountedOf,
    Judgement,
    Observation,
    RequiredOf,
    UnitCount,
)
from app.core.statement.tally import PairTally, ReviewTally, Told
from app.core.statement.verdict import Base
from app.core.verdict.judgement_text import (
    NO_NUMBER,
    NO_VALUE,
    counts_text,
    observed_text,
    room_text,
)
from app.pages.views import claims, counted, gates
from app.pages.views.links import reason_page
from app.pages.views.table import Cell


def judgement(**changes: object) -> Judgement:
    given: dict[str, object] = {
        "gate": "g", "kind": "bound", "role": "primary", "scope": "fairness", "arm": "B",
        "cell": "C2", "state": "FAIL", "reason": "BOUND_VIOLATED", "rule": "max <= 10", "unit": "1",
        "limit": "10", "observed": None, "margin": "-1", "observations": [],
        "counts": UnitCount(planned=5, exact=1, bounded=1, unknown=3),
    }  # fmt: skip
    return Judgement(**(given | changes))  # type: ignore[arg-type]  # members of the test


def unit(lo: str, hi: str, basis: str = "exact", *, hi_open: bool = False) -> Observation:
    known = Interval(lo=lo, hi=hi, lo_open=False, hi_open=hi_open)
    return Observation("B/C2/1", None, None, known, basis)  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize(
    ("one", "mark"),
    [
        (unit("0", "0"), "value"),
        (unit("1", "2"), "interval"),
        (unit("1", "inf", "censored", hi_open=True), "censored"),
        (unit("inf", "inf"), "never"),
        (unit("-inf", "inf", "unknown", hi_open=True), "none"),
        (unit("0", "inf", "unknown", hi_open=True), "none"),
        (unit("-inf", "3", "bounded"), "none"),
        (Observation("B/C2/1", None, None, None, "unknown"), "none"),
    ],
)
def test_unit_is_drawn_as_what_is_known_of_it(one: Observation, mark: str) -> None:
    assert gates._mark_of(one) == mark


def test_unknown_unit_that_has_a_value_says_that_it_cannot_decide() -> None:
    assert gates._basis(unit("1", "2", "unknown")).text == "unknown: it cannot decide for PASS"
    assert gates._basis(unit("1", "2", "bounded")) == Cell("bounded")
    why = structs.replace(unit("1", "2", "unknown"), why="TAINTED")
    assert (gates._basis(why).note, gates._basis(why).note_href) == (
        "TAINTED",
        reason_page("TAINTED"),
    )


def test_denominator_is_printed_with_its_parts() -> None:
    planned = "n = 2 of 5 planned (1 exact + 1 bounded + 3 unknown)"
    assert counts_text(judgement()) == planned
    arms = [CountedOf(arm="B", n=1), CountedOf(arm="A", n=2)]
    needed = judgement(required=RequiredOf(n=2, counted=arms))
    assert counts_text(needed) == f"{planned}; 2 needed of each arm, 1 of B, 2 of A count"


def test_gates_are_ordered_by_state_then_by_share_of_the_limit() -> None:
    order = [
        judgement(margin="-inf"),
        judgement(margin="-20"),
        judgement(margin="-30", limit="1000"),
        judgement(margin=None),
        judgement(state="INVALID", margin=None),
        judgement(state="NOT_RUN", margin=None),
        judgement(state="INCONCLUSIVE", margin="-3", limit="0"),
        judgement(state="PASS", margin="1"),
        judgement(state="PASS", margin="inf"),
    ]
    mixed = order[4:] + order[:4][::-1]
    assert sorted(mixed, key=gates._badness) == order


def test_gate_without_number_says_so_and_never_zero() -> None:
    assert observed_text(judgement(unit=None)) == NO_NUMBER
    assert observed_text(judgement()) == NO_VALUE


OPEN = Interval(lo="12", hi="inf", lo_open=True, hi_open=True)
EXACT = Interval(lo="12", hi="12", lo_open=False, hi_open=False)


@pytest.mark.parametrize(
    ("gate", "said"),
    [
        (judgement(margin="-2", observed=OPEN), "at least 2 outside"),
        (judgement(margin="-2", observed=EXACT), "2 outside"),
        (judgement(margin="-inf", observed=OPEN), "outside, without bound"),
        (judgement(margin=None), "no number"),
        (judgement(state="INCONCLUSIVE", margin="-2", observed=OPEN), "at worst 2 outside"),
        (judgement(state="PASS", margin="3", observed=EXACT), "3 inside"),
    ],
)
def test_margin_of_a_fail_is_a_least_one_where_more_may_be_unseen(
    gate: Judgement, said: str
) -> None:
    assert room_text(gate) == said


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("NOT_TRACKED", "The policy tracks no branch"),
        ("CURRENT", "it has not moved"),
        ("STALE", "It moved"),
        ("UNKNOWN", "whether the base moved is not known"),
    ],
)
def test_base_says_whether_it_moved(state: str, said: str) -> None:
    base = Base("a" * 40, "main", "b" * 40, state)  # type: ignore[arg-type]  # each in turn
    assert said in claims.base_text(base)
    assert "Base: not recorded" in claims.base_text(Base(None, None, None, "NOT_TRACKED"))


def apart(slot: int, distance: str | None) -> Observation:
    known = None if distance is None else Interval(distance, distance, False, False)
    pair = PairTally(own=known, against=f"A/C2/{slot}", other=None)
    return Observation(f"B/C2/{slot}", None, None, known, "exact", told=Told(pair=pair))


def test_parity_shows_the_pairs_that_lie_farthest_apart_and_how_many_more_there_are() -> None:
    units = [apart(1, "0"), apart(2, "3"), apart(3, None), apart(4, "2"), unit("1", "1")]
    parity = judgement(kind="parity", observations=units)
    said = counted._told(parity)
    assert said is not None
    assert [part.partition(":")[0] for part in said.split("; ")] == [
        "B/C2/3",
        "B/C2/2",
        "B/C2/4",
        "1 more below",
    ]
    assert counted._told(judgement(kind="canary", observations=[unit("1", "1")])) is None


def test_reviews_of_a_gate_are_named_before_all_that_there_are() -> None:
    said = [ReviewTally(entry=1, person="rita", outcome="accepted", suspect=False)]
    facts, study = SimpleNamespace(document=SimpleNamespace(reviews=[])), None
    gate = judgement(kind="review", reviews=said)
    text = counted.counted_text(facts, study, gate)  # type: ignore[arg-type]  # only reviews are read
    assert text == "rita accepts; reviews of this head: none"
