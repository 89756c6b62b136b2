# SPDX-License-Identifier: Apache-2.0
"""Versions of a protocol from a bundle, offline: what one head's line held when each was locked.

A bundle holds the repository's line whole, so every lock, and the line of one head. What stood on
other heads is not in it: the counts are the least that could be known, and so is the mark.
"""

from __future__ import annotations

from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle import standing_of
from app.core.verdict.bundle_file import Bundle
from app.core.verdict.fold import head_of
from app.core.verdict.versions import ProtocolVersion, before, chain_of, known_on, version_of


def versions_in(bundle: Bundle, name: str) -> tuple[ProtocolVersion, ...]:
    """Return the chain that a locked protocol stands in, in log order; empty: it has no lock here.

    Args:
        bundle: as read; every entry is admitted again.
        name: the digest of the document of any version, or the name that they share.

    Raises:
        IntegrityBroken: as ``documents_of``, and likewise what that raises else.
    """
    standing = standing_of(bundle)
    protocols = standing.repository.protocols
    said = [
        (one.entry.index, one.entry.parsed.predicate.document)
        for one in bundle.entries
        if one.entry.parsed and isinstance(one.entry.parsed.predicate, VerdictPredicate)
    ]
    named = (lock for lock in protocols.values() if name in (lock.digest, lock.document.name))
    chain = chain_of(protocols, next((lock.digest for lock in named), ""))
    studies = head_of(standing).studies
    found = []
    for lock in chain:
        newest = next((document for index, document in reversed(said) if index < lock.index), None)
        known = known_on(studies, below=lock.index, said=newest)
        found.append(version_of(lock, before(chain, lock), known))
    return tuple(found)
