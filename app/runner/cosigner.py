# SPDX-License-Identifier: Apache-2.0
"""A small witness: it answers ``add-checkpoint`` and shows what it cosigned last.

It is an ASGI app of two routes with no framework around it, so that somebody can read all of it
before running it: the C2SP tlog-witness page is the whole of what it does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from app.core.digest import sha256_hex
from app.core.errors import FairtrialError, MalformedDocument
from app.core.log.cosignature import cosign
from app.core.log.note import Note, NoteVerifier
from app.core.log.witness import (
    MAX_REQUEST_BYTES,
    AddCheckpoint,
    WitnessAnswer,
    judge_request,
    origin_of,
    parse_add_checkpoint,
)
from app.core.signing.keys import SigningKey
from app.runner.witness_state import LastCosigned, WitnessState

STATUS: Final = {
    WitnessAnswer.COSIGNED: 200,
    WitnessAnswer.MALFORMED: 400,
    WitnessAnswer.NOT_SIGNED: 403,
    WitnessAnswer.UNKNOWN_LOG: 404,
    WitnessAnswer.OTHER_SIZE: 409,
    WitnessAnswer.UNPROVEN: 422,
}
TEXT: Final = b"text/plain; charset=utf-8"
SIZE: Final = b"text/x.tlog.size"
MAX_BODY_S: Final = 20.0

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer of a witness, as it goes out."""

    status: int
    body: bytes
    media_type: bytes = TEXT


class Cosigner:
    """A witness of some logs; each checkpoint it cosigns continues the one before."""

    def __init__(
        self,
        name: str,
        key: SigningKey,
        logs: Mapping[str, Sequence[NoteVerifier]],
        state: WitnessState,
        now_s: Callable[[], int],
    ) -> None:
        """Witness ``logs`` (keys by origin) under ``name``."""
        self._name = name
        self._key = key
        self._logs = logs
        self._state = state
        self._now_s = now_s

    def add_checkpoint(self, body: bytes) -> Answered:
        """Answer a request to cosign.

        Raises:
            IntegrityBroken: ``witness-state``, what was seen before cannot be read.
        """
        try:
            request = parse_add_checkpoint(body)
        except MalformedDocument as error:
            return _told(WitnessAnswer.MALFORMED, error.detail)
        answers: list[Answered] = []

        def decide(last: LastCosigned | None) -> Note | None:
            answer, note = self._decided(request, last)
            answers.append(answer)
            return note

        self._state.change(origin_of(request), decide)
        return answers[0]

    def latest(self, origin_hash: str) -> Answered:
        """Answer with what was cosigned last for the log of this name's hash."""
        for origin in self._logs:
            last = self._state.last(origin)
            if sha256_hex(origin.encode()) == origin_hash and last is not None:
                return Answered(200, last.note.to_bytes())
        return _told(WitnessAnswer.UNKNOWN_LOG, "No checkpoint of that log was cosigned here.")

    def _decided(
        self, request: AddCheckpoint, last: LastCosigned | None
    ) -> tuple[Answered, Note | None]:
        seen = None if last is None else last.checkpoint
        found = judge_request(request, self._logs, seen)
        if found is WitnessAnswer.OTHER_SIZE:
            size = 0 if seen is None else seen.size
            return Answered(STATUS[found], f"{size}\n".encode(), SIZE), None
        if isinstance(found, WitnessAnswer):
            return _told(found, found), None
        keys = {(one.name, one.key_id) for one in self._logs[found.origin]}
        own = [one for one in request.note.signatures if (one.name, one.key_id) in keys]
        line = cosign(request.note.text, self._name, self._key, at_s=self._now_s())
        note = Note(request.note.text, (*own, line))
        return Answered(STATUS[WitnessAnswer.COSIGNED], line.to_line().encode()), note

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request of ASGI."""
        if scope["type"] == "http":
            answer = await self._answered(scope, receive)
            headers = [(b"content-type", answer.media_type), (b"cache-control", b"no-store")]
            start = {"type": "http.response.start", "status": answer.status, "headers": headers}
            await send(start)
            await send({"type": "http.response.body", "body": answer.body})

    async def _answered(self, scope: Scope, receive: Receive) -> Answered:
        method, path = scope["method"], scope["path"].strip("/").split("/")
        try:
            if (method, path) == ("POST", ["add-checkpoint"]):
                body = await _body(receive)
                if body is None:
                    return _told(WitnessAnswer.MALFORMED, "The body is too long, or did not come.")
                return await asyncio.to_thread(self.add_checkpoint, body)
            if method == "GET" and len(path) == 2 and path[1] == "checkpoint":
                return await asyncio.to_thread(self.latest, path[0])
        except (FairtrialError, OSError) as error:
            return Answered(503, f"{type(error).__name__}\n".encode())
        return Answered(404 if path != ["add-checkpoint"] else 405, b"Not here.\n")


async def _body(receive: Receive) -> bytes | None:
    """Return a body of at most ``MAX_REQUEST_BYTES``, None when it is longer or stops coming."""
    body = bytearray()
    try:
        async with asyncio.timeout(MAX_BODY_S):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                body += message.get("body", b"")
                if len(body) > MAX_REQUEST_BYTES:
                    return None
                if not message.get("more_body", False):
                    return bytes(body)
    except TimeoutError:
        return None


def _told(answer: WitnessAnswer, detail: str) -> Answered:
    return Answered(STATUS[answer], f"{detail}\n".encode())
