# SPDX-License-Identifier: Apache-2.0
"""Which heads a pull request has had: those that studies name with it, and those that refs do."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.admission.people import RefState
from app.service.answers import FoundChange, StudyListing
from app.service.catalog import unknown


def found_change(
    studies: Iterable[StudyListing], refs: Iterable[RefState], number: str
) -> FoundChange:
    """Return the change ``number``.

    Raises:
        UnknownThing: ``unknown-change``, neither a study nor a ref names it.
    """
    of_change = tuple(study for study in studies if study.change == number)
    named = [(study.index, study.head) for study in of_change]
    named += [(one.index, one.predicate.tip) for one in refs if one.predicate.change == number]
    if not named:
        raise unknown("change")
    heads = dict.fromkeys(head for _, head in sorted(named, reverse=True))
    return FoundChange(tuple(heads), of_change)
