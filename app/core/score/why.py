# SPDX-License-Identifier: Apache-2.0
"""Why a unit says nothing, or is false although its interval does not show it: for the reader.

Nothing is decided here: states and their reasons follow from the observations.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from app.core.reason import Reason
from app.core.score.observed import Absence, Basis, Observed
from app.core.score.reading import Reading

_OF_ABSENCE: Final = {
    Absence.ABANDONED: Reason.ABANDONED,
    Absence.CONFLICT: Reason.CONFLICTING_RECEIPTS,
    Absence.DOUBTED: Reason.TAINTED,
}


_NOTHING_SAID: Final = (None, Reason.MISSING_UNDECIDED)


def why_of(
    observed: Observed, readings: Iterable[Reading] = (), *, broken: bool = False
) -> Reason | None:
    """Return why; None: the interval says all.

    Args:
        observed: the unit.
        readings: the streams that it is read from.
        broken: its server was replaced meanwhile.
    """
    if observed.why not in _NOTHING_SAID:
        return observed.why
    if observed.absence is not None:
        return _OF_ABSENCE.get(observed.absence, Reason.VALUE_NOT_RECORDED)
    if observed.basis is not Basis.UNKNOWN:
        return None
    if broken:
        return Reason.SERVER_REPLACED
    lost = (each.lost for each in readings if each.lost is not None)
    return next(lost, Reason.VALUE_NOT_RECORDED)
