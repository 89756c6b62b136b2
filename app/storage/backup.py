# SPDX-License-Identifier: Apache-2.0
"""Writes a backup of a running ledger: a folder that holds what cannot be computed again.

Nothing below a tree size ever changes, so whatever is read below the newest checkpoint of the
moment is one consistent state, on either database, without a transaction that is held open: a
backup takes as long as it takes and disturbs nobody. It holds each leaf's record and envelope, the
chain of signed checkpoints, and the captures; rows, hashes, roots and tiles follow from these, so a
backup of one database restores into the other.

    manifest.json            origin, genesis, size, root, and SHA-256 and size of every other file
    checkpoints.jsonl        {"note"}, the smallest first
    entries/NNNNNN.jsonl     {"envelope", "record"} in base64, in log order
    captures/XX/SHA256.zst   each capture as it is stored

Everything is re-hashed on its way, so damage is not copied. The ledger's keys are never in it.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from app.core.canonical import canonical
from app.core.digest import sha256_hex, to_base64
from app.core.errors import Conflict
from app.core.signing.envelope import to_json
from app.service.last_shown import checkpoint_of
from app.service.ports import CheckpointRow, LedgerStore
from app.service.standings import no_ledger
from app.service.stored_slice import capture_named_by, read_slice, slices
from app.storage.anchor_file import sync_folder

FORMAT: Final = "fairtrial-backup:v1"
MANIFEST: Final = "manifest.json"
CHECKPOINTS: Final = "checkpoints.jsonl"
ENTRIES: Final = "entries/{:06d}.jsonl"
CAPTURES: Final = "captures/{}/{}.zst"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class FileRecord:
    """What a manifest says of a file."""

    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup says it holds.

    Attributes:
        origin: the log's name.
        genesis: digest of its genesis statement.
        size: number of entries.
        root: root over them, in hex.
        files: every file but the manifest, by its name.
    """

    origin: str
    genesis: str
    size: int
    root: str
    files: dict[str, FileRecord]

    def to_bytes(self) -> bytes:
        """Return the manifest as it is written."""
        files = {name: {"sha256": f.sha256, "size": f.size} for name, f in self.files.items()}
        document = {
            "format": FORMAT,
            "origin": self.origin,
            "genesis": self.genesis,
            "size": self.size,
            "root": self.root,
            "files": files,
        }
        return canonical(document)


async def back_up(
    store: LedgerStore, folder: Path, *, progress: Progress = lambda _done, _of: None
) -> Manifest:
    """Write a backup of an opened store into ``folder``, which must not be there yet.

    Raises:
        Conflict: ``backup-exists``.
        UnknownThing: ``no-ledger``.
        Damaged: an entry is not what was appended; nothing is left behind.
    """
    newest = await store.newest_checkpoint()
    if newest is None:
        raise no_ledger()
    unfinished = _unfinished(folder)
    try:
        manifest = await _write(store, newest, _Files(unfinished), progress)
        _finish(unfinished, folder)
        return manifest
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)  # gone already where the backup is whole


def _unfinished(folder: Path) -> Path:
    """Return a new folder beside ``folder``: a backup has its name once it is whole."""
    if folder.exists():
        message = "Something stands where the backup would go; name another folder."
        raise Conflict(message, code="backup-exists")
    parent = folder.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=parent))


def _finish(unfinished: Path, folder: Path) -> None:
    unfinished.rename(folder)
    sync_folder(folder.absolute().parent)


class _Files:
    """The files written so far, each durable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.records: dict[str, FileRecord] = {}

    def put(self, name: str, data: bytes) -> None:
        path = self._folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        self.records[name] = FileRecord(sha256_hex(data), len(data))


async def _write(
    store: LedgerStore, newest: CheckpointRow, files: _Files, progress: Progress
) -> Manifest:
    genesis = ""
    for number, (start, end) in enumerate(slices(0, newest.size)):
        lines = []
        async for stored in read_slice(store, start, end):
            genesis = genesis or stored.row.statement
            envelope = to_json(stored.envelope)
            lines.append({"envelope": to_base64(envelope), "record": to_base64(stored.row.record)})
            ref = capture_named_by(stored.entry)
            name = ref and CAPTURES.format(ref.sha256[:2], ref.sha256)
            if ref and name not in files.records:
                files.put(str(name), (await store.blobs([ref.sha256]))[ref.sha256].zstd)
        files.put(ENTRIES.format(number), _jsonl(lines))
        progress(end, newest.size)
    chain = await store.checkpoints(0, newest.size)
    files.put(CHECKPOINTS, _jsonl({"note": row.note.decode()} for row in chain))
    origin = checkpoint_of(newest.note).origin
    manifest = Manifest(origin, genesis, newest.size, newest.root.hex(), dict(files.records))
    # Last: a folder with a manifest is whole.
    files.put(MANIFEST, manifest.to_bytes())
    return manifest


def _jsonl(lines: Iterable[dict[str, str]]) -> bytes:
    return b"".join(canonical(line) + b"\n" for line in lines)
