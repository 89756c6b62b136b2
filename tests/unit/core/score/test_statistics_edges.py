# SPDX-License-Identifier: Apache-2.0
"""Edges of the tests with a p-value: open ends, infinities, ties, nothing at all."""

from fractions import Fraction

import pytest

from app.core.protocol.contrast import Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.reason import Reason
from app.core.score.assay import with_assay
from app.core.score.blocks import judge_blocks, judge_differences
from app.core.score.bracket import judge_bracket
from app.core.score.hodges_lehmann import shift_of
from app.core.score.holm import holm, rejected
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, Interval, finite, point
from app.core.score.margins import below, disfavours, favours, quotient, threshold
from app.core.score.number import chance_text
from app.core.score.observed import Absence, Observed, absent, conflicting, exact, never, unknown
from app.core.score.sample import Sample
from app.core.score.sample_size import units_needed
from app.core.score.share import ShareClaim, judge_counts, judge_exceedances, judge_share
from app.core.score.sign_flip import sign_flip
from app.core.score.state import State

FROM_ZERO = Domain(Fraction(0), None)
TENTH = Margin(Fraction(1, 10), "ratio", "higher")
LOWER = Margin(Fraction(1, 10), "ratio", "lower")
ALPHA = Fraction(1, 20)
AT_LEAST_21 = Interval(finite(21), INFINITY, lo_open=True, hi_open=True)
FOREVER = Interval(INFINITY, INFINITY)


def sample(*units: Observed) -> Sample:
    return Sample(units, FROM_ZERO)


def values(*numbers: int) -> Sample:
    return sample(*(exact(each) for each in numbers))


def test_margin_moves_a_control_by_share_or_distance_either_way() -> None:
    ten = point(10)
    assert threshold(ten, TENTH) == point(11)
    assert threshold(ten, LOWER) == point(9)
    assert threshold(ten, Margin(Fraction(2), "abs", "higher")) == point(12)
    assert threshold(ten, Margin(Fraction(2), "abs", "lower")) == point(8)
    assert threshold(ten, Margin(Fraction(2), "ratio", "lower")) == point(0)
    assert threshold(FOREVER, Margin(Fraction(2), "abs", "higher")) == FOREVER


def test_equal_to_the_margin_counts_for_neither_side() -> None:
    three, limit = point(3), point(Fraction(33, 10))
    assert not favours(limit, threshold(three, TENTH), TENTH)
    assert not disfavours(limit, threshold(three, TENTH), TENTH)
    assert favours(point(Fraction(27, 10)), threshold(three, TENTH), TENTH)
    assert disfavours(point(4), threshold(three, TENTH), TENTH)
    assert favours(point(3), threshold(three, LOWER), LOWER)
    assert disfavours(point(2), threshold(three, LOWER), LOWER)
    assert not favours(point(Fraction(27, 10)), threshold(three, LOWER), LOWER)
    assert not disfavours(point(Fraction(27, 10)), threshold(three, LOWER), LOWER)


def test_open_end_at_the_margin_decides() -> None:
    above = Interval(finite(10), INFINITY, lo_open=True, hi_open=True)
    assert favours(point(11), threshold(above, TENTH), TENTH)
    assert not favours(point(11), threshold(Interval(finite(10), INFINITY), TENTH), TENTH)


def test_what_may_take_for_ever_is_below_nothing() -> None:
    assert not below(AT_LEAST_21, FOREVER)
    assert below(point(1), FOREVER)
    assert not below(FOREVER, FOREVER)


def test_missing_candidate_beside_a_control_that_failed_is_no_pass() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    failed = sample(*(never() for _ in range(5)))
    gone = sample(*(absent(Absence.CAPTURE_MISSING) for _ in range(5)))
    got = judge_bracket(contrast, gone, (failed, failed))
    assert got.state is State.NOT_RUN
    assert got.p_pass == 1
    assert judge_blocks(contrast, gone, failed).p_pass == 1


def test_ratio_of_intervals_takes_in_every_completion() -> None:
    assert quotient(point(6), point(3)) == point(2)
    assert quotient(point(6), FOREVER) == point(0)
    assert quotient(FOREVER, point(3)) == FOREVER
    assert quotient(FOREVER, FOREVER) == Interval(finite(0), INFINITY)
    assert quotient(point(6), point(0)) == FOREVER
    assert quotient(point(6), Interval(finite(0), finite(2))) == Interval(finite(3), INFINITY)


def test_shift_has_no_number_without_pairs_or_over_a_control_of_zero() -> None:
    assert shift_of([], [point(1)], TENTH, ALPHA) is None
    assert shift_of([point(1)], [], TENTH, ALPHA) is None
    assert shift_of([point(1)], [point(0)], TENTH, ALPHA) is None
    one = shift_of([point(12)], [point(10)], TENTH, ALPHA)
    assert one is not None
    assert (one.middle, one.lower, one.upper) == (point(Fraction(6, 5)), None, None)


def test_shift_by_distance_is_oriented_to_worse() -> None:
    fast, slow = [point(each) for each in (1, 2, 3)], [point(each) for each in (11, 12, 13)]
    higher = shift_of(slow, fast, Margin(Fraction(1), "abs", "higher"), ALPHA)
    lower = shift_of(fast, slow, Margin(Fraction(1), "abs", "lower"), ALPHA)
    assert higher == lower
    assert higher is not None
    assert (higher.middle, higher.lower, higher.upper) == (point(10), finite(8), finite(12))


