# SPDX-License-Identifier: Apache-2.0
"""Which head a short commit id means: one with evidence, or one that only a ref has named."""

from __future__ import annotations

from app.service.read_ledger import LedgerReader


async def find_head(ledger: LedgerReader, repository: str, prefix: str) -> str:
    """Return the full commit id.

    Raises:
        UnknownThing: ``unknown-repository``; ``unknown-head``, nothing begins like this.
        Conflict: ``ambiguous-prefix``.
    """
    refs = (await ledger.standing(repository)).repository.refs
    named = [one.predicate.tip for one in refs]
    return await ledger.catalog.resolve_head(repository, prefix, named=named)
