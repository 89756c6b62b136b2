# SPDX-License-Identifier: Apache-2.0
"""Restores a backup into an empty place, through the same door that every batch once came in by.

First the whole backup is read and held against itself and against the checkpoint file, if one
stands there; only then is the first row written. Afterwards the restored store is audited, and last
the checkpoint file is written: without it nothing is served.
"""

from __future__ import annotations

from pathlib import Path

from app.core.errors import Conflict, IntegrityBroken
from app.service.audit import Audit, Audited
from app.service.captures import INLINE_BYTES
from app.service.last_shown import checkpoint_of
from app.service.ports import Batch, LedgerStore
from app.storage.anchor_file import AnchorFile
from app.storage.backup import Manifest, Progress
from app.storage.backup_reader import batches, read_manifest


async def restore(
    store: LedgerStore,
    folder: Path,
    *,
    anchor: AnchorFile,
    progress: Progress = lambda _done, _of: None,
) -> tuple[Manifest, Audited]:
    """Fill an opened, empty store from a backup and audit it.

    Raises:
        Conflict: ``ledger-exists``.
        IntegrityBroken: ``backup``; ``rollback`` or ``fork``, the checkpoint file that stands here
            is of a later state or of another tree than the backup.
    """
    if await store.newest_checkpoint() is not None:
        message = "A ledger stands there; a backup is restored into an empty place only."
        raise Conflict(message, code="ledger-exists")
    manifest = read_manifest(folder)
    stands = await anchor.read()
    note = _checked(folder, manifest, stands)
    for batch in batches(folder, manifest):
        await _append(store, batch)
        progress(batch.checkpoint.size, manifest.size)
    audited = await Audit(store).run()
    if audited.damage is None and stands != note and not await anchor.swap(stands, note):
        message = "Another process wrote the checkpoint file meanwhile; look what it was."
        raise Conflict(message, code="ledger-exists")
    return manifest, audited


def _checked(folder: Path, manifest: Manifest, stands: bytes | None) -> bytes:
    """Read the whole backup without writing anything; return its newest checkpoint."""
    shown = None if stands is None else checkpoint_of(stands)
    roots, note = {}, b""
    for batch in batches(folder, manifest):
        note = batch.checkpoint.note
        if shown is not None and batch.checkpoint.size == shown.size:
            roots[shown.size] = batch.checkpoint.root
    if shown is not None and shown.size > manifest.size:
        message = (
            f"Size {shown.size} of this log was published and the backup ends at {manifest.size}: "
            "going on from it would fork the log. Restore a newer backup, or begin another log "
            "that continues this one."
        )
        raise IntegrityBroken(message, code="rollback")
    if shown is not None and roots.get(shown.size) != shown.root:
        message = "The checkpoint file that stands here is of another tree than the backup."
        raise IntegrityBroken(message, code="fork")
    return note


async def _append(store: LedgerStore, batch: Batch) -> None:
    inline = [blob for blob in batch.blobs if len(blob.zstd) <= INLINE_BYTES]
    for blob in batch.blobs:
        if blob not in inline:
            await store.put_blob(blob)
    whole = Batch(
        checkpoint=batch.checkpoint,
        leaves=batch.leaves,
        statements=batch.statements,
        tiles=batch.tiles,
        blobs=inline,
        uses=batch.uses,
    )
    if not await store.append(whole):
        message = "Another process writes to the store that is being restored."
        raise Conflict(message, code="ledger-exists")
