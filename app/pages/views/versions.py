# SPDX-License-Identifier: Apache-2.0
"""Versions of a protocol in words: what could be known at each lock, and how that marks it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from app.core.identity import instant_of
from app.core.verdict.explain import explain
from app.core.verdict.numbers import instant_text
from app.core.verdict.versions import KnownAtLock, ProtocolVersion
from app.pages.views import links
from app.pages.views.table import Cell, Table

EXPLORATORY = "EXPLORATORY"


def versions_table(repository: str, versions: Sequence[ProtocolVersion], shown: str) -> Table:
    """Return every version of the chain, in the order they were locked.

    Args:
        repository: whose versions.
        versions: the chain.
        shown: digest of the one whose page this is.
    """
    return Table(
        caption="Every version: a lock never changes, and what was known then is counted from the "
        "log below its entry.",
        headers=("Version", "Locked", "Known of earlier versions", "For older evidence", "Changes"),
        rows=[_row(repository, each, shown) for each in versions],
    )


def known_text(version: ProtocolVersion) -> str:
    """Return what could be known of earlier versions when one was locked, in a sentence."""
    return (
        f"When it was locked, below log entry {version.lock.index}, there stood under earlier "
        f"versions: {_counted(version.known)}; {_judged(version.known)}."
    )


def mark_text(version: ProtocolVersion) -> str:
    """Return how that marks the version, and why."""
    sentence = explain(version.reason).sentence
    if not version.is_exploratory:
        return f"Not {EXPLORATORY}: {sentence}"
    gates = ", ".join(version.exploratory) or "none of its gates, of which there are fewer now"
    return f"{EXPLORATORY} for what was reserved before its lock: {gates}. {sentence}"


def _row(repository: str, version: ProtocolVersion, shown: str) -> tuple[Cell, ...]:
    lock, exploratory = version.lock, version.is_exploratory
    here = lock.digest == shown
    href = None if here else links.protocol_page(repository, lock.digest)
    return (
        Cell(
            f"v{lock.document.version}{' (this page)' if here else ''}",
            href,
            note=lock.predicate.reason,
        ),
        Cell(instant_text(instant_of(lock.at_us)), note=f"log entry {lock.index}"),
        Cell(_counted(version.known), note=_judged(version.known)),
        Cell(
            EXPLORATORY if exploratory else f"not {EXPLORATORY}",
            note=version.reason,
            note_href=links.reason_page(version.reason),
            below=", ".join(version.exploratory) or None,
        ),
        Cell(_changed(version)),
    )


def _counted(known: KnownAtLock) -> str:
    return (
        f"{_many(known.studies, 'study', 'studies')}, {known.closed} of them closed, "
        f"{_many(known.attempts, 'attempt', 'attempts')}, "
        f"{_many(known.receipts, 'receipt', 'receipts')}"
    )


def _judged(known: KnownAtLock) -> str:
    counts = known.judgements
    parts = [
        f"{state} {count}"
        for state, count in (
            ("FAIL", counts.FAIL),
            ("INVALID", counts.INVALID),
            ("NOT_RUN", counts.NOT_RUN),
            ("INCONCLUSIVE", counts.INCONCLUSIVE),
            ("PASS", counts.PASS),
        )
        if count
    ]
    return f"judged of candidates: {' / '.join(parts)}" if parts else "nothing was judged"


def _changed(version: ProtocolVersion) -> str:
    if version.lock.predicate.supersedes is None:
        return "the first version"
    ways = Counter(each.direction for each in version.changes)
    parts = [f"{ways[way]} {way}" for way in ("loosened", "tightened", "changed") if ways[way]]
    return ", ".join(parts) or "nothing but the version"


def _many(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"
