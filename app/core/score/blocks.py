# SPDX-License-Identifier: Apache-2.0
"""Blocks of one control and one candidate slot back to back: the default design (SCORING.md B6).

Every candidate lies between controls, so there is no return control and no drift cap.
Block i is repetition i of both arms. That its two slots run back to back, and in alternating order,
is what reservations are handed out by: admission's rule, not this file's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.protocol.contrast import Contrast
from app.core.reason import Reason
from app.core.score.decide_test import Findings, decide_sample, decide_test
from app.core.score.flip_bounds import Pairs, undecided_margins
from app.core.score.interval import Interval
from app.core.score.sample import Sample, first_ignorance
from app.core.score.sign_flip import FlipTest, block_difference, sign_flip
from app.core.score.state import State

_WORDS: Final = {
    "non_inferiority": (Reason.NON_INFERIOR_IN_BLOCKS, Reason.WORSE_IN_BLOCKS),
    "superiority": (Reason.SUPERIOR_IN_BLOCKS, Reason.WORSE_IN_BLOCKS),
    "equivalence": (Reason.EQUIVALENT_IN_BLOCKS, Reason.DIFFERENT_IN_BLOCKS),
}


@dataclass(frozen=True, slots=True)
class BlocksJudged:
    """What the blocks say.

    Attributes:
        tests: one for every side of the contrast: two of an equivalence.
        differences: of each block, how far beyond the margin it is, for the first side.
        baseline: the same test on each control and the next one.
        undecided: for every side the shifts at which neither PASS nor FAIL is established; None:
            no number.
    """

    state: State
    reason: Reason
    p_pass: Fraction
    p_fail: Fraction
    tests: tuple[FlipTest, ...]
    differences: tuple[Interval, ...]
    baseline: FlipTest
    undecided: tuple[Interval | None, ...] = ()


def judge_blocks(
    contrast: Contrast, candidate: Sample, control: Sample, *, caps: Sequence[Reason] = ()
) -> BlocksJudged:
    """Return what the contrast says of the candidate.

    Args:
        contrast: the comparison as locked, its alpha the one that this attempt may spend.
        candidate: its units in the order of the blocks.
        control: the control's, of the same blocks.
        caps: reasons of the study for which no PASS is given.
    """
    differences = _differences(contrast, candidate.cautious, control.cautious)
    cautious = [sign_flip(each) for each in differences]
    trusting = flip_tests(contrast, candidate.trusting, control.trusting)
    tests = tuple(
        FlipTest(one.not_below, other.not_above, one.subsets)
        for one, other in zip(cautious, trusting, strict=True)
    )
    baseline = _baseline(contrast, control.cautious)
    held, violated = _WORDS[contrast.claim]
    found = Findings(
        alpha=contrast.alpha,
        p_pass=p_pass_of(tests),
        p_fail=p_fail_of(tests),
        least_p=tests[0].least_p,
        held=held,
        violated=violated,
        has_enough=all(each.has(contrast.required_n) for each in (candidate, control)),
        caps=tuple(caps),
        missing=None if control.is_measured else Reason.CONTROL_MISSING,
        masked=_is_masked(contrast, candidate, control),
        ignorance=_ignorance(contrast, candidate, control),
        spread=baseline.p_pass > contrast.alpha,
    )
    state, reason = decide_sample(found, candidate)
    return BlocksJudged(
        state,
        reason,
        found.p_pass,
        found.p_fail,
        tests,
        differences[0],
        baseline,
        _undecided(contrast, candidate, control),
    )


def judge_differences(differences: Sequence[Interval], *, alpha: Fraction) -> BlocksJudged:
    """Return what differences say whose margin is taken off already.

    Their controls are not known, so the baseline's spread is no reason.
    """
    test = sign_flip(differences)
    held, violated = _WORDS["non_inferiority"]
    found = Findings(
        alpha=alpha,
        p_pass=test.p_pass,
        p_fail=test.p_fail,
        least_p=test.least_p,
        held=held,
        violated=violated,
        has_enough=True,
    )
    state, reason = decide_test(found)
    return BlocksJudged(
        state, reason, test.p_pass, test.p_fail, (test,), tuple(differences), sign_flip(())
    )


def flip_tests(
    contrast: Contrast, candidate: Sequence[Interval], control: Sequence[Interval]
) -> tuple[FlipTest, ...]:
    """Return the test of each side of the contrast."""
    return tuple(sign_flip(each) for each in _differences(contrast, candidate, control))


def p_pass_of(tests: Sequence[FlipTest]) -> Fraction:
    """Return the p of all sides together."""
    return max(each.p_pass for each in tests)


def p_fail_of(tests: Sequence[FlipTest]) -> Fraction:
    """Return the p of any side; which one is not known before, so each has its part of alpha."""
    return min(Fraction(1), *(len(tests) * each.p_fail for each in tests))


def _undecided(
    contrast: Contrast, candidate: Sample, control: Sample
) -> tuple[Interval | None, ...]:
    """Return what each side leaves undecided; for FAIL each has its part of alpha."""
    cautious = _sides(contrast, candidate.cautious, control.cautious)
    trusting = _sides(contrast, candidate.trusting, control.trusting)
    alphas = contrast.alpha, contrast.alpha / len(cautious)
    return tuple(
        undecided_margins(one, other, scale=contrast.margin.scale, alphas=alphas)
        for one, other in zip(cautious, trusting, strict=True)
    )


def _sides(
    contrast: Contrast, candidate: Sequence[Interval], control: Sequence[Interval]
) -> tuple[Pairs, ...]:
    """Return for each side what is worse when it is higher, and what it is held against."""
    forwards = tuple(zip(candidate, control, strict=True))
    backwards = tuple(zip(control, candidate, strict=True))
    if contrast.claim == "equivalence":
        return (forwards, backwards)
    return (forwards,) if contrast.margin.worse == "higher" else (backwards,)


def _differences(
    contrast: Contrast, candidate: Sequence[Interval], control: Sequence[Interval]
) -> tuple[tuple[Interval, ...], ...]:
    """Return for each side of the contrast how far beyond the margin each block is."""
    margin, sides = contrast.margin, [(candidate, control)]
    if contrast.claim == "equivalence":
        margin, sides = margin.unsigned(), [(candidate, control), (control, candidate)]
    return tuple(
        tuple(block_difference(one, other, margin) for one, other in zip(*side, strict=True))
        for side in sides
    )


def _baseline(contrast: Contrast, control: Sequence[Interval]) -> FlipTest:
    """Return the test of each control against the one of the next block, the last to the first."""
    distance = contrast.margin.at(abs(contrast.margin.value))
    nexts = (*control[1:], *control[:1])
    pairs = zip(nexts, control, strict=True)
    return sign_flip([block_difference(one, other, distance) for one, other in pairs])


def _is_masked(contrast: Contrast, candidate: Sample, control: Sample) -> bool:
    """Return whether the blocks of which both slots were measured would FAIL by themselves."""
    both = [
        index
        for index, (one, other) in enumerate(zip(candidate.units, control.units, strict=True))
        if one.is_measured and other.is_measured
    ]
    if len(both) == len(candidate.units):
        return False
    one, other = candidate.trusting, control.trusting
    tests = flip_tests(contrast, [one[each] for each in both], [other[each] for each in both])
    return p_fail_of(tests) <= contrast.alpha


def _ignorance(contrast: Contrast, candidate: Sample, control: Sample) -> Reason | None:
    n, lower_is_better = len(candidate.units), contrast.margin.worse == "higher"

    def decides(intervals: Sequence[Interval]) -> bool:
        tests = flip_tests(contrast, intervals[:n], intervals[n:])
        return min(p_pass_of(tests), p_fail_of(tests)) <= contrast.alpha

    return first_ignorance(
        (*candidate.units, *control.units),
        (*candidate.cautious, *control.cautious),
        low_is_good=(lower_is_better,) * n + (not lower_is_better,) * n,
        decides=decides,
    )
