# SPDX-License-Identifier: Apache-2.0
"""Ratios inside a boot: a slot of one cell over the slot of another, same arm and repetition."""

from __future__ import annotations

from collections.abc import Sequence

from app.core.protocol.gate import Domain
from app.core.reason import Reason
from app.core.score.interval import INFINITY, finite
from app.core.score.margins import quotient
from app.core.score.observe import Evidence, Unit
from app.core.score.observed import Basis, Observed, unknown

_LEAST_KNOWN_FIRST = (Basis.UNKNOWN, Basis.CENSORED, Basis.BOUNDED, Basis.EXACT)


def boot_ratios(
    top: Sequence[tuple[Evidence, Unit]],
    bottom: Sequence[tuple[Evidence, Unit]],
    *,
    domain: Domain,
) -> tuple[Unit, ...]:
    """Return one unit for every slot of ``top``, its value over that of the same repetition.

    A repetition that the other cell does not plan has no ratio, and none of two boots has one. Nor
    has one whose denominator the server failed: failing there must not make the ratio small.
    """
    others = {each.slot.planned.repetition: (each, unit) for each, unit in bottom}
    return tuple(
        _unit(each, unit, others.get(each.slot.planned.repetition), domain) for each, unit in top
    )


def _unit(
    evidence: Evidence, top: Unit, other: tuple[Evidence, Unit] | None, domain: Domain
) -> Unit:
    seen = _ratio(evidence, top.observed, other, domain)
    if seen.is_observed:
        return Unit(top.slot, None, seen)
    why = top.why or (Reason.CONTROL_MISSING if other is None else other[1].why)
    return Unit(top.slot, None, seen, why=why or Reason.NO_RATIO)


def _ratio(
    evidence: Evidence, top: Observed, other: tuple[Evidence, Unit] | None, domain: Domain
) -> Observed:
    if top.absence is not None:
        return Observed(None, Basis.UNKNOWN, top.absence, top.why)
    if other is None:
        return unknown()
    against, bottom = other[0], other[1].observed
    if bottom.absence is not None:
        return Observed(None, Basis.UNKNOWN, bottom.absence, bottom.why)
    boot = evidence.slot.boot
    if boot is None or boot != against.slot.boot:
        return unknown()
    if top.interval is None or bottom.interval is None:
        return unknown()
    below = bottom.interval.within(domain)
    if below.hi == finite(0) or below.lo == INFINITY:
        return unknown()
    basis = min(top.basis, bottom.basis, key=_LEAST_KNOWN_FIRST.index)
    return Observed(quotient(top.interval.within(domain), below), basis)
