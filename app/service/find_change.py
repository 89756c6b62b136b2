# SPDX-License-Identifier: Apache-2.0
"""Which heads a pull request has had: those that studies name with it, and those that refs do."""

from __future__ import annotations

from app.core.errors import UnknownThing
from app.service.answers import FoundChange, StudyListing
from app.service.read_ledger import LedgerReader


async def find_change(ledger: LedgerReader, repository: str, number: str) -> FoundChange:
    """Return the change ``number``.

    Raises:
        UnknownThing: ``unknown-repository``; ``unknown-change``, neither a study nor a ref names
            it.
    """
    refs = (await ledger.standing(repository)).repository.refs
    named = [(one.index, one.predicate.tip) for one in refs if one.predicate.change == number]
    studies = await _studies_of(ledger, repository, number, may_be_none=bool(named))
    named += [(study.index, study.head) for study in studies]
    heads = dict.fromkeys(head for _, head in sorted(named, reverse=True))
    return FoundChange(tuple(heads), studies)


async def _studies_of(
    ledger: LedgerReader, repository: str, number: str, *, may_be_none: bool
) -> tuple[StudyListing, ...]:
    try:
        return await ledger.change(repository, number)
    except UnknownThing:
        if may_be_none:
            return ()
        raise
