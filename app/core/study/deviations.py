# SPDX-License-Identifier: Apache-2.0
"""Which slots the deviations of a study touch (SCORING.md B10).

No protocol locks rules for deviations yet, so none is excused: each caps what it touches.
"""

from __future__ import annotations

from app.core.statement.deviation import DeviationPredicate
from app.core.study.state import StudyState


def touched_slots(study: StudyState) -> frozenset[str]:
    """Return the slots that some deviation touches, whenever it was said."""
    return frozenset[str]().union(
        *(_touched(study, deviation.predicate) for deviation in study.deviations)
    )


def _touched(study: StudyState, deviation: DeviationPredicate) -> frozenset[str]:
    """Return the slots it names; of the study as a whole every one, unless it merely ends it.

    What an end leaves open becomes missing, which is a finding of its own.
    """
    if deviation.slots or deviation.ends_study:
        return frozenset(deviation.slots)
    return frozenset(study.slots)
