# SPDX-License-Identifier: Apache-2.0
"""The order of deciding where there are p-values: every reason, and none before its turn."""

from dataclasses import replace
from fractions import Fraction

import pytest

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.decide_test import Findings, decide_sample, decide_test
from app.core.score.observed import Absence, Observed, absent, exact
from app.core.score.sample import Sample
from app.core.score.state import State

ALPHA = Fraction(1, 20)
ABOVE = ALPHA + Fraction(1, 1000)
FOUND = Findings(
    ALPHA,
    ABOVE,
    ABOVE,
    ALPHA,
    Reason.NON_INFERIOR_IN_BLOCKS,
    Reason.WORSE_IN_BLOCKS,
    has_enough=True,
)
FAILS = replace(FOUND, p_fail=ALPHA)
PASSES = replace(FOUND, p_pass=ALPHA)
NOTHING = (State.INVALID, Reason.CONFLICTING_RECEIPTS)


def said(units: tuple[Observed, ...], found: Findings) -> tuple[State, Reason]:
    return decide_sample(found, Sample(units, Domain(Fraction(0), None)))


@pytest.mark.parametrize(
    ("found", "says"),
    [
        (FAILS, (State.FAIL, Reason.WORSE_IN_BLOCKS)),
        (replace(FAILS, p_pass=ALPHA), (State.FAIL, Reason.WORSE_IN_BLOCKS)),
        (PASSES, (State.PASS, Reason.NON_INFERIOR_IN_BLOCKS)),
        (
            replace(PASSES, has_enough=False, caps=(Reason.DEVIATION,)),
            (State.INCONCLUSIVE, Reason.INSUFFICIENT_N),
        ),
        (
            replace(PASSES, caps=(Reason.DEVIATION, Reason.RETRY_SELECTION)),
            (State.INCONCLUSIVE, Reason.DEVIATION),
        ),
        (
            replace(
                FOUND,
                masked=True,
                missing=Reason.CONTROL_MISSING,
                least_p=ABOVE,
                ignorance=Reason.CENSORING_UNDECIDED,
                spread=True,
            ),
            (State.INCONCLUSIVE, Reason.FAIL_MASKED),
        ),
        (
            replace(
                FOUND,
                missing=Reason.CONTROL_MISSING,
                least_p=ABOVE,
                ignorance=Reason.CENSORING_UNDECIDED,
                spread=True,
            ),
            (State.INCONCLUSIVE, Reason.CONTROL_MISSING),
        ),
        (
            replace(FOUND, least_p=ABOVE, ignorance=Reason.CENSORING_UNDECIDED, spread=True),
            (State.INCONCLUSIVE, Reason.INSUFFICIENT_N),
        ),
        (
            replace(FOUND, ignorance=Reason.CENSORING_UNDECIDED, spread=True),
            (State.INCONCLUSIVE, Reason.CENSORING_UNDECIDED),
        ),
        (replace(FOUND, spread=True), (State.INCONCLUSIVE, Reason.BASELINE_SPREAD)),
        (FOUND, (State.INCONCLUSIVE, Reason.EFFECT_NEAR_MARGIN)),
    ],
)
def test_no_reason_comes_before_its_turn(found: Findings, says: tuple[State, Reason]) -> None:
    assert decide_test(found) == says
    assert said((exact(1),), found) == says


def test_conflicting_receipts_alone_establish_a_fail_at_alpha_and_nothing_else() -> None:
    conflict = absent(Absence.CONFLICT)
    assert said((conflict,), FAILS) == (State.FAIL, Reason.WORSE_IN_BLOCKS)
    assert said((conflict,), FOUND) == NOTHING
    assert said((conflict,), PASSES) == NOTHING


@pytest.mark.parametrize("absence", [each for each in Absence if each is not Absence.CONFLICT])
def test_units_of_which_nothing_was_measured_establish_no_fail(absence: Absence) -> None:
    assert said((absent(absence),), FAILS)[0] in (State.INVALID, State.NOT_RUN)
