# SPDX-License-Identifier: Apache-2.0
"""Verdicts and bundles of one head, recomputed from its lines and remembered.

A document depends on the entries of three lines and on the deadlines that have passed, and on
nothing else; so it is remembered under the lines' lengths and the log time that settles it, and may
be forgotten at any moment.
"""

from __future__ import annotations

from typing import Final

from app.core.admission.state import Standing
from app.core.digest import sha256_hex
from app.core.verdict.bundle import (
    SignedHead,
    bundle_entry,
    bundled_captures,
    make_bundle,
    write_bundle,
)
from app.core.verdict.fold import (
    captures_needed,
    give_verdicts,
    head_of,
    settled_log_time,
    verdict_bytes,
)
from app.service.answers import VerdictBytes
from app.service.captures import CaptureReader
from app.service.lines import HeadName
from app.service.ports import LedgerStore
from app.service.read_log import LogReader
from app.service.remembered import Remembered
from app.service.tree import Tree

_ROOM_BYTES: Final = 64 * 1024 * 1024

_Key = tuple[HeadName, int, int, int, int]


class HeadReader:
    """Gives verdicts and bundles."""

    def __init__(self, store: LedgerStore, captures: CaptureReader, log: LogReader) -> None:
        """Read from ``store``."""
        self._store = store
        self._captures = captures
        self._log = log
        self._given: Remembered[_Key, tuple[VerdictBytes, ...]] = Remembered(_ROOM_BYTES)

    async def verdicts(
        self, name: HeadName, standing: Standing, log_time_us: int
    ) -> tuple[VerdictBytes, ...]:
        """Return the verdict documents of every claim, in the policy's order."""
        key = _key(name, standing, log_time_us)
        given = self._given.get(key)
        if given is None:
            captures = await self._captures.captures(captures_needed(standing, log_time_us))
            documents = give_verdicts(
                standing, log_time_us=log_time_us, captures=captures.__getitem__
            )
            served = {claim: verdict_bytes(document) for claim, document in documents.items()}
            given = tuple(VerdictBytes(*one, sha256_hex(one[1])) for one in served.items())
            self._given.keep(key, given, size=sum(len(one.document) for one in given))
        return given

    async def bundle(self, signed: SignedHead, standing: Standing, tree: Tree) -> bytes:
        """Return the three lines of ``standing`` whole, with the captures of closed studies.

        Args:
            signed: what it is of, at a size that ``tree`` has.
            standing: of that size.
            tree: proofs are read from it.
        """
        head = signed.head
        rows = [row for line in head.lines for row in await self._store.line(line, below=head.size)]
        rows.sort(key=lambda row: row.index)
        stored = await self._store.statements([row.statement for row in rows])
        proofs = await self._log.inclusions(tree, [row.index for row in rows], size=head.size)
        blobs = await self._captures.stored(bundled_captures(standing, head.log_time_us))
        bundle = make_bundle(
            signed,
            tuple(
                bundle_entry(row.index, row.record, stored[row.statement].envelope, proof)
                for row, proof in zip(rows, proofs, strict=True)
            ),
            standing,
            lambda digest: blobs[digest].zstd,
        )
        return write_bundle(bundle)


def _key(name: HeadName, standing: Standing, log_time_us: int) -> _Key:
    lengths = (standing.ledger.length, standing.repository.length, head_of(standing).length)
    return (name, *lengths, settled_log_time(standing, log_time_us))
