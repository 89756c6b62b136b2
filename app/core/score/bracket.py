# SPDX-License-Identifier: Apache-2.0
"""A candidate between a control and its return: PASS and FAIL need both (SCORING.md B6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.protocol.contrast import Contrast
from app.core.protocol.margin import least_rank_sum_p
from app.core.reason import Reason
from app.core.score.decide_test import Findings, decide_sample
from app.core.score.drift import Drift, DriftState, certify, drift_of
from app.core.score.hodges_lehmann import Shift, shift_of
from app.core.score.interval import Interval
from app.core.score.rank_sum import PairTest, rank_sum
from app.core.score.sample import Sample, first_ignorance
from app.core.score.state import State

_WORDS: Final = {
    "non_inferiority": (
        Reason.NON_INFERIOR_TO_BOTH_CONTROLS,
        Reason.WORSE_THAN_BOTH_CONTROLS,
    ),
    "superiority": (Reason.SUPERIOR_TO_BOTH_CONTROLS, Reason.WORSE_THAN_BOTH_CONTROLS),
    "equivalence": (Reason.EQUIVALENT_TO_BOTH_CONTROLS, Reason.DIFFERENT_FROM_BOTH_CONTROLS),
}
_CAPS: Final = {
    DriftState.DRIFTED: (Reason.CONTROL_DRIFT,),
    DriftState.POSSIBLY_DRIFTED: (Reason.CONTROL_DRIFT_POSSIBLE,),
}


@dataclass(frozen=True, slots=True)
class AgainstControl:
    """The candidate against one control.

    Attributes:
        shift: how much worse it is; None where there is no such number.
        least_p: the smallest p that the planned units allow.
    """

    test: PairTest
    shift: Shift | None
    least_p: Fraction


@dataclass(frozen=True, slots=True)
class BracketJudged:
    """What a bracket says.

    Attributes:
        least_p: the smallest p that the planned units allow.
        first: against the control; None: it was never planned or captured.
        back: against its return.
        drift: between the two; None where one is not there.
        certified: the controls certify each other at the gate's own margin.
    """

    state: State
    reason: Reason
    p_pass: Fraction
    p_fail: Fraction
    least_p: Fraction
    first: AgainstControl | None
    back: AgainstControl | None
    drift: Drift | None
    certified: bool


def judge_bracket(
    contrast: Contrast,
    candidate: Sample,
    controls: tuple[Sample | None, Sample | None],
    *,
    caps: Sequence[Reason] = (),
) -> BracketJudged:
    """Return what the contrast says of the candidate.

    Args:
        contrast: the comparison as locked, its alpha the one that this attempt may spend.
        candidate: its planned units.
        controls: the control and its return; None: never planned or captured.
        caps: reasons of the study for which no PASS is given.
    """
    first, back = (
        None if each is None else _against(contrast, candidate, each) for each in controls
    )
    drift, certified = _controls(contrast, controls)
    held, violated = _WORDS[contrast.claim]
    capped = _CAPS.get(drift.state, ()) if drift is not None and contrast.cap_drift else ()
    tests = [each for each in (first, back) if each is not None]
    complete = len(tests) == len(controls)
    found = Findings(
        alpha=contrast.alpha,
        p_pass=max(each.test.p_pass for each in tests) if complete else Fraction(1),
        p_fail=max(each.test.p_fail for each in tests) if complete else Fraction(1),
        least_p=max((each.least_p for each in tests), default=Fraction(1)),
        held=held,
        violated=violated,
        has_enough=all(
            each is not None and each.has(contrast.required_n) for each in (candidate, *controls)
        ),
        caps=(*capped, *caps),
        missing=_missing(controls),
        masked=_is_masked(contrast, candidate, controls),
        ignorance=_ignorance(contrast, candidate, controls),
        spread=not certified,
    )
    state, reason = decide_sample(found, candidate)
    return BracketJudged(
        state,
        reason,
        found.p_pass,
        found.p_fail,
        found.least_p,
        first,
        back,
        drift,
        certified,
    )


def _against(contrast: Contrast, candidate: Sample, control: Sample) -> AgainstControl:
    passing = pair_test(contrast, candidate.cautious, control.cautious)
    failing = pair_test(contrast, candidate.trusting, control.trusting)
    test = PairTest(
        passing.favourable, failing.unfavourable, passing.pairs, passing.p_pass, failing.p_fail
    )
    shift = shift_of(candidate.cautious, control.cautious, contrast.margin, contrast.alpha)
    return AgainstControl(test, shift, least_rank_sum_p(len(candidate.units), len(control.units)))


def pair_test(
    contrast: Contrast, candidate: Sequence[Interval], control: Sequence[Interval]
) -> PairTest:
    """Return the rank-sum test of the contrast; of an equivalence, the worse of its two sides.

    Whichever side a difference is on is not known before, so for FAIL each has half of alpha.
    """
    if contrast.claim != "equivalence":
        return rank_sum(candidate, control, contrast.margin)
    distance = contrast.margin.unsigned()
    above, beneath = rank_sum(candidate, control, distance), rank_sum(control, candidate, distance)
    return PairTest(
        min(above.favourable, beneath.favourable),
        max(above.unfavourable, beneath.unfavourable),
        above.pairs,
        max(above.p_pass, beneath.p_pass),
        min(2 * above.p_fail, 2 * beneath.p_fail, Fraction(1)),
    )


def _controls(
    contrast: Contrast, controls: tuple[Sample | None, Sample | None]
) -> tuple[Drift | None, bool]:
    control, back = controls
    if control is None or back is None:
        return None, False
    pair, alpha = (control.cautious, back.cautious), contrast.alpha
    drift = drift_of(*pair, margin=contrast.drift, alpha=alpha)
    return drift, certify(*pair, margin=contrast.margin, alpha=alpha)


def _missing(controls: tuple[Sample | None, Sample | None]) -> Reason | None:
    names = (Reason.CONTROL_MISSING, Reason.RETURN_CONTROL_MISSING)
    pairs = zip(controls, names, strict=True)
    return next((name for each, name in pairs if each is None or not each.is_measured), None)


def _is_masked(
    contrast: Contrast, candidate: Sample, controls: tuple[Sample | None, Sample | None]
) -> bool:
    """Return whether what was measured alone would FAIL, against every control there is."""
    there = [each.alone for each in controls if each is not None and each.is_measured]
    tests = [pair_test(contrast, candidate.alone, each) for each in there]
    return bool(tests) and all(each.p_fail <= contrast.alpha for each in tests)


def _ignorance(
    contrast: Contrast, candidate: Sample, controls: tuple[Sample | None, Sample | None]
) -> Reason | None:
    arms = [candidate, *(each for each in controls if each is not None)]
    lower_is_better = contrast.margin.worse == "higher"

    def decides(intervals: Sequence[Interval]) -> bool:
        rest, views = list(intervals), []
        for arm in arms:
            views.append(rest[: len(arm.units)])
            del rest[: len(arm.units)]
        tests = [pair_test(contrast, views[0], each) for each in views[1:]]
        p_pass = max((each.p_pass for each in tests), default=Fraction(1))
        p_fail = max((each.p_fail for each in tests), default=Fraction(1))
        return min(p_pass, p_fail) <= contrast.alpha

    return first_ignorance(
        [unit for arm in arms for unit in arm.units],
        [interval for arm in arms for interval in arm.cautious],
        low_is_good=[
            lower_is_better is (arm is candidate) for arm in arms for _ in range(len(arm.units))
        ],
        decides=decides,
    )
