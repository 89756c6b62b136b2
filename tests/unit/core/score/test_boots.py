# SPDX-License-Identifier: Apache-2.0
"""Slots of one boot as one unit: who is folded, and what the fold knows."""

from dataclasses import replace
from fractions import Fraction
from typing import cast

import pytest

from app.core.protocol.gate import Domain, MetricGate, parse_gates
from app.core.reason import Reason
from app.core.score.boots import folded, groups_of
from app.core.score.interval import INFINITY, Interval, finite, point
from app.core.score.number import chance_text
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    absent,
    between,
    conflicting,
    exact,
)
from app.core.score.sample import Sample
from app.core.statement.gate_record import Operator
from tests.claims import compared, drift
from tests.judged import judged
from tests.scores import protocol

MEDIAN = cast(
    "MetricGate", parse_gates(protocol(compared(slot_summary="median"), repetitions=6))[0]
)
GONE, LEFT = absent(Absence.NOT_STARTED), absent(Absence.ABANDONED, Reason.ABANDONED)


def unit(*units: Observed, gate: MetricGate = MEDIAN) -> Observed:
    sample = Sample(units, Domain(Fraction(0), None))
    return folded(sample, [range(len(units))], gate).units[0]


def test_slots_that_share_no_boot_stand_alone() -> None:
    assert groups_of([("a", "b", None)]) == ((0,), (1,), (2,))
    assert groups_of([("a", "b", "a"), (None, None, None)]) == ((0, 2), (1,))
    assert groups_of([(None,) * 5], 2) == ((0, 1), (2, 3), (4,))
    assert groups_of([("a", "b", "c"), ("x", "y", "y")]) == ((0,), (1, 2))


def test_one_slot_is_its_own_unit_as_it_is() -> None:
    assert unit(exact(3, 1)) == exact(3, 1)
    assert unit(LEFT) == LEFT


def test_even_number_of_waves_has_the_worse_middle() -> None:
    assert unit(exact(1), exact(2)) == exact(2)
    assert unit(exact(1), exact(2), exact(9)) == exact(2)


@pytest.mark.parametrize(("op", "middle"), [("<", 2), ("<=", 2), ("==", 2), (">", 1), (">=", 1)])
def test_worse_middle_is_by_what_is_demanded(op: Operator, middle: int) -> None:
    demanded = replace(MEDIAN, demand=replace(MEDIAN.demand, op=op))
    assert unit(exact(1), exact(2), gate=demanded) == exact(middle)


def test_rank_of_the_waves_is_the_one_that_the_gate_names() -> None:
    second = replace(MEDIAN, slot_summary="kth", slot_k=2)
    assert unit(exact(1), exact(2), exact(9), gate=second) == exact(2)


def test_basis_of_a_boot_is_the_least_known_of_its_waves() -> None:
    bounded = between(finite(1), finite(2))
    assert unit(bounded, above(5)).basis is Basis.CENSORED
    assert unit(exact(1), bounded).basis is Basis.BOUNDED
    assert unit(exact(1), above(5), GONE).basis is Basis.UNKNOWN


def test_wave_that_is_missing_leaves_the_unit_open() -> None:
    got = unit(exact(1), GONE)
    assert got.interval == Interval(finite(1), INFINITY, hi_open=True)
    assert (got.basis, got.absence) == (Basis.UNKNOWN, None)


def test_boot_of_which_nothing_was_measured_is_absent_and_an_attempt_if_one_was() -> None:
    assert unit(GONE, GONE) == GONE
    assert unit(GONE, LEFT) == LEFT
    assert unit(LEFT, GONE) == LEFT


def test_contradiction_in_one_wave_is_one_of_the_boot() -> None:
    twice = conflicting([exact(4), exact(6)])
    for got in (unit(twice, exact(5)), unit(exact(5), twice), unit(twice, twice)):
        assert got.absence is Absence.CONFLICT
        assert got.basis is Basis.UNKNOWN
    assert unit(twice, exact(5)).interval == Interval(point(5).lo, point(6).hi)
    assert unit(twice, GONE).absence is Absence.CONFLICT


def test_boot_of_one_control_folds_no_slots_of_its_return() -> None:
    apart = judged(drift(), name="drift-a2").inference
    assert apart.p_pass == chance_text(Fraction(1, 924))
    together = judged(drift(slot_summary="max"), name="drift-a2", boots={"A1": "one", "A2": "one"})
    assert together.inference.p_pass == chance_text(Fraction(1, 462))
