# SPDX-License-Identifier: Apache-2.0
"""A log of made-up records, served as C2SP tlog-tiles, which may tell two stories."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import httpx

from app.core.identity import instant_of
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.leaf import Leaf, ledger_line
from app.core.log.merkle import inclusion_proof, leaf_hash, root_of
from app.core.log.note import NoteSigner
from app.core.log.tile import (
    ENTRIES,
    FULL,
    encode_entries,
    parse_tile_path,
    tile_bytes,
)
from tests.drafts import ORIGIN, signing_key
from tests.story import START_US

LOG = NoteSigner(ORIGIN, signing_key("checkpoint"))


def record(
    index: int, *, kind: str = "other", at_us: int | None = None, statement: str = ""
) -> bytes:
    """Return the leaf at ``index``, all of them on the ledger's line."""
    leaf = Leaf(
        at=instant_of(START_US + index if at_us is None else at_us),
        kind=kind,
        statement=statement or f"{index:064x}",
        size=1,
        key="a" * 64,
        line=ledger_line(),
        seq=index,
        prev=index - 1 if index else None,
    )
    return leaf.to_bytes()


def records(size: int, *, first: str = "") -> list[bytes]:
    """Return the records of a log of ``size``; ``first`` is the digest of its genesis."""
    return [record(0, kind="genesis", statement=first), *(record(n) for n in range(1, size))]


@dataclass(eq=False)
class ServedLog:
    """A log as it is served over HTTP.

    Attributes:
        entries: its records.
        shown: the size of the checkpoint that is shown, by default all of them.
        hashes: what its tiles say, by default the truth.
        genesis: the envelope it gives for its genesis.
        left_out: entries that its entry bundles are short of.
        alter: what somebody on the way makes of an answer at a path.
        asked: paths, in the order in which they were asked for.
    """

    entries: list[bytes]
    shown: int | None = None
    hashes: list[bytes] | None = None
    genesis: bytes = b""
    left_out: int = 0
    alter: Callable[[str, httpx.Response], httpx.Response] = lambda _path, answer: answer
    signer: NoteSigner = LOG
    asked: list[str] = field(default_factory=list)

    @property
    def size(self) -> int:
        return len(self.entries) if self.shown is None else self.shown

    def leaves(self) -> list[bytes]:
        return [leaf_hash(one) for one in self.entries[: self.size]]

    def root(self, size: int | None = None) -> bytes:
        return root_of(self.leaves()[: self.size if size is None else size])

    def checkpoint(self) -> bytes:
        return sign_checkpoint(Checkpoint(ORIGIN, self.size, self.root()), [self.signer])

    def inclusion(self, index: int) -> Sequence[bytes]:
        return inclusion_proof(index, self.size, self._hash_at)

    def answer(self, path: str) -> bytes:
        """Return what is served under a path."""
        return self._answer(httpx.Request("GET", f"http://localhost{path}")).content

    def reply(self, path: str) -> httpx.Response:
        """Return what comes out at the other end when a path is asked for."""
        answer = self._answer(httpx.Request("GET", f"http://localhost{path}"))
        return self.alter(path, answer)

    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(lambda request: self.reply(request.url.path))

    def _hash_at(self, level: int, index: int) -> bytes:
        given = self.hashes or self.leaves()
        return root_of(given[index << level : (index + 1) << level])

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(path)
        if path == "/log/checkpoint":
            return httpx.Response(200, content=self.checkpoint())
        if path.startswith("/log/tile/"):
            tile = parse_tile_path(path.removeprefix("/log/"))
            if tile.level == ENTRIES:
                start = tile.index * FULL
                given = self.entries[start : start + tile.width - self.left_out]
                return httpx.Response(200, content=encode_entries(given))
            return httpx.Response(200, content=tile_bytes(tile, self._hash_at))
        if path.startswith("/v1/statements/"):
            return httpx.Response(200, content=self.genesis)
        problem = {"code": "unknown-thing", "title": "no", "detail": "no", "status": 404}
        return httpx.Response(404, content=json.dumps(problem))
