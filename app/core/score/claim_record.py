# SPDX-License-Identifier: Apache-2.0
"""The record of a test in a judgement: every number that a reviewer needs to do it again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from msgspec.structs import replace

from app.core.identity import ArmId
from app.core.score.blocks import BlocksJudged
from app.core.score.bracket import AgainstControl, BracketJudged
from app.core.score.drift import Drift
from app.core.score.interval import finite
from app.core.score.number import chance_text, interval_shape, number_text
from app.core.score.share import ShareClaim, ShareJudged
from app.core.score.sign_flip import FlipTest
from app.core.statement.judgement import AgainstArm, DriftOf, Inference, ShareOf, SubsetCount

Design = Literal["signflip_blocks", "exact_ranksum", "binomial"]


def blocks_record(judged: BlocksJudged, alpha: Fraction, attempt: int) -> Inference:
    """Return the record of blocks."""
    chances = (judged.p_pass, judged.p_fail, judged.tests[0].least_p)
    return replace(
        _blank("signflip_blocks", alpha, attempt, chances),
        subsets=[_subsets(each) for each in judged.tests],
        differences=[interval_shape(each) for each in judged.differences],
        baseline=_subsets(judged.baseline),
    )


def bracket_record(
    judged: BracketJudged, arms: Sequence[ArmId], alpha: Fraction, attempt: int
) -> Inference:
    """Return the record of a bracket against ``arms``."""
    sides = zip(arms, (judged.first, judged.back), strict=True)
    chances = (judged.p_pass, judged.p_fail, judged.least_p)
    return replace(
        _blank("exact_ranksum", alpha, attempt, chances),
        against=[_against(arm, side) for arm, side in sides if side is not None],
        drift=None if judged.drift is None else _drift(judged.drift, certified=judged.certified),
    )


def share_record(judged: ShareJudged, claim: ShareClaim, attempt: int) -> Inference:
    """Return the record of a quantile or a proportion."""
    chances = (judged.p_pass, judged.p_fail, claim.share**judged.n)
    return replace(
        _blank("binomial", claim.alpha, attempt, chances),
        share=ShareOf(
            n=judged.n,
            least_good=judged.least_good,
            most_good=judged.most_good,
            least_n=judged.least_n,
            bound=number_text(finite(judged.bound)),
        ),
    )


def drift_record(drift: Drift, alpha: Fraction, attempt: int) -> Inference:
    """Return the record of a gate about drift, which has no FAIL."""
    chances = (drift.p, Fraction(1), Fraction(0))
    return replace(
        _blank("exact_ranksum", alpha, attempt, chances),
        drift=_drift(drift, certified=None),
    )


def _blank(
    design: Design, alpha: Fraction, attempt: int, chances: tuple[Fraction, Fraction, Fraction]
) -> Inference:
    p_pass, p_fail, least_p = chances
    return Inference(
        design=design,
        alpha=chance_text(alpha),
        attempt=attempt,
        p_pass=chance_text(p_pass),
        p_fail=chance_text(p_fail),
        least_p=chance_text(least_p),
        adjusted_p_pass=None,
        adjusted_p_fail=None,
        against=[],
        subsets=[],
        differences=[],
        baseline=None,
        drift=None,
        share=None,
    )


def _subsets(test: FlipTest) -> SubsetCount:
    return SubsetCount(not_below=test.not_below, not_above=test.not_above, subsets=test.subsets)


def _drift(drift: Drift, *, certified: bool | None) -> DriftOf:
    return DriftOf(
        state=drift.state.value,
        p_upper=chance_text(drift.p_upper),
        p_lower=chance_text(drift.p_lower),
        certified=certified,
    )


def _against(arm: ArmId, side: AgainstControl) -> AgainstArm:
    shift = side.shift
    return AgainstArm(
        arm=arm,
        favourable=side.test.favourable,
        unfavourable=side.test.unfavourable,
        pairs=side.test.pairs,
        p_pass=chance_text(side.test.p_pass),
        p_fail=chance_text(side.test.p_fail),
        shift=None if shift is None else interval_shape(shift.middle),
        lower=None if shift is None or shift.lower is None else number_text(shift.lower),
        upper=None if shift is None or shift.upper is None else number_text(shift.upper),
    )
