# SPDX-License-Identifier: Apache-2.0
"""Observed envelopes: every value of a candidate against every value of its two controls.

TheGrill's integer rule (``observed-envelope-v1``). All values of the control and of its return are
pooled, from the least ``L`` to the greatest ``U``, and the candidate's go from ``l`` to ``u``. If
``U > (1 + spread) L`` the controls are no yardstick. Otherwise, where higher is worse, PASS is
``u <= (1 + margin) L``, and worse than that by every value is ``l > (1 + margin) U``; where lower
is worse, ``l >= (1 - margin) U`` and ``u < (1 - margin) L``. Everything is compared by
cross-multiplication.

Here a value may be an interval, so each of these holds in every completion, in some or in none. No
chance is computed: what is said is about exactly these units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from app.core.protocol.gate import EnvelopeGate
from app.core.protocol.margin import Margin
from app.core.reason import Reason
from app.core.score.decide_test import Findings, decide_sample
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, Interval, Truth, finite
from app.core.score.margins import below, disfavours, possibly_below, quotient, threshold
from app.core.score.sample import Sample, first_ignorance
from app.core.score.state import State
from app.core.score.statistic import ranked

_CERTAIN: Final = Fraction(0)
_NOT: Final = Fraction(1)


@dataclass(frozen=True, slots=True)
class ObservedEnvelope:
    """The ends of what was observed, each an interval where units are.

    Attributes:
        spread: how far the greatest pooled value lies above the least, as a share of it.
        adverse: how much worse the candidate is than its controls, from the most favourable pair of
            values to the least, as a share of the control; below 0 is better.
    """

    reference_least: Interval
    reference_greatest: Interval
    candidate_least: Interval
    candidate_greatest: Interval
    spread: Interval
    adverse: Interval


@dataclass(frozen=True, slots=True)
class EnvelopeJudged:
    """What the envelope says."""

    state: State
    reason: Reason
    envelope: ObservedEnvelope


def judge_envelope(
    gate: EnvelopeGate,
    candidate: Sample,
    controls: tuple[Sample, Sample],
    *,
    required_n: int,
    caps: Sequence[Reason] = (),
) -> EnvelopeJudged:
    """Return what the rule says of the candidate.

    Args:
        gate: the margin and the spread as locked.
        candidate: its planned units.
        controls: the control's and those of its return.
        required_n: how many units of each arm must be observed.
        caps: reasons of the study for which no PASS is given.
    """
    first, back = controls
    cautious = (candidate.cautious, (*first.cautious, *back.cautious))
    trusting = (candidate.trusting, (*first.trusting, *back.trusting))
    names = (Reason.CONTROL_MISSING, Reason.RETURN_CONTROL_MISSING)
    missing = (name for each, name in zip(controls, names, strict=True) if not each.is_measured)
    spread = _within_spread(cautious[1], gate.max_spread)
    found = Findings(
        alpha=_CERTAIN,
        p_pass=_chance(_passes(gate, *cautious)),
        p_fail=_chance(_fails(gate, *trusting)),
        least_p=_CERTAIN,
        held=Reason.WITHIN_ENVELOPE,
        violated=Reason.BEYOND_ENVELOPE,
        has_enough=all(each.has(required_n) for each in (candidate, first, back)),
        caps=tuple(caps),
        missing=next(missing, None),
        masked=_is_masked(gate, candidate, controls),
        ignorance=_ignorance(gate, candidate, controls),
        spread=spread is Truth.FALSE,
    )
    state, reason = decide_sample(found, candidate)
    return EnvelopeJudged(state, reason, envelope_of(*cautious, gate.margin))


def envelope_of(
    candidate: Sequence[Interval], references: Sequence[Interval], margin: Margin
) -> ObservedEnvelope:
    """Return the ends of what was observed; there is a unit on each side."""
    least, greatest = ranked(references, 1), ranked(references, len(references))
    low, high = ranked(candidate, 1), ranked(candidate, len(candidate))
    if margin.worse == "higher":
        best, worst = quotient(low, greatest), quotient(high, least)
        adverse = Interval(_less(best.lo), _less(worst.hi))
    else:
        best, worst = quotient(high, least), quotient(low, greatest)
        adverse = Interval(_lost(best.hi), _lost(worst.lo))
    apart = quotient(greatest, least)
    spread = Interval(max(finite(0), _less(apart.lo)), _less(apart.hi))
    return ObservedEnvelope(least, greatest, low, high, spread, adverse)


def _within_spread(references: Sequence[Interval], most: Fraction) -> Truth:
    """Return whether the controls are a yardstick: all above nothing, finite, and near enough.

    A unit is not held against itself, so one that is only bounded is no spread by itself.
    """
    apart = Margin(most, "ratio", "higher")
    pairs = [
        (threshold(one, apart), other)
        for place, one in enumerate(references)
        for other in (*references[:place], *references[place + 1 :])
    ]
    nothing = any(each.hi == finite(0) or each.lo == INFINITY for each in references)
    if nothing or any(below(one, other) for one, other in pairs):
        return Truth.FALSE
    possible = any(possibly_below(one, other) for one, other in pairs)
    return Truth.OPEN if possible else Truth.TRUE


def _passes(
    gate: EnvelopeGate, candidate: Sequence[Interval], references: Sequence[Interval]
) -> bool:
    """Tell whether the rule says PASS in every completion."""
    if _within_spread(references, gate.max_spread) is not Truth.TRUE:
        return False
    limits = [threshold(each, gate.margin) for each in references]
    if gate.margin.worse == "higher":
        beyond = (possibly_below(limit, one) for limit in limits for one in candidate)
    else:
        beyond = (possibly_below(one, limit) for limit in limits for one in candidate)
    return not any(beyond)


def _fails(
    gate: EnvelopeGate, candidate: Sequence[Interval], references: Sequence[Interval]
) -> bool:
    """Tell whether every value is worse than every control by more, in every completion."""
    if _within_spread(references, gate.max_spread) is not Truth.TRUE:
        return False
    limits = [threshold(other, gate.margin) for other in references]
    return all(disfavours(one, limit, gate.margin) for one in candidate for limit in limits)


def _chance(certain: bool) -> Fraction:  # noqa: FBT001  what is certain is the value
    """Return what stands for a p where there is no chance: 0 if it is so, else 1."""
    return _CERTAIN if certain else _NOT


def _is_masked(gate: EnvelopeGate, candidate: Sample, controls: tuple[Sample, Sample]) -> bool:
    """Return whether what was measured alone would FAIL, and unmeasured units prevent it."""
    arms = (candidate, *controls)
    if all(unit.is_measured for arm in arms for unit in arm.units):
        return False
    references = (*controls[0].alone, *controls[1].alone)
    return bool(candidate.alone and references) and _fails(gate, candidate.alone, references)


def _ignorance(
    gate: EnvelopeGate, candidate: Sample, controls: tuple[Sample, Sample]
) -> Reason | None:
    arms, n = (candidate, *controls), len(candidate.units)
    lower_is_better = gate.margin.worse == "higher"

    def decides(intervals: Sequence[Interval]) -> bool:
        sides = (intervals[:n], intervals[n:])
        return _passes(gate, *sides) or _fails(gate, *sides)

    possible = [interval for arm in arms for interval in arm.cautious]
    return first_ignorance(
        [unit for arm in arms for unit in arm.units],
        possible,
        # Controls far apart are no yardstick whichever way, so what speaks for one is to agree.
        low_is_good=[lower_is_better] * n + [None] * (len(possible) - n),
        decides=decides,
        near=_near(possible[:n], possible[n:]),
    )


def _near(candidate: Sequence[Interval], references: Sequence[Interval]) -> list[Fraction]:
    """Return where controls may agree: as low as can be, as high, or as high as the candidate."""
    ends = (
        max(each.lo for each in references),
        min(each.hi for each in references),
        *(each.hi for each in candidate),
        *(each.lo for each in candidate),
    )
    finite_ends = [end.value for end in ends if not end.rank]
    return finite_ends or [Fraction(0)]


def _less(ratio: End) -> End:
    """Return how far a ratio lies above 1."""
    return ratio if ratio.rank else finite(ratio.value - 1)


def _lost(ratio: End) -> End:
    """Return how far a ratio lies below 1."""
    return NEGATIVE_INFINITY if ratio.rank else finite(1 - ratio.value)
