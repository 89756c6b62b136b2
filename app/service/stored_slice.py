# SPDX-License-Identifier: Apache-2.0
"""Some consecutive entries of a store, each re-hashed from its stored bytes.

What one row tells by itself is asked here: is there a leaf, is it what is looked up beside it, is
the payload the one it names, is the envelope the canonical one around that payload, is the capture
there and is it the one that the receipt was signed over. What entries tell of one another is asked
by ``audit``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from app.core.admission.rules.genesis import key_of
from app.core.admission.state import LedgerState
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.keyring.keyring import Keyring
from app.core.log.checkpoint import Checkpoint, open_checkpoint
from app.core.log.note import NoteVerifier
from app.core.signing.envelope import Envelope, parse_envelope, to_json, verify_signature
from app.core.statement.entry import Entry
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.service.answers import FoundStatement
from app.service.captures import open_blob
from app.service.lines import entry_in
from app.service.ports import BlobRow, CheckpointRow, LeafRow, LedgerStore, StatementRow

SLICE: Final = 256
"""Entries read at a time: what a look at a store keeps in memory, beside one capture."""


@dataclass(frozen=True, slots=True)
class Damage:
    """The first thing that is wrong with a store.

    Attributes:
        index: of the first leaf concerned; None where none is.
        code: what kind of damage.
        what: in words.
    """

    index: int | None
    code: str
    what: str


class Damaged(Exception):
    """Carries the first damage out of a reading."""

    def __init__(self, damage: Damage) -> None:
        """Hold the ``damage``."""
        super().__init__(damage.what)
        self.damage = damage


@dataclass(frozen=True, slots=True)
class StoredEntry:
    """An entry whose own bytes are in order."""

    row: LeafRow
    entry: Entry
    envelope: Envelope


def damaged(index: int | None, error: FairtrialError) -> Damaged:
    """Return what an error says of the leaf at ``index``."""
    return Damaged(Damage(index, error.code, error.detail))


async def read_slice(store: LedgerStore, start: int, end: int) -> AsyncIterator[StoredEntry]:
    """Yield the entries of ``[start, end)``, each once it has been re-hashed.

    Raises:
        Damaged: at the first that is not there or not what it should be.
    """
    try:
        rows = await store.leaves(start, end)
        statements = await store.statements([row.statement for row in rows])
    except IntegrityBroken as error:
        if end - start == 1:
            raise damaged(start, error) from error
        # The database cannot read one of them; the others it can, one by one.
        for index in range(start, end):
            async for stored in read_slice(store, index, index + 1):
                yield stored
        return
    for place, index in enumerate(range(start, end)):
        if place >= len(rows) or rows[place].index != index:
            raise Damaged(Damage(index, "leaf-missing", f"There is no leaf at index {index}."))
        try:
            entry, envelope = _rehashed(rows[place], statements)
            await _refuse_other_capture(store, entry)
        except FairtrialError as error:
            raise damaged(index, error) from error
        yield StoredEntry(rows[place], entry, envelope)


def refuse_other_envelope(found: FoundStatement, keyring: Keyring) -> None:
    """Refuse to give out an envelope that is not the one that was verified when it came in.

    Raises:
        IntegrityBroken: ``envelope``.
    """
    stored = StatementRow(found.digest, found.payload, found.envelope)
    refuse_bad_signatures(envelope_of(stored, index=found.index), keyring, index=found.index)


def refuse_bad_signatures(envelope: Envelope, keyring: Keyring, *, index: int) -> None:
    """Verify again every signature whose key is known.

    Raises:
        IntegrityBroken: ``envelope``, one does not verify.
    """
    try:
        for keyid in envelope.keyids:
            if keyid in keyring.grants or keyring.is_ledger(keyid):
                verify_signature(envelope, keyid, keyring.key(keyid))
    except FairtrialError as error:
        raise _other_envelope(index) from error


def _rehashed(row: LeafRow, statements: Mapping[str, StatementRow]) -> tuple[Entry, Envelope]:
    entry = entry_in(row, statements)
    return entry, envelope_of(statements[row.statement], index=row.index)


def envelope_of(stored: StatementRow, *, index: int) -> Envelope:
    """Return a stored envelope, which is the canonical one around the stored payload.

    Raises:
        IntegrityBroken: ``envelope``.
    """
    try:
        envelope = parse_envelope(stored.envelope)
    except FairtrialError as error:
        raise _other_envelope(index) from error
    if envelope.payload != stored.payload or to_json(envelope) != stored.envelope:
        raise _other_envelope(index)
    return envelope


def _other_envelope(index: int) -> IntegrityBroken:
    message = f"The envelope at index {index} is not the one that was verified when it came in."
    return IntegrityBroken(message, code="envelope")


async def _refuse_other_capture(store: LedgerStore, entry: Entry) -> None:
    ref = capture_named_by(entry)
    if ref is None:
        return
    if entry.leaf.statement not in await store.uses_of(ref.sha256):
        message = "The store does not say that this receipt names its capture."
        raise IntegrityBroken(message, code="capture-use")
    blob = (await store.blobs([ref.sha256])).get(ref.sha256)
    if blob is None:
        message = f"The capture of the receipt at index {entry.index} is not in the store."
        raise IntegrityBroken(message, code="capture-missing")
    refuse_other_blob(blob, ref)


def refuse_other_blob(blob: BlobRow, ref: CaptureRef) -> None:
    """Refuse a stored capture that is not the one a receipt was signed over.

    Raises:
        IntegrityBroken: ``capture-damaged``.
    """
    if len(open_blob(blob)) != blob.size or blob.size != ref.size:
        message = "A stored capture is not of the size that its receipt was signed over."
        raise IntegrityBroken(message, code="capture-damaged")


def capture_named_by(entry: Entry) -> CaptureRef | None:
    """Return the capture that a receipt names; None for anything else."""
    predicate = None if entry.parsed is None else entry.parsed.predicate
    return predicate.capture if isinstance(predicate, ReceiptPredicate) else None


def slices(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut ``[start, end)`` at multiples of ``SLICE``, one by one: a damaged ``end`` may be any."""
    while start < end:
        cut = min(start - start % SLICE + SLICE, end)
        yield start, cut
        start = cut


def refuse_other_note(ledger: LedgerState, row: CheckpointRow) -> None:
    """Refuse a link of the chain whose signed note says something else than its row.

    Raises:
        Damaged: at the last leaf below it.
    """
    genesis = ledger.genesis
    assert genesis is not None  # noqa: S101  a ledger that runs has one
    origin = genesis.ledger.origin
    verifier = NoteVerifier(origin, key_of(genesis.checkpoint_key))
    try:
        found = open_checkpoint(row.note, verifier, origin=origin)
    except FairtrialError as error:
        raise damaged(row.size - 1, error) from error
    if found != Checkpoint(origin, row.size, row.root):
        message = f"The signed note of size {row.size} says another tree than its row."
        raise Damaged(Damage(row.size - 1, "checkpoint-row", message))
