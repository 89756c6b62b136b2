# SPDX-License-Identifier: Apache-2.0
"""What the ledger answers with: plain values, which edge, pages and command line put into words."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.log.leaf import Leaf
from app.core.log.note import parse_note
from app.core.log.proof import TlogProof
from app.core.statement.entry import Entry
from app.core.statement.protocol import ProtocolPredicate
from app.core.study.state import StudyState
from app.core.verdict.versions import ProtocolVersion


@dataclass(frozen=True, slots=True)
class Appended:
    """Where a statement stands, with the proof that it does.

    Attributes:
        index: of its leaf.
        digest: SHA-256 of its payload.
        kind: its kind.
        leaf: the record; its JCS bytes are ``leaf.to_bytes()``.
        proof: inclusion proof in the tree of ``size``, the leaf's sibling first.
        size: the tree size that ``checkpoint`` is of.
        checkpoint: the signed note.
        effect: what admission makes of it: ``accepted``, and for receipts ``scored``, ``late`` ...
        created: False when the same statement stood there before.
        challenge: of the first slot; reservations only.
    """

    index: int
    digest: str
    kind: str
    leaf: Leaf
    proof: tuple[bytes, ...]
    size: int
    checkpoint: str
    effect: str
    created: bool
    challenge: str | None


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A statement as it is stored; ``entry.parsed`` is None for a kind unknown to this reader."""

    digest: str
    entry: Entry
    record: bytes
    payload: bytes
    envelope: bytes

    @property
    def index(self) -> int:
        """Index of its leaf."""
        return self.entry.index

    @property
    def leaf(self) -> Leaf:
        """Its leaf."""
        return self.entry.leaf


@dataclass(frozen=True, slots=True)
class FoundProof:
    """Where a leaf stands in the newest tree."""

    index: int
    record: bytes
    proof: tuple[bytes, ...]
    size: int
    checkpoint: str

    def to_text(self) -> bytes:
        """Return the C2SP tlog-proof text."""
        note = parse_note(self.checkpoint.encode())
        return TlogProof(self.index, self.proof, note).to_bytes()


@dataclass(frozen=True, slots=True)
class FoundInclusion:
    """That a leaf stands in the tree of a size."""

    leaf_hash: bytes
    root: bytes
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FoundConsistency:
    """That one tree is the beginning of another."""

    old_root: bytes
    new_root: bytes
    proof: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class LockedDocument:
    """A locked protocol and the lock around it.

    Attributes:
        digest: of the document's JCS bytes.
        statement: of the lock.
        index: of the lock's leaf.
        at: its log time.
        document_bytes: the document's JCS bytes.
    """

    digest: str
    statement: str
    index: int
    at: str
    predicate: ProtocolPredicate
    document_bytes: bytes


@dataclass(frozen=True, slots=True)
class FoundVersions:
    """A chain of versions of a protocol, in log order.

    Attributes:
        versions: those of the page that was asked for.
        newest: digest of the last of the whole chain.
    """

    repository: str
    versions: tuple[ProtocolVersion, ...]
    newest: str


@dataclass(frozen=True, slots=True)
class FoundStudy:
    """A study where it stands now."""

    repository: str
    head: str
    study: StudyState
    log_time_us: int


@dataclass(frozen=True, slots=True)
class StudyListing:
    """A study in a list: enough for a link."""

    digest: str
    index: int
    at: str
    repository: str
    head: str
    ordinal: int
    change: str | None
    protocol: str


@dataclass(frozen=True, slots=True)
class FoundChange:
    """A pull request, as far as studies and refs name it.

    Attributes:
        heads: the newest first; a head that only a ref names has no evidence yet.
        studies: in log order.
    """

    heads: tuple[str, ...]
    studies: tuple[StudyListing, ...]


@dataclass(frozen=True, slots=True)
class VerdictBytes:
    """A verdict document: the bytes that ``score`` prints too, and their digest for the ETag."""

    claim: str | None
    document: bytes
    digest: str
