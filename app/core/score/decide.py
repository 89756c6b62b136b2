# SPDX-License-Identifier: Apache-2.0
"""What one demand says about its observations. Everything that is served goes through ``judge``.

The order of deciding (SCORING.md B4):

1. nothing measured: INVALID if there were attempts, else NOT_RUN;
2. FAIL if the demand is broken in every completion, also below ``required_n``; conflicting receipts
   count with their hull;
3. would it PASS, with conflicting receipts unknown? Then ``required_n``, then caps, then PASS;
4. INCONCLUSIVE, with the first reason that applies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.protocol.gate import Demand
from app.core.reason import Reason
from app.core.score.interval import End, Interval, Truth, finite, whole
from app.core.score.observed import Absence, Observed
from app.core.score.state import State
from app.core.score.statistic import statistic_of, truth_of
from app.core.score.undecided import is_masked, undecided_reason

_HELD: Final = {
    "canary": Reason.BEFORE_WITH_EXPECTED_ANSWER,
    "identity": Reason.IDENTITIES_AS_PINNED,
    "checks": Reason.CHECKS_PASSED,
    "jobs": Reason.LANES_HELD,
    "artifact_registry": Reason.ARTIFACTS_AS_REGISTERED,
    "claim": Reason.TOOL_DECIDED_PASS,
    "parity": Reason.PARITY_HELD,
}
_VIOLATED: Final = {
    "checks": Reason.CHECK_FAILED,
    "jobs": Reason.LANE_FELL_SHORT,
    "artifact_registry": Reason.ARTIFACT_DIFFERS,
    "claim": Reason.TOOL_DECIDED_FAIL,
    "parity": Reason.PARITY_BROKEN,
}


@dataclass(frozen=True, slots=True)
class Judged:
    """A gate's state and the numbers behind it.

    Attributes:
        interval: the statistic over all planned units; None where none was planned.
    """

    state: State
    reason: Reason
    interval: Interval | None


def judge(
    demand: Demand,
    observations: Sequence[Observed],
    *,
    independent: int | None = None,
    cap: Reason | None = None,
) -> Judged:
    """Return what the demand says about all planned units.

    Args:
        demand: what must hold.
        observations: one for every planned unit, whatever became of it.
        independent: how many observed units count for ``required_n``; None: each of them.
        cap: why no PASS can be given, if there is such a reason.
    """
    n = sum(each.is_observed for each in observations) if independent is None else independent
    return Judged(*_decide(demand, observations, n, cap))


def _decide(
    demand: Demand, observations: Sequence[Observed], n: int, cap: Reason | None
) -> tuple[State, Reason, Interval | None]:
    measured = any(each.is_measured for each in observations)
    conflict = any(each.absence and each.absence.counts_against for each in observations)
    # 1. Nothing measured.
    if not measured and not conflict:
        return (*nothing_measured(observations), _statistic(demand, observations))
    # 2. FAIL.
    possible = [_possible(each, demand, trusting=True) for each in observations]
    truth = truth_of(demand, possible)
    if truth is Truth.FALSE:
        state, reason = _broken(demand, observations)
        return state, reason, statistic_of(demand, possible)
    if not measured:
        return (*nothing_measured(observations), _statistic(demand, observations))
    # 3. PASS, if nothing caps it.
    if conflict:
        possible = [_possible(each, demand, trusting=False) for each in observations]
        truth = truth_of(demand, possible)
    interval = statistic_of(demand, possible)
    if truth is Truth.TRUE:
        return (*_passing(demand, n, len(observations), cap), interval)
    # 4. Undecided.
    if is_masked(demand, observations):
        return State.INCONCLUSIVE, Reason.FAIL_MASKED, interval
    return State.INCONCLUSIVE, undecided_reason(demand, observations, possible), interval


def _statistic(demand: Demand, observations: Sequence[Observed]) -> Interval | None:
    """Return the statistic with conflicting receipts unknown; None of no units."""
    possible = [_possible(each, demand, trusting=False) for each in observations]
    return statistic_of(demand, possible) if possible else None


def _possible(observed: Observed, demand: Demand, *, trusting: bool) -> Interval:
    against = observed.absence is not None and observed.absence.counts_against
    if observed.interval is None or (against and not trusting):
        return whole(demand.domain)
    return observed.interval.within(demand.domain)


def nothing_measured(observations: Sequence[Observed]) -> tuple[State, Reason]:
    """Return INVALID if anybody tried, and NOT_RUN if nobody did."""
    attempts = [each for each in observations if each.absence and each.absence.is_attempt]
    if not attempts:
        no_gate = any(each.absence is Absence.NO_GATE for each in observations)
        return State.NOT_RUN, Reason.NO_GATE_EVALUATED if no_gate else Reason.NO_MEASURED_SLOT
    if all(each.absence is Absence.ABANDONED for each in attempts):
        return State.INVALID, Reason.ABANDONED
    reasons = {_reason_of(each) for each in attempts}
    return State.INVALID, reasons.pop() if len(reasons) == 1 else Reason.NO_VALID_SLOT


def _reason_of(attempt: Observed) -> Reason:
    match attempt.absence:
        case Absence.CONFLICT:
            return Reason.CONFLICTING_RECEIPTS
        case Absence.DOUBTED:
            return Reason.TAINTED
        case Absence.ABANDONED:
            return Reason.ABANDONED
        case _:
            return attempt.why or Reason.NO_VALID_SLOT


def _broken(demand: Demand, observations: Sequence[Observed]) -> tuple[State, Reason]:
    if demand.kind == "identity":
        return State.INVALID, Reason.IDENTITY_MISMATCH
    if demand.kind != "canary":
        return State.FAIL, _VIOLATED.get(demand.kind, Reason.BOUND_VIOLATED)
    reasons = {each.why for each in observations}
    order_broken = Reason.NOT_BEFORE in reasons
    return State.FAIL, Reason.NOT_BEFORE if order_broken else Reason.WRONG_ANSWER


def _passing(demand: Demand, n: int, planned: int, cap: Reason | None) -> tuple[State, Reason]:
    required = planned if demand.required_n is None else demand.required_n
    if demand.kind != "identity" and n < required:
        return State.INCONCLUSIVE, Reason.INSUFFICIENT_N
    if cap is not None:
        return State.INCONCLUSIVE, cap
    return State.PASS, _HELD.get(demand.kind, Reason.BOUND_HELD)


def margin_of(demand: Demand, judged: Judged) -> End | None:
    """Return how far inside (positive) or outside (negative) its limit a gate is; None: no number.

    For FAIL it is what is established, the nearest possible value; else the farthest one.
    """
    if judged.interval is None:
        return None
    limit = Interval(finite(demand.limit), finite(demand.limit))
    low = judged.interval.minus(limit)
    high = limit.minus(judged.interval)
    nearest = judged.state is State.FAIL
    match demand.op:
        case "<" | "<=":
            return high.hi if nearest else high.lo
        case ">" | ">=":
            return low.hi if nearest else low.lo
        case "==":
            return _distance(low, high, nearest=nearest)


def _distance(low: Interval, high: Interval, *, nearest: bool) -> End | None:
    """Return minus the distance from the limit; ``low`` is value less limit, ``high`` not.

    None where single units differ although their range holds the limit: no one number says that.
    """
    if not nearest:
        return min(low.lo, high.lo)
    distance = min(low.hi, high.hi)
    return distance if distance <= finite(0) else None