def test_even_number_of_pairs_has_the_worse_middle() -> None:
    got = shift_of([point(1), point(2)], [point(1)], Margin(Fraction(1), "abs", "higher"), ALPHA)
    assert got is not None
    assert got.middle == point(1)


@pytest.mark.parametrize(
    ("differences", "not_below", "not_above"),
    [
        ([], 1, 1),
        ([point(0)], 2, 2),
        ([Interval(finite(-1), finite(0), hi_open=True)], 1, 2),
        ([Interval(finite(0), finite(1), lo_open=True)], 2, 1),
        ([Interval(INFINITY, INFINITY), point(-5)], 3, 2),
        ([Interval(NEGATIVE_INFINITY, NEGATIVE_INFINITY), point(5)], 2, 3),
        ([Interval(NEGATIVE_INFINITY, INFINITY)], 2, 2),
        ([point(2**60), point(-(2**60) - 1)], 2, 3),
    ],
)
def test_subsets_are_counted_at_their_ends(
    differences: list[Interval], not_below: int, not_above: int
) -> None:
    got = sign_flip(differences)
    assert (got.not_below, got.not_above) == (not_below, not_above)


def test_differences_alone_are_judged_without_a_baseline() -> None:
    got = judge_differences([point(-1)] * 5, alpha=ALPHA)
    assert (got.state, got.reason) == (State.PASS, Reason.NON_INFERIOR_IN_BLOCKS)
    assert got.baseline.subsets == 1


def test_controls_that_spread_say_so() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    wild = values(10, 20, 10, 20, 10, 20)
    got = judge_blocks(contrast, values(15, 15, 15, 15, 15, 15), wild)
    assert (got.state, got.reason) == (State.INCONCLUSIVE, Reason.BASELINE_SPREAD)


def test_conflicting_receipts_fail_by_their_hull_and_pass_by_nothing() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    control = values(10, 10, 10, 10, 10, 10)
    slow = sample(*(conflicting([exact(20), exact(30)]) for _ in range(6)))
    fast = sample(*(conflicting([exact(1), exact(2)]) for _ in range(6)))
    assert judge_blocks(contrast, slow, control).state is State.FAIL
    got = judge_blocks(contrast, fast, control)
    assert (got.state, got.reason) == (State.INVALID, Reason.CONFLICTING_RECEIPTS)
    some = sample(*slow.units[:1], *(exact(1) for _ in range(5)))
    assert judge_blocks(contrast, some, control).state is State.INCONCLUSIVE


def test_bracket_without_any_control_is_undecided() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    got = judge_bracket(contrast, sample(unknown(), exact(1)), (None, None))
    assert (got.state, got.reason) == (State.INCONCLUSIVE, Reason.CONTROL_MISSING)
    assert {got.p_pass, got.p_fail, got.least_p} == {1}
    assert got.drift is None


def test_kinds_of_ignorance_come_in_their_order() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    control = values(10, 10, 10, 10, 10)
    two = sample(exact(9), exact(9), exact(9), absent(Absence.NOT_STARTED), exact(11, 2))
    got = judge_blocks(contrast, two, control)
    assert (got.state, got.reason) == (State.INCONCLUSIVE, Reason.MISSING_UNDECIDED)
    near = sample(exact(9), exact(9), exact(9), exact(9), exact(11, 2))
    assert judge_blocks(contrast, near, control).reason is Reason.RESOLUTION_UNDECIDED


def test_shares_of_counts() -> None:
    claim = ShareClaim(Fraction(9, 10), ALPHA, "<=", Fraction(10))
    assert judge_exceedances(claim, n=29, above=0).state is State.PASS
    assert judge_counts(claim, n=29, good=20).state is State.FAIL
    none = judge_share(claim, sample())
    assert none.state is State.NOT_RUN
    assert none.bound == 0


def test_units_needed_are_the_least() -> None:
    assert units_needed(Fraction(9, 10), exceedances=1, confidence=Fraction(99, 100)) == 64


def test_holm_keeps_the_order_it_was_given() -> None:
    adjusted = holm([Fraction(1, 25), Fraction(1, 100), Fraction(1)])
    assert adjusted == (Fraction(2, 25), Fraction(3, 100), Fraction(1))
    assert rejected(adjusted, ALPHA) == (False, True, False)
    assert holm([]) == ()


@pytest.mark.parametrize(
    ("candidate", "shown", "expected"),
    [
        (State.PASS, State.FAIL, State.PASS),
        (State.PASS, State.INVALID, State.INCONCLUSIVE),
        (State.FAIL, State.PASS, State.FAIL),
        (State.NOT_RUN, State.PASS, State.NOT_RUN),
    ],
)
def test_only_a_pass_needs_an_assay(candidate: State, shown: State, expected: State) -> None:
    assert with_assay(candidate, expected=State.FAIL, shown=shown)[0] is expected


def test_chances_too_long_for_a_fraction_are_rounded_up() -> None:
    assert chance_text(Fraction(1, 252)) == "1/252"
    assert chance_text(Fraction(1, 10**41 + 1)) == "0." + "0" * 29 + "1"
    assert chance_text(Fraction(1, 3**90)).endswith("1")
