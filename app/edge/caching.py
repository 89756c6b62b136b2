# SPDX-License-Identifier: Apache-2.0
"""HEAD wherever there is GET, a strong ETag on every GET, and who may keep an answer how long.

What is named by its digest, and what is asked at a stated tree size, never changes: kept for ever.
Everything else is revalidated on each use (``no-cache`` is "ask first", not "do not keep"), so that
no cache shows a verdict for longer than it stands. A tag is the SHA-256 of the very bytes.

Answers are whole here, never streamed, so buffering them once costs nothing new.
"""

from __future__ import annotations

from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.digest import sha256_hex

IMMUTABLE = {"cache-control": "public, max-age=31536000, immutable"}
REVALIDATED = {"cache-control": "no-cache"}

_OF_THE_BODY = frozenset(
    {b"content-type", b"content-length", b"content-encoding", b"content-language"}
)
"""What a 304 leaves out. All else stays: a browser lays a 304's headers over those it kept, so a
policy that were missing here would be replaced by a default on the page it already has."""


class Conditional:
    """ASGI middleware: HEAD, ETag and If-None-Match for every GET route behind it."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["method"] not in {"GET", "HEAD"}:
            await self._app(scope, receive, send)
            return
        answer = _Answer()
        await self._app({**scope, "method": "GET"}, receive, answer.take)
        await answer.send(scope, send)


class _Answer:
    """A whole response, held until its tag is known."""

    def __init__(self) -> None:
        self.start: Message = {"type": "http.response.start", "status": 500, "headers": []}
        self.body = bytearray()

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.start = message
        elif message["type"] == "http.response.body":
            self.body += message.get("body", b"")

    async def send(self, scope: Scope, send: Send) -> None:
        headers = MutableHeaders(scope=self.start)
        headers.setdefault("cache-control", REVALIDATED["cache-control"])
        if self.start["status"] == HTTPStatus.OK:
            headers.setdefault("etag", f'"{sha256_hex(bytes(self.body))}"')
            if is_known(Headers(scope=scope).getlist("if-none-match"), headers["etag"]):
                await self._send_not_modified(send)
                return
        headers["content-length"] = str(len(self.body))
        await send(self.start)
        body = b"" if scope["method"] == "HEAD" else bytes(self.body)
        await send({"type": "http.response.body", "body": body})

    async def _send_not_modified(self, send: Send) -> None:
        headers = self.start["headers"]
        kept = [(name, value) for name, value in headers if name.lower() not in _OF_THE_BODY]
        await send({**self.start, "status": 304, "headers": kept})
        await send({"type": "http.response.body", "body": b""})


def is_known(if_none_match: list[str], etag: str) -> bool:
    """Tell whether a client's ``If-None-Match`` names ``etag`` (RFC 9110, 13.1.2: weakly)."""
    named = [tag.strip().removeprefix("W/") for line in if_none_match for tag in line.split(",")]
    return "*" in named or etag in named
