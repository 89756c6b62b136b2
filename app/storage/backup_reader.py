# SPDX-License-Identifier: Apache-2.0
"""Reads a backup: every file against the manifest, every entry against the tree that was signed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from app.core.admission.rules.genesis import key_of
from app.core.canonical import JsonValue, parse_strict
from app.core.digest import from_base64, sha256_hex
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.identity import micros_of
from app.core.log.checkpoint import Checkpoint, open_checkpoint
from app.core.log.note import NoteVerifier
from app.core.signing.envelope import parse_envelope
from app.core.statement.entry import Entry, read_entry
from app.core.statement.genesis import GenesisPredicate
from app.core.statement.receipt import CaptureRef
from app.service.last_shown import checkpoint_of
from app.service.ports import Batch, BlobRow, CaptureUse, CheckpointRow, LeafRow, StatementRow
from app.service.stored_slice import capture_named_by, refuse_other_blob
from app.service.tree import Tree
from app.storage.backup import (
    CAPTURES,
    CHECKPOINTS,
    ENTRIES,
    FORMAT,
    MANIFEST,
    FileRecord,
    Manifest,
)


def read_manifest(folder: Path) -> Manifest:
    """Return what a backup says it holds, every file of it held against that.

    Raises:
        IntegrityBroken: ``backup``: no backup, or a file is missing or another.
    """
    try:
        manifest = _manifest(parse_strict((folder / MANIFEST).read_bytes()))
        for name, record in manifest.files.items():
            if _file_record(folder / name) != record:
                raise _damaged(f"its file {name} is not the one that was written")
    except (FairtrialError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, IntegrityBroken):
            raise
        raise _damaged("a file is missing, or the manifest is none") from error
    return manifest


def batches(folder: Path, manifest: Manifest) -> Iterator[Batch]:
    """Yield what was appended, batch by batch, each computed from records and envelopes.

    Raises:
        IntegrityBroken: ``backup``: entries, captures and signed checkpoints do not fit together.
    """
    try:
        yield from _Reading(folder, manifest).batches()
    except IntegrityBroken:
        raise
    except (FairtrialError, OSError, KeyError, TypeError, StopIteration) as error:
        raise _damaged("an entry, a capture or a checkpoint cannot be read") from error


class _Reading:
    """One walk through a backup, from the first entry on."""

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        self._folder = folder
        self._manifest = manifest
        self._entries = self._lines()
        self._tree = Tree()
        self._verifier: NoteVerifier | None = None

    def batches(self) -> Iterator[Batch]:
        previous: int | None = None
        for line in _jsonl(self._folder / CHECKPOINTS):
            note = str(line["note"]).encode()
            size = checkpoint_of(note).size
            batch = self._batch(note, size, previous)
            yield batch
            previous = size
        whole = (self._tree.size, self._tree.root().hex())
        if whole != (self._manifest.size, self._manifest.root):
            raise _damaged("its entries do not make the tree of its manifest")

    def _batch(self, note: bytes, size: int, previous: int | None) -> Batch:
        leaves, statements, refs = [], [], []
        for index in range(self._tree.size, size):
            leaf, statement, entry = self._entry(index, next(self._entries))
            leaves.append(leaf)
            statements.append(statement)
            ref = capture_named_by(entry)
            if ref is not None:
                refs.append((ref, leaf.statement))
        self._tree, tiles = self._tree.grow([leaf.hash for leaf in leaves])
        row = CheckpointRow(size, previous, self._tree.root(), leaves[-1].at_us, note)
        self._refuse_other_note(row)
        return Batch(
            checkpoint=row,
            leaves=leaves,
            statements=statements,
            tiles=tiles,
            blobs=[self._blob(ref) for ref in {ref.sha256: ref for ref, _ in refs}.values()],
            uses=[CaptureUse(ref.sha256, receipt) for ref, receipt in refs],
        )

    def _entry(self, index: int, line: dict[str, JsonValue]) -> tuple[LeafRow, StatementRow, Entry]:
        record, data = from_base64(str(line["record"])), from_base64(str(line["envelope"]))
        payload = parse_envelope(data).payload
        entry = read_entry(index, record, payload)
        leaf = entry.leaf
        predicate = None if entry.parsed is None else entry.parsed.predicate
        if index == 0 and isinstance(predicate, GenesisPredicate):
            name = predicate.ledger.origin
            self._verifier = NoteVerifier(name, key_of(predicate.checkpoint_key))
        row = LeafRow(
            index=index,
            record=record,
            hash=leaf.hash(),
            statement=leaf.statement,
            kind=leaf.kind,
            line=leaf.line,
            seq=leaf.seq,
            at_us=micros_of(leaf.at),
        )
        return row, StatementRow(leaf.statement, payload, data), entry

    def _refuse_other_note(self, row: CheckpointRow) -> None:
        if self._verifier is None:
            raise _damaged("it does not begin with a genesis")
        found = open_checkpoint(row.note, self._verifier, origin=self._verifier.name)
        if found != Checkpoint(self._manifest.origin, row.size, row.root):
            raise _damaged(f"its checkpoint of size {row.size} is not that of its entries")

    def _blob(self, ref: CaptureRef) -> BlobRow:
        name = CAPTURES.format(ref.sha256[:2], ref.sha256)
        blob = BlobRow(ref.sha256, ref.size, (self._folder / name).read_bytes())
        refuse_other_blob(blob, ref)
        return blob

    def _lines(self) -> Iterator[dict[str, JsonValue]]:
        number = 0
        while ENTRIES.format(number) in self._manifest.files:
            yield from _jsonl(self._folder / ENTRIES.format(number))
            number += 1


def _jsonl(path: Path) -> Iterator[dict[str, JsonValue]]:
    with path.open("rb") as file:
        for line in file:
            value = parse_strict(line.rstrip(b"\n"))
            if isinstance(value, dict):
                yield value


def _manifest(document: JsonValue) -> Manifest:
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise _damaged("it is of another form than this version reads")
    files = document["files"]
    if not isinstance(files, dict):
        raise _damaged("its manifest names no files")
    records = {}
    for name, one in files.items():
        if not isinstance(one, dict) or ".." in Path(name).parts or Path(name).is_absolute():
            raise _damaged("its manifest names a file outside of it")
        records[name] = FileRecord(str(one["sha256"]), int(str(one["size"])))
    return Manifest(
        origin=str(document["origin"]),
        genesis=str(document["genesis"]),
        size=int(str(document["size"])),
        root=str(document["root"]),
        files=records,
    )


def _file_record(path: Path) -> FileRecord:
    data = path.read_bytes()
    return FileRecord(sha256_hex(data), len(data))


def _damaged(what: str) -> IntegrityBroken:
    message = f"The backup cannot be restored: {what}. Use another copy of it."
    return IntegrityBroken(message, code="backup")
