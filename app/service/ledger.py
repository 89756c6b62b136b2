# SPDX-License-Identifier: Apache-2.0
"""The ledger of one process: every use case behind one door.

Writes go through the sequencer; reads see the newest committed tree, whichever process wrote it.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.core.admission.state import Standing
from app.core.keyring.keyring import Keyring
from app.core.log.tile import Tile
from app.service.answers import (
    Appended,
    FoundProof,
    FoundStatement,
    FoundStudy,
    LockedDocument,
    StudyListing,
    VerdictBytes,
)
from app.service.ports import Clock, LedgerStore, LogSigner


class Ledger:
    """One per process: ``start`` it before use and ``stop`` it at the end."""

    def __init__(self, store: LedgerStore, *, signer: LogSigner, clock: Clock) -> None:
        """Wire the ledger; nothing is read before ``start``."""
        raise NotImplementedError

    async def start(self) -> None:
        """Read the newest state, append what is overdue, take writes.

        Raises:
            UnknownThing: ``no-ledger``, the store holds no log; only ``init`` makes one.
            IntegrityBroken: the keys at hand are not those of the genesis.
        """

    async def stop(self) -> None:
        """Take no more writes, finish those under way, let go of the store."""

    @property
    def origin(self) -> str:
        """The log's name."""

    @property
    def genesis(self) -> str:
        """Digest of the genesis statement."""

    # ---- the one write ----

    async def submit(self, envelope: bytes, *, kind: str, capture: bytes | None = None) -> Appended:
        """Receive, admit and append one statement.

        Args:
            envelope: the DSSE envelope's JSON as received.
            kind: the kind the route takes.
            capture: receipts only: zstd of the capture's JCS bytes.

        Raises:
            FairtrialError: why it may not enter; nothing was stored, save a ``refusal`` for a slot
                that this key holds.
        """

    # ---- reads ----

    async def keyring(self) -> Keyring:
        """Return the keys and grants in force now."""

    async def standing(
        self, repository: str, head: str | None = None, *, at_size: int | None = None
    ) -> Standing:
        """Return the folded lines of a head (or of a repository alone), now or below ``at_size``.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-size``.
        """

    async def verdict(
        self, repository: str, head: str, *, claim: str | None = None, at_size: int | None = None
    ) -> VerdictBytes:
        """Return the verdict document of one claim; without ``claim``, of the policy's first.

        Raises:
            UnknownThing: ``unknown-repository``, ``unknown-claim``, ``unknown-size``.
        """

    async def verdicts(
        self, repository: str, head: str, *, at_size: int | None = None
    ) -> tuple[VerdictBytes, ...]:
        """Return the verdict documents of every claim, in the policy's order."""

    async def bundle(self, repository: str, head: str, *, at_size: int | None = None) -> bytes:
        """Return the three lines whole, as JSONL."""

    async def statement(self, digest: str) -> FoundStatement:
        """Return a statement.

        Raises:
            UnknownThing: ``unknown-statement``.
        """

    async def proof(self, digest: str) -> FoundProof:
        """Return where a statement stands in the newest tree.

        Raises:
            UnknownThing: ``unknown-statement``.
        """

    async def capture(self, digest: str) -> bytes:
        """Return a capture's JCS bytes.

        Raises:
            UnknownThing: ``unknown-capture``.
            SealedUntilClosure: no study that names it is closed.
        """

    async def study(self, digest: str) -> FoundStudy:
        """Return a study as it stands now.

        Raises:
            UnknownThing: ``unknown-study``.
        """

    async def studies(
        self, repository: str | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[StudyListing, ...]:
        """Return studies in log order above index ``after``."""

    async def protocol(self, digest: str) -> LockedDocument:
        """Return a locked protocol by its document's digest.

        Raises:
            UnknownThing: ``unknown-protocol``.
        """

    async def protocols(
        self, repository: str | None = None, *, after: int = -1, limit: int = 100
    ) -> tuple[LockedDocument, ...]:
        """Return locked protocols in log order above index ``after``."""

    async def repositories(self) -> tuple[str, ...]:
        """Return the repositories that have a line."""

    async def heads(self, repository: str) -> tuple[str, ...]:
        """Return the heads of a repository that have a line."""

    async def change(self, repository: str, number: str) -> tuple[StudyListing, ...]:
        """Return the studies of one change, in log order.

        Raises:
            UnknownThing: ``unknown-change``.
        """

    async def resolve_head(self, repository: str, prefix: str) -> str:
        """Return the one head that begins with ``prefix`` (7 characters or more).

        Raises:
            UnknownThing: ``unknown-head``.
            Conflict: ``ambiguous-prefix``.
        """

    async def resolve_statement(self, prefix: str) -> str:
        """Return the one statement digest that begins with ``prefix``.

        Raises:
            UnknownThing: ``unknown-statement``.
            Conflict: ``ambiguous-prefix``.
        """

    # ---- the log as published ----

    async def checkpoint(self) -> bytes:
        """Return the newest signed checkpoint."""

    async def tile(self, tile: Tile) -> bytes:
        """Return a tile of hashes or an entry bundle.

        Raises:
            UnknownThing: ``unknown-tile``, the tree is not that large.
        """

    async def entries(self, *, after: int = -1, limit: int = 100) -> Sequence[FoundStatement]:
        """Return statements in log order above index ``after``."""

    async def is_ready(self) -> bool:
        """Tell whether statements can be appended now."""
