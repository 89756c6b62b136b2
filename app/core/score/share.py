# SPDX-License-Identifier: Apache-2.0
"""Claims about a process from independent units: a quantile, a proportion (SCORING.md B7).

A unit is good, bad or open; open ones count against whatever is to be shown. No quantile
interpolates, and below the least n there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from app.core.protocol.margin import least_quantile_n
from app.core.reason import Reason
from app.core.score.binomial import at_least, at_most, lower_bound
from app.core.score.decide_test import Findings, decide_sample, decide_test
from app.core.score.interval import Interval, Truth, finite
from app.core.score.sample import Sample, first_ignorance
from app.core.score.state import State
from app.core.statement.gate_record import Operator


@dataclass(frozen=True, slots=True)
class ShareClaim:
    """That more than a share of all units are good.

    Attributes:
        share: the quantile's p, or the proportion to exceed.
        op: how a good unit stands to the limit.
        required_n: observed units needed for PASS; None: every planned one.
    """

    share: Fraction
    alpha: Fraction
    op: Operator
    limit: Fraction
    required_n: int | None = None


@dataclass(frozen=True, slots=True)
class ShareJudged:
    """What the units say of the claim.

    Attributes:
        least_good: good units, whatever is unknown.
        most_good: units that are not bad, whatever is unknown.
        least_n: below which no number of good units establishes the claim.
        bound: the share that is established, rounded down.
    """

    state: State
    reason: Reason
    p_pass: Fraction
    p_fail: Fraction
    n: int
    least_good: int
    most_good: int
    least_n: int
    bound: Fraction


def judge_share(claim: ShareClaim, sample: Sample, *, caps: Sequence[Reason] = ()) -> ShareJudged:
    """Return what the sample says of the claim; a unit without a value is open."""
    n = len(sample.units)
    good = _counted(claim, sample.cautious)[0]
    not_bad = _counted(claim, sample.trusting)[1]
    found = _findings(
        claim, n, (good, not_bad), has_enough=sample.has(claim.required_n), caps=tuple(caps)
    )
    alone = _counted(claim, sample.alone)[1]
    measured = len(sample.alone)
    masked = 0 < measured < n and at_most(measured, alone, claim.share) <= claim.alpha
    found = found.beside(masked=masked, ignorance=_ignorance(claim, sample))
    return _judged(claim, n, (good, not_bad), found, decide_sample(found, sample))


def judge_counts(claim: ShareClaim, *, n: int, good: int) -> ShareJudged:
    """Return what ``good`` of ``n`` units say, of which every one is known."""
    found = _findings(claim, n, (good, good), has_enough=True)
    return _judged(claim, n, (good, good), found, decide_test(found))


def judge_exceedances(claim: ShareClaim, *, n: int, above: int) -> ShareJudged:
    """Return what ``n`` known units say of which ``above`` lie beyond the limit."""
    return judge_counts(claim, n=n, good=n - above)


def _findings(
    claim: ShareClaim,
    n: int,
    good: tuple[int, int],
    *,
    has_enough: bool,
    caps: tuple[Reason, ...] = (),
) -> Findings:
    return Findings(
        alpha=claim.alpha,
        p_pass=at_least(n, good[0], claim.share),
        p_fail=at_most(n, good[1], claim.share),
        least_p=claim.share**n,
        held=Reason.CLAIM_ESTABLISHED,
        violated=Reason.CLAIM_REFUTED,
        has_enough=has_enough,
        caps=caps,
    )


def _judged(
    claim: ShareClaim,
    n: int,
    good: tuple[int, int],
    found: Findings,
    said: tuple[State, Reason],
) -> ShareJudged:
    return ShareJudged(
        *said,
        found.p_pass,
        found.p_fail,
        n,
        *good,
        least_quantile_n(claim.share, claim.alpha),
        lower_bound(n, good[0], claim.alpha),
    )


def _counted(claim: ShareClaim, intervals: Sequence[Interval]) -> tuple[int, int]:
    """Return how many units are good, and how many are not bad."""
    truths = [each.compared(claim.op, finite(claim.limit)) for each in intervals]
    return truths.count(Truth.TRUE), len(truths) - truths.count(Truth.FALSE)


def _ignorance(claim: ShareClaim, sample: Sample) -> Reason | None:
    def decides(intervals: Sequence[Interval]) -> bool:
        good, not_bad = _counted(claim, intervals)
        n = len(intervals)
        passes = at_least(n, good, claim.share) <= claim.alpha
        return passes or at_most(n, not_bad, claim.share) <= claim.alpha

    low_is_good = claim.op in ("<", "<=")
    return first_ignorance(
        sample.units,
        sample.cautious,
        low_is_good=[low_is_good] * len(sample.units),
        decides=decides,
    )
