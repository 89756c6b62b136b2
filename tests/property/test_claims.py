# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a design is one of three makers of judges
"""The principles of SCORING.md B0 for gates with a p-value, for every input."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from app.core.protocol.contrast import Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.score.blocks import judge_blocks
from app.core.score.bracket import judge_bracket
from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import Absence, Observed, above, absent, between, exact, never
from app.core.score.sample import Sample
from app.core.score.share import ShareClaim, judge_share
from app.core.score.state import State

FROM_ZERO = Domain(Fraction(0), None)
N = 5
Arms = list[list[Observed]]
Judge = Callable[[Arms], State]

margins = st.builds(
    Margin,
    st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(-1, 10)]),
    st.sampled_from(["abs", "ratio"]),
    st.sampled_from(["higher", "lower"]),
)
contrasts = st.builds(
    Contrast,
    st.sampled_from(["non_inferiority", "superiority", "equivalence"]),
    margins,
    st.sampled_from([Fraction(1, 20), Fraction(1, 5)]),
    cap_drift=st.booleans(),
    required_n=st.none() | st.integers(1, N),
)
numbers = st.integers(4, 9).map(Fraction)


@st.composite
def observations(draw: st.DrawFn) -> Observed:
    low, wide = draw(numbers), draw(numbers)
    made = draw(st.sampled_from(("exact", "exact", "exact", "read", "above", "between", "never")))
    match made:
        case "exact":
            return exact(low)
        case "read":
            return exact(low, Fraction(1, 2))
        case "above":
            return above(low)
        case "between":
            return between(finite(low), finite(low + wide))
        case _:
            return never()


arms = st.lists(st.lists(observations(), min_size=N, max_size=N), min_size=3, max_size=3)


def sample(units: Sequence[Observed]) -> Sample:
    return Sample(tuple(units), FROM_ZERO)


def bracket(contrast: Contrast) -> Judge:
    def judge(given_arms: Arms) -> State:
        candidate, control, back = map(sample, given_arms)
        return judge_bracket(contrast, candidate, (control, back)).state

    return judge


def blocks(contrast: Contrast) -> Judge:
    return lambda each: judge_blocks(contrast, sample(each[0]), sample(each[1])).state


def share(contrast: Contrast) -> Judge:
    claim = ShareClaim(
        Fraction(1, 2), contrast.alpha, "<=", Fraction(6), required_n=contrast.required_n
    )
    return lambda each: judge_share(claim, sample(each[0])).state


JUDGES = pytest.mark.parametrize("design", [bracket, blocks, share])


def changed(before: Arms, arm: int, unit: int, to: Observed) -> Arms:
    after = [list(each) for each in before]
    after[arm][unit] = to
    return after


def widened(observed: Observed, by: Fraction) -> Observed:
    assert observed.interval is not None
    interval = observed.interval
    lo = interval.lo if interval.lo.rank else finite(interval.lo.value - by)
    hi = INFINITY if interval.hi.rank else finite(interval.hi.value + by)
    return structs.replace(observed, interval=Interval(lo, hi, interval.lo_open, interval.hi_open))


@JUDGES
@given(contrast=contrasts, before=arms, data=st.data())
def test_widening_moves_pass_and_fail_only_to_inconclusive(
    design: Any, contrast: Contrast, before: Arms, data: st.DataObject
) -> None:
    judge = design(contrast)
    arm, unit = data.draw(st.integers(0, 2)), data.draw(st.integers(0, N - 1))
    after = changed(before, arm, unit, widened(before[arm][unit], data.draw(numbers)))
    assert judge(after) in (judge(before), State.INCONCLUSIVE)


@JUDGES
@given(contrast=contrasts, before=arms, data=st.data())
def test_replacing_a_capture_by_missing_never_creates_a_pass(
    design: Any, contrast: Contrast, before: Arms, data: st.DataObject
) -> None:
    judge = design(contrast)
    arm, unit = data.draw(st.integers(0, 2)), data.draw(st.integers(0, N - 1))
    without = changed(before, arm, unit, absent(Absence.CAPTURE_MISSING))
    if judge(without) is State.PASS:
        assert judge(before) is State.PASS


@JUDGES
@given(contrast=contrasts, before=arms, data=st.data())
def test_order_of_slots_changes_nothing(
    design: Any, contrast: Contrast, before: Arms, data: st.DataObject
) -> None:
    judge = design(contrast)
    order = data.draw(st.permutations(range(N)))
    after = [[each[place] for place in order] for each in before]
    assert judge(after) is judge(before)


@JUDGES
@given(contrast=contrasts, size=st.integers(0, N))
def test_nothing_measured_is_not_run(design: Any, contrast: Contrast, size: int) -> None:
    gone = [[absent(Absence.NOT_STARTED)] * size for _ in range(3)]
    assert design(contrast)(gone) is State.NOT_RUN
