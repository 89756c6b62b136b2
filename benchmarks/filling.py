# SPDX-License-Identifier: Apache-2.0
"""A ledger that others wrote to for long, in minutes: entries go in by the batch, unadmitted.

What stands afterwards is right in bytes: leaves, lines, tiles, signed statements, checkpoints and
the anchor. Nobody asked whether each statement was in order, so an audit of the story would fail;
what is measured on top reads none of it but through indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from app.core.digest import sha256_hex
from app.core.identity import instant_of
from app.core.log.leaf import Leaf, head_line
from app.core.log.merkle import leaf_hash
from app.core.signing.envelope import sign, to_json
from app.core.statement.closure import ClosurePredicate, Flow
from app.service.ports import Batch, CheckpointRow, LeafRow, StatementRow
from app.service.tree import load_tree
from app.storage.anchor_file import AnchorFile
from app.storage.open_store import store_of
from tests import documents
from tests.documents import DAY_US
from tests.drafts import Draft, signing_key
from tests.fakes import ledger_keys
from tests.makers import Maker

REPOSITORY: Final = "github.com/example-org/grown"
HEAD_ENTRIES: Final = 100
"""Statements of one head: a study, notes, and the closure."""
BATCH: Final = 256
_NOTE: Final = b"Note 0."


@dataclass(frozen=True, slots=True)
class Told:
    """A statement of the filling before it has a place."""

    kind: str
    payload: bytes
    by: str


@dataclass(frozen=True, slots=True)
class _Head:
    """One head's statements, of which every other head's are made by putting in other digests."""

    study: Draft
    note: Draft
    closure: Draft

    @classmethod
    def made(cls, make: Maker, at_us: int) -> _Head:
        study = make.study(documents.document(), closes_at_us=at_us + DAY_US)
        no_slots = Flow(*(0,) * len(Flow.__struct_fields__))
        closed = ClosurePredicate(
            **make.header("ledger"),
            study=study.digest,
            reason="ended",
            flow=no_slots,
            missing=[],
            abandoned=[],
        )
        note = make.deviation(study.digest, what=_NOTE.decode())
        return cls(study, note, make.draft("closure", closed, "ledger"))

    def told_by(self, old: str, new: str) -> Iterator[Told]:
        """Yield what would be told of the head ``new``, in order."""

        def moved(draft: Draft, study: str) -> bytes:
            payload = draft.parsed.payload.replace(old.encode(), new.encode())
            return payload.replace(self.study.digest.encode(), study.encode())

        opened = moved(self.study, "")
        study = sha256_hex(opened)
        yield Told("study", opened, "maintainer")
        note = moved(self.note, study)
        for n in range(HEAD_ENTRIES - 2):
            yield Told("deviation", note.replace(_NOTE, b"Note %d." % n), "maintainer")
        yield Told("closure", moved(self.closure, study), "ledger")


def told(make: Maker, at_us: int, *, first: int) -> Iterator[tuple[str, int, Told]]:
    """Yield statements without end, each with its line and its place there."""
    pattern = _Head.made(make, at_us)
    ordinal = first
    while True:
        ordinal += 1
        head = documents.commit(f"grown head {ordinal}")
        line = head_line(make.repository, head)
        for seq, one in enumerate(pattern.told_by(make.head, head)):
            yield line, seq, one


async def fill(url: str, folder: Path, *, up_to: int) -> None:
    """Let the log of ``url`` grow to ``up_to`` entries; nobody else may write to it meanwhile."""
    store, anchor, signer = store_of(url), AnchorFile(folder), ledger_keys()
    await store.open()
    newest = await store.newest_checkpoint()
    (genesis,) = await store.leaves(0, 1)
    assert newest is not None
    tree, at_us, shown = await load_tree(store, newest.size), newest.at_us, newest.note
    make = Maker(genesis_digest=genesis.statement, repository=REPOSITORY)
    statements = told(make, at_us, first=tree.size)
    note = shown
    while tree.size < up_to:
        leaves: list[LeafRow] = []
        rows: list[StatementRow] = []
        for line, seq, one in islice(statements, min(BATCH, up_to - tree.size)):
            key, index = signing_key(one.by), tree.size + len(leaves)
            digest = sha256_hex(one.payload)
            leaf = Leaf(
                at=instant_of(at_us),
                kind=one.kind,
                statement=digest,
                size=len(one.payload),
                key=key.key_id,
                line=line,
                seq=seq,
                prev=index - 1 if seq else None,
            )
            record = leaf.to_bytes()
            hashed = leaf_hash(record)
            leaves.append(LeafRow(index, record, hashed, digest, one.kind, line, seq, at_us))
            rows.append(StatementRow(digest, one.payload, to_json(sign(one.payload, [key]))))
        before = tree.size
        tree, tiles = tree.grow([row.hash for row in leaves])
        note = signer.sign_checkpoint(tree.size, tree.root())
        checkpoint = CheckpointRow(tree.size, before, tree.root(), at_us, note)
        assert await store.append(Batch(checkpoint, leaves, rows, tiles))
    await store.close()
    if note != shown:
        assert await anchor.swap(shown, note)
