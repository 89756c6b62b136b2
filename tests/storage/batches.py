# SPDX-License-Identifier: Apache-2.0
"""Batches of rows that hang together, made without the ledger's rules: for the store alone."""

from collections.abc import Sequence

from app.core.digest import sha256, sha256_hex
from app.core.log.merkle import leaf_hash, root_of
from app.service.ports import (
    Batch,
    BlobRow,
    CaptureUse,
    CheckpointRow,
    LeafRow,
    StatementRow,
    TileRow,
)

AT_US = 1_790_000_000_000_000


def rows(start: int, lines: Sequence[str], *, seqs: Sequence[int]) -> list[LeafRow]:
    """Return leaves from index ``start`` on, one per line named."""
    made = []
    for place, (line, seq) in enumerate(zip(lines, seqs, strict=True), start=start):
        record = f"record {place}".encode()
        made.append(
            LeafRow(
                index=place,
                record=record,
                hash=leaf_hash(record),
                statement=sha256_hex(_payload(place)),
                kind="study" if line.startswith("head:") else "key",
                line=line,
                seq=seq,
                at_us=AT_US + place,
            )
        )
    return made


def batch(
    leaves: Sequence[LeafRow],
    *,
    prev_size: int | None,
    size: int | None = None,
    blobs: Sequence[BlobRow] = (),
    uses: Sequence[CaptureUse] = (),
    tiles: Sequence[TileRow] = (),
) -> Batch:
    """Return a batch around ``leaves``."""
    end = (prev_size or 0) + len(leaves) if size is None else size
    return Batch(
        checkpoint=CheckpointRow(
            size=end,
            prev_size=prev_size,
            root=root_of([row.hash for row in leaves]),
            at_us=leaves[-1].at_us if leaves else AT_US,
            note=b"note\n",
        ),
        leaves=leaves,
        statements=[StatementRow(row.statement, _payload(row.index), b"{}") for row in leaves],
        blobs=blobs,
        uses=uses,
        tiles=tiles,
    )


def first() -> Batch:
    """Return the batch that begins a log."""
    return batch(rows(0, ["ledger"], seqs=[0]), prev_size=None)


def second() -> Batch:
    """Return three leaves on two lines behind ``first``, a capture, and a tile made of nothing."""
    leaves = rows(1, ["ledger", "repo:a/b/c", "ledger"], seqs=[1, 0, 2])
    blob = BlobRow(sha256(b"capture").hex(), 7, b"compressed")
    use = CaptureUse(blob.sha256, leaves[1].statement)
    return batch(leaves, prev_size=1, blobs=[blob], uses=[use], tiles=[TileRow(9, 0, bytes(8192))])


def _payload(index: int) -> bytes:
    return f"payload {index}".encode()
