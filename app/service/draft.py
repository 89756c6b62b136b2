# SPDX-License-Identifier: Apache-2.0
"""A batch while it is made: what would stand if it were committed.

It lies on top of the committed standings and changes nothing in them, so that a batch which loses
its swap, or of which one statement goes wrong half way, is thrown away whole.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from app.core.admission.apply import apply
from app.core.admission.line import head_of, line_of, repository_of
from app.core.admission.state import HeadState, LineState, RepositoryState, Standing
from app.core.identity import instant_of
from app.core.log.leaf import RESERVATION, Leaf, TreeHead
from app.core.log.merkle import leaf_hash
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.parse import Parsed
from app.service.lines import HeadName
from app.service.ports import (
    Batch,
    BlobRow,
    CaptureUse,
    CheckpointRow,
    LeafRow,
    StatementRow,
)
from app.service.receive_statement import Candidate
from app.service.standings import Standings


@dataclass(slots=True)
class _Added:
    """The rows a draft would insert."""

    leaves: list[LeafRow] = field(default_factory=list)
    statements: list[StatementRow] = field(default_factory=list)
    blobs: dict[str, BlobRow] = field(default_factory=dict)
    uses: list[CaptureUse] = field(default_factory=list)


class Draft:
    """The next batch, at one log time."""

    def __init__(self, base: Standings, *, at_us: int, draw_nonce: Callable[[], bytes]) -> None:
        """Begin an empty batch on top of ``base``."""
        self._base = base
        self._draw_nonce = draw_nonce
        self._tree = base.tree
        self._frontier = base.tree.frontier
        self._ledger = base.ledger
        self._repositories: dict[str, RepositoryState] = {}
        self._heads: dict[HeadName, HeadState] = {}
        self._places: dict[str, int] = {}
        self._leaves: dict[int, Leaf] = {}
        self._added = _Added()
        self.at_us = at_us
        self.captures: dict[str, Capture] = {}

    @property
    def size(self) -> int:
        """The tree size with everything added so far: the next statement's index."""
        return self._frontier.size

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to commit."""
        return not self._added.leaves

    def blobs_above(self, inline_bytes: int) -> list[BlobRow]:
        """Return the captures that are too large to go in with the batch."""
        return [blob for blob in self._added.blobs.values() if len(blob.zstd) > inline_bytes]

    def blob(self, digest: str) -> BlobRow:
        """Return a capture that this batch brings, as it is stored."""
        return self._added.blobs[digest]

    def leaf(self, index: int) -> Leaf:
        """Return a leaf that this batch adds."""
        return self._leaves[index]

    def standing(self, name: HeadName) -> Standing:
        """Return the three lines of a head with everything added so far."""
        base = self._base.standing(name)
        return Standing(
            self._ledger,
            self._repositories.get(name.repository, base.repository),
            self._heads.get(name, base.head),
        )

    async def read_up(self, name: HeadName) -> bool:
        """Read the captures of a head that were left for later; False: it is the base's still."""
        if name not in self._heads:
            return False
        self._heads[name] = await self._base.read_up(self._heads[name])
        return True

    def heads_of(self, repository: str) -> set[HeadName]:
        """Return the heads of a repository that this batch adds to."""
        return {name for name in self._heads if name.repository == repository}

    def repositories(self) -> set[str]:
        """Return the repositories of the heads that this batch adds to."""
        return {name.repository for name in self._heads}

    def place_of(self, parsed: Parsed) -> int | None:
        """Return the index of the same statement, if it stands already."""
        stands = self._base.places.get(line_of(parsed), {}).get(parsed.digest)
        return self._places.get(parsed.digest) if stands is None else stands

    def add(self, candidate: Candidate) -> int:
        """Append a statement and return its index."""
        parsed = candidate.parsed
        leaf = self._leaf_for(parsed)
        record = leaf.to_bytes()
        digest = leaf_hash(record)
        index = self.size
        self._frontier = self._frontier.append(digest)
        self._leaves[index] = leaf
        self._places[parsed.digest] = index
        self._added.leaves.append(
            LeafRow(
                index=index,
                record=record,
                hash=digest,
                statement=parsed.digest,
                kind=parsed.kind,
                line=leaf.line,
                seq=leaf.seq,
                at_us=self.at_us,
            )
        )
        row = StatementRow(parsed.digest, parsed.payload, candidate.envelope)
        self._added.statements.append(row)
        if candidate.blob is not None and candidate.capture is not None:
            self._added.blobs[candidate.blob.sha256] = candidate.blob
            self._added.uses.append(CaptureUse(candidate.blob.sha256, parsed.digest))
            self.captures[candidate.blob.sha256] = candidate.capture
        self._fold(name_of(parsed), Entry(index, leaf, parsed), candidate.capture)
        return index

    def batch(self, sign: Callable[[int, bytes], bytes], *, inline_bytes: int) -> Batch:
        """Return the rows to commit; captures above ``inline_bytes`` are not among them."""
        self._tree, tiles = self._base.tree.grow(self.hashes())
        root = self._frontier.root()
        checkpoint = CheckpointRow(
            size=self.size,
            prev_size=self._base.size,
            root=root,
            at_us=self.at_us,
            note=sign(self.size, root),
        )
        return Batch(
            checkpoint=checkpoint,
            leaves=self._added.leaves,
            statements=self._added.statements,
            tiles=tiles,
            blobs=[b for b in self._added.blobs.values() if len(b.zstd) <= inline_bytes],
            uses=self._added.uses,
        )

    def adopt(self, checkpoint: CheckpointRow) -> None:
        """Make the standings what this draft says; call it once its ``batch`` is durable.

        Args:
            checkpoint: the batch's.
        """
        base = self._base
        base.newest = checkpoint
        base.tree = self._tree
        base.ledger = self._ledger
        base.repositories.update(self._repositories)
        for name, head in self._heads.items():
            base.keep(name, head)
        base.note_places(self._added.leaves)

    def hashes(self) -> list[bytes]:
        """Return the hashes of the leaves that this batch adds."""
        return [row.hash for row in self._added.leaves]

    def _leaf_for(self, parsed: Parsed) -> Leaf:
        line = self._line_state(parsed)
        reserved = parsed.kind == RESERVATION
        return Leaf(
            at=instant_of(self.at_us),
            kind=parsed.kind,
            statement=parsed.digest,
            size=len(parsed.payload),
            key=parsed.signer,
            line=line_of(parsed),
            seq=line.length,
            prev=line.last_index,
            nonce=self._draw_nonce().hex() if reserved else None,
            after=TreeHead(self.size, self._frontier.root().hex()) if reserved else None,
        )

    def _line_state(self, parsed: Parsed) -> LineState:
        standing = self.standing(name_of(parsed))
        if repository_of(parsed) is None:
            return standing.ledger
        if head_of(parsed) is None:
            return standing.repository
        return standing.head or LineState()

    def _fold(self, name: HeadName, entry: Entry, capture: Capture | None) -> None:
        after = apply(self.standing(name), entry, capture)
        self._ledger = after.ledger
        if name.repository:
            self._repositories[name.repository] = after.repository
        if after.head is not None:
            self._heads[name] = after.head


def name_of(parsed: Parsed) -> HeadName:
    """Return the head a statement is about; parts that it does not concern are empty."""
    return HeadName(repository_of(parsed) or "", head_of(parsed) or "")
