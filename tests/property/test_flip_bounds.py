# SPDX-License-Identifier: Apache-2.0
"""The bounds of blocks lie beyond a margin exactly where the test does not decide it."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.score.blocks import BlocksJudged, judge_blocks
from app.core.score.flip_bounds import limit_of
from app.core.score.interval import INFINITY, End, Interval, finite, point
from app.core.score.observed import Absence, Basis, Observed, absent, conflicting
from app.core.score.sample import Sample

DOMAIN = Domain(Fraction(0), None)
ALPHAS = (Fraction(1, 20), Fraction(1, 16), Fraction(1, 8), Fraction(1, 4), Fraction(3, 8))
BLOCKS = 6

ends = st.integers(0, 6).map(lambda n: Fraction(n, 2))
points = st.integers(1, 12).map(lambda n: Observed(point(Fraction(n, 2)), Basis.EXACT))


@st.composite
def intervals(draw: st.DrawFn) -> Interval:
    lo = draw(ends)
    match draw(st.sampled_from(("closed", "open", "unbounded", "censored", "never"))):
        case "closed":
            return Interval(finite(lo), finite(lo + draw(ends)))
        case "open":
            return Interval(finite(lo), finite(lo + 1), lo_open=True, hi_open=True)
        case "unbounded":
            return Interval(finite(lo), INFINITY, hi_open=True)
        case "censored":
            return Interval(finite(lo), INFINITY, lo_open=True, hi_open=True)
        case _:
            return Interval(INFINITY, INFINITY)


@st.composite
def odd_units(draw: st.DrawFn) -> Observed:
    match draw(st.sampled_from(("seen", "seen", "missing", "conflict"))):
        case "missing":
            return absent(Absence.NOT_STARTED)
        case "conflict":
            return conflicting(Observed(draw(intervals()), Basis.EXACT) for _ in range(2))
        case _:
            return Observed(draw(intervals()), Basis.EXACT)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Return an arm of which at most two units are no exact values."""
    units = draw(st.lists(points, min_size=BLOCKS, max_size=BLOCKS))
    for place in draw(st.sets(st.integers(0, BLOCKS - 1), max_size=2)):
        units[place] = draw(odd_units())
    return Sample(tuple(units), DOMAIN)


@st.composite
def contrasts(draw: st.DrawFn) -> Contrast:
    claim: Claim = draw(st.sampled_from(("non_inferiority", "superiority", "equivalence")))
    size = Fraction(draw(st.integers(1, 11)), 12)
    margin = Margin(
        -size if claim == "superiority" else size,
        draw(st.sampled_from(("ratio", "abs"))),
        draw(st.sampled_from(("higher", "lower"))),
    )
    return Contrast(claim, margin, draw(st.sampled_from(ALPHAS)))


@settings(max_examples=40)
@given(contrast=contrasts(), candidate=samples(), control=samples())
def test_bounds_lie_beyond_a_margin_exactly_where_the_test_is_undecided(
    contrast: Contrast, candidate: Sample, control: Sample
) -> None:
    agree(contrast, judge_blocks(contrast, candidate, control))


@settings(max_examples=20)
@given(contrast=contrasts(), candidate=samples(), control=samples())
def test_a_margin_at_a_bound_itself_is_decided_only_where_the_end_is_open(
    contrast: Contrast, candidate: Sample, control: Sample
) -> None:
    judged = judge_blocks(contrast, candidate, control)
    for bounds in judged.undecided:
        for end in [] if bounds is None else [bounds.lo, bounds.hi]:
            at = margin_at(contrast, end)
            if at is not None:
                moved = Contrast(contrast.claim, at, contrast.alpha)
                agree(moved, judge_blocks(moved, candidate, control))


def agree(contrast: Contrast, judged: BlocksJudged) -> None:
    of = contrast.margin.unsigned() if contrast.claim == "equivalence" else contrast.margin
    limit, known = (limit_of(of), 0), [each for each in judged.undecided if each is not None]
    if len(known) == len(judged.undecided):
        passes = all(each.high_key < limit for each in known)
        fails = any(limit < each.low_key for each in known)
        assert passes is (judged.p_pass <= contrast.alpha)
        assert fails is (judged.p_fail <= contrast.alpha)


def margin_at(contrast: Contrast, shift: End) -> Margin | None:
    """Return the margin whose limit is just this shift; None: no margin's is."""
    margin, value = contrast.margin, shift.value
    if shift.rank or (contrast.claim == "equivalence" and value < 1):
        return None
    if margin.scale == "abs":
        return margin.at(value)
    if margin.worse == "higher" or contrast.claim == "equivalence":
        return margin.at(value - 1)
    return margin.at(1 - 1 / value) if value else None
