# SPDX-License-Identifier: Apache-2.0
"""The record of a test in a judgement: every number that a reviewer needs to do it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from msgspec.structs import replace

from app.core.identity import ArmId
from app.core.protocol.contrast import Contrast
from app.core.protocol.margin import Margin
from app.core.score.blocks import BlocksJudged
from app.core.score.bracket import AgainstControl, BracketJudged
from app.core.score.drift import Drift
from app.core.score.flip_bounds import limit_of
from app.core.score.interval import finite
from app.core.score.number import bounds_shape, chance_text, interval_shape, number_text
from app.core.score.observed import Observed
from app.core.score.sample import Sample
from app.core.score.share import ShareClaim, ShareJudged
from app.core.score.sign_flip import FlipTest
from app.core.statement.judgement import (
    AgainstArm,
    DriftOf,
    Inference,
    MarginOf,
    SampleOf,
    ShareOf,
    SubsetCount,
)

Design = Literal["signflip_blocks", "exact_ranksum", "binomial"]


@dataclass(frozen=True, slots=True)
class Spent:
    """What a test was allowed to spend.

    Attributes:
        alpha: of this attempt.
        attempt: its number on this head, from 1.
    """

    alpha: Fraction
    attempt: int


def blocks_record(judged: BlocksJudged, contrast: Contrast, attempt: int) -> Inference:
    """Return the record of blocks, ``contrast`` being that of the attempt."""
    least_p = judged.tests[0].least_p
    chances = (judged.p_pass, judged.p_fail, least_p, len(judged.tests) * least_p)
    return replace(
        _blank("signflip_blocks", Spent(contrast.alpha, attempt), chances),
        subsets=[_subsets(each) for each in judged.tests],
        differences=[interval_shape(each) for each in judged.differences],
        baseline=_subsets(judged.baseline),
        margin=_contrast_margin(contrast),
        undecided=[None if each is None else bounds_shape(each) for each in judged.undecided],
    )


def bracket_record(
    judged: BracketJudged, arms: Sequence[ArmId], contrast: Contrast, attempt: int
) -> Inference:
    """Return the record of a bracket against ``arms``."""
    sides = zip(arms, (judged.first, judged.back), strict=True)
    ways = 2 if contrast.claim == "equivalence" else 1
    chances = (judged.p_pass, judged.p_fail, judged.least_p, ways * judged.least_p)
    return replace(
        _blank("exact_ranksum", Spent(contrast.alpha, attempt), chances),
        against=[_against(arm, side) for arm, side in sides if side is not None],
        margin=_contrast_margin(contrast, drift=contrast.drift.value),
        drift=None if judged.drift is None else _drift(judged.drift, certified=judged.certified),
    )


def share_record(judged: ShareJudged, claim: ShareClaim, attempt: int) -> Inference:
    """Return the record of a quantile or a proportion."""
    share, n = claim.share, judged.n
    chances = (judged.p_pass, judged.p_fail, share**n, (1 - share) ** n)
    return replace(
        _blank("binomial", Spent(claim.alpha, attempt), chances),
        share=ShareOf(
            claimed=number_text(finite(share)),
            n=n,
            least_good=judged.least_good,
            most_good=judged.most_good,
            least_n=judged.least_n,
            bound=number_text(finite(judged.bound)),
        ),
    )


def drift_record(drift: Drift, margin: Margin, spent: Spent, *, least_p: Fraction) -> Inference:
    """Return the record of a gate about drift, which has no FAIL.

    Args:
        drift: how the controls stand to each other.
        margin: how far they may lie apart.
        spent: of this attempt.
        least_p: of two arms of so many units that lie wholly apart.
    """
    chances = (drift.p, Fraction(1), least_p, Fraction(1))
    return replace(
        _blank("exact_ranksum", spent, chances),
        margin=_margin(margin.unsigned()),
        drift=_drift(drift, certified=None),
    )


def with_samples(
    record: Inference, arms: Sequence[ArmId], units: Sequence[Observed], samples: Sequence[Sample]
) -> Inference:
    """Return the record, with each arm's units where its observations alone do not say them.

    Args:
        record: of a test.
        arms: whose samples they are, in order.
        units: the observations of all arms.
        samples: what the test read.
    """
    read = [each for sample in samples for each in sample.cautious]
    if read == [each.interval for each in units]:
        return record
    said = [_sample(arm, sample) for arm, sample in zip(arms, samples, strict=True)]
    return replace(record, samples=said)


def _sample(arm: ArmId, sample: Sample) -> SampleOf:
    return SampleOf(
        arm=arm,
        for_pass=[interval_shape(each) for each in sample.cautious],
        for_fail=[interval_shape(each) for each in sample.trusting],
    )


def _contrast_margin(contrast: Contrast, *, drift: Fraction | None = None) -> MarginOf:
    both = contrast.claim == "equivalence"
    said = _margin(contrast.margin.unsigned() if both else contrast.margin)
    return replace(
        said,
        worse=contrast.margin.worse,
        value=number_text(finite(contrast.margin.value)),
        drift=None if drift is None else number_text(finite(drift)),
    )


def _margin(margin: Margin) -> MarginOf:
    return MarginOf(
        scale=margin.scale,
        worse=margin.worse,
        value=number_text(finite(margin.value)),
        limit=number_text(limit_of(margin)),
        drift=None,
    )


def _blank(
    design: Design, spent: Spent, chances: tuple[Fraction, Fraction, Fraction, Fraction]
) -> Inference:
    p_pass, p_fail, least_p, least_p_fail = chances
    return Inference(
        design=design,
        alpha=chance_text(spent.alpha),
        attempt=spent.attempt,
        p_pass=chance_text(p_pass),
        p_fail=chance_text(p_fail),
        least_p=chance_text(least_p),
        least_p_fail=chance_text(min(least_p_fail, Fraction(1))),
        adjusted_p_pass=None,
        adjusted_p_fail=None,
        against=[],
        subsets=[],
        differences=[],
        baseline=None,
        margin=None,
        undecided=[],
        samples=[],
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
