# SPDX-License-Identifier: Apache-2.0
"""What a request may cost before anybody is authenticated, and to whom it must be addressed.

Checked in this order, each at the first byte that can show it: how many requests are under way, how
the request is framed, its headers, its ``Host``, its encodings; then, by the route itself, the
body's type and its size: ``Content-Length`` at once, and whatever arrives by a counter, so that a
body without a length is cut at the limit and never stored beyond it.

Compression is refused on requests: receipts carry their capture compressed, and it is inflated only
after the signature holds, up to the size that was signed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.errors import FairtrialError, LedgerBusy, TooLarge, WrongMediaType
from app.edge.patience import Patience
from app.edge.problems import Problem, RequestRefused, problem_of, problem_of_http

KIB = 1024
MAX_RECEIPT_BYTES = 16 * KIB * KIB
"""A receipt with its capture, compressed and in base64."""
MAX_ENVELOPE_BYTES = 256 * KIB
"""Any other statement in its envelope."""
MAX_DOCUMENT_BYTES = MAX_ENVELOPE_BYTES
"""A protocol document by itself: as much as a lock of it takes."""
MAX_HEADER_BYTES = 16 * KIB
MAX_HEADERS = 64
MAX_TARGET_BYTES = 4 * KIB
MAX_IN_FLIGHT = 512
"""Requests under way in one process; the next is answered 503 and not queued."""
IDLE_S = 10.0
"""Longest silence inside a body."""
SLOWEST_BYTES_PER_S = 64 * KIB
"""A body may take 20 s and as long as its limit needs at this rate."""

_SECURITY = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
}
_ALWAYS_ANSWERED = "/healthz"


class Guard:
    """ASGI middleware: refuses by form what must not reach a route, and marks every answer."""

    def __init__(
        self, app: ASGIApp, *, allowed_hosts: Iterable[str], max_in_flight: int = MAX_IN_FLIGHT
    ) -> None:
        """Hold the names this service answers to; ``*`` among them stands for all."""
        self._app = app
        self._hosts = frozenset(host.lower() for host in allowed_hosts)
        self._room = max_in_flight

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._refuse_overload(scope)
            refuse_form(scope)
            refuse_host(Headers(scope=scope), self._hosts)
        except (FairtrialError, HTTPException) as error:
            problem = _problem(error)
            await problem.response()(scope, receive, _marked(send))
            return
        self._room -= 1
        try:
            await self._app(scope, receive, _marked(send))
        finally:
            self._room += 1

    def _refuse_overload(self, scope: Scope) -> None:
        if self._room <= 0 and scope["path"] != _ALWAYS_ANSWERED:
            raise LedgerBusy("As many requests as this process takes are under way; try again.")


def refuse_form(scope: Scope) -> None:
    """Refuse a request whose framing, size of headers, target or encoding is not taken here.

    Raises:
        RequestRefused: 400, 431 or 414.
        WrongMediaType: a ``Content-Encoding``.
    """
    headers: list[tuple[bytes, bytes]] = scope["headers"]
    n_bytes = sum(len(name) + len(value) + 4 for name, value in headers)
    if len(headers) > MAX_HEADERS or n_bytes > MAX_HEADER_BYTES:
        detail = f"Expected at most {MAX_HEADERS} headers of together {MAX_HEADER_BYTES} bytes."
        raise RequestRefused(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers", detail)
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_TARGET_BYTES:
        detail = f"Expected a path and query of at most {MAX_TARGET_BYTES} bytes."
        raise RequestRefused(HTTPStatus.REQUEST_URI_TOO_LONG, "target", detail)
    names = [name for name, _ in headers]
    # Two proxies that choose differently between the two framings see two different requests
    # (RFC 9112, 6.1 and 11.2).
    if b"transfer-encoding" in names and b"content-length" in names:
        raise _framing("Transfer-Encoding and Content-Length exclude one another.")
    if names.count(b"content-length") > 1 or names.count(b"transfer-encoding") > 1:
        raise _framing("Content-Length and Transfer-Encoding may each stand once.")
    if any(value.strip().lower() != b"identity" for name, value in headers if _encodes(name)):
        detail = "Send the body as it is: no Content-Encoding is taken."
        raise WrongMediaType(detail, code="content-encoding")


def refuse_host(headers: Headers, allowed: frozenset[str]) -> None:
    """Refuse a request that is addressed to another host than this service is known by.

    Raises:
        RequestRefused: 400.
    """
    hosts = headers.getlist("host")
    if "*" in allowed and len(hosts) == 1:
        return
    if len(hosts) != 1 or _without_port(hosts[0].lower()) not in allowed:
        detail = "Expected one Host that this service is configured for."
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "host", detail)


async def read_body(request: Request, *, limit: int) -> bytes:
    """Read a body of at most ``limit`` bytes, holding never more than that.

    Raises:
        TooLarge: at once by its ``Content-Length``, or when the counter passes the limit.
        RequestRefused: 400 or 408.
    """
    _refuse_length(request.headers.get("content-length"), limit)
    body = bytearray()
    chunks = request.stream()
    now = asyncio.get_running_loop().time
    waiting = asyncio.timeout(None)
    longest_s = 2 * IDLE_S + limit / SLOWEST_BYTES_PER_S
    patience = Patience(IDLE_S, lambda: waiting.reschedule(now()), at_most_s=longest_s)
    try:
        async with waiting:
            patience.start()
            async for chunk in chunks:
                if len(body) + len(chunk) > limit:
                    raise _too_large(limit)
                body += chunk
                patience.heard()
            return bytes(body)
    except TimeoutError as error:
        detail = "The body stopped coming; send it again."
        raise RequestRefused(HTTPStatus.REQUEST_TIMEOUT, "request-timeout", detail) from error
    except ClientDisconnect as error:
        detail = "The connection ended inside the body."
        raise RequestRefused(HTTPStatus.BAD_REQUEST, "body-cut", detail) from error
    finally:
        patience.stop()


def _refuse_length(declared: str | None, limit: int) -> None:
    if declared is None:
        return
    if not (declared.isascii() and declared.isdigit()):
        raise _framing("Content-Length is a decimal number.")
    # The number of digits first: an absurd length is not converted.
    if len(declared) > len(str(limit)) + 8 or int(declared) > limit:
        raise _too_large(limit)


def _too_large(limit: int) -> TooLarge:
    return TooLarge(f"Expected a body of at most {limit} bytes.")


def _framing(detail: str) -> RequestRefused:
    return RequestRefused(HTTPStatus.BAD_REQUEST, "framing", detail)


def _encodes(name: bytes) -> bool:
    return name == b"content-encoding"


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def _problem(error: FairtrialError | HTTPException) -> Problem:
    problem = problem_of(error) if isinstance(error, FairtrialError) else problem_of_http(error)
    if problem.code == "framing":
        return Problem(
            problem.status, problem.code, problem.title, problem.detail,
            headers={"connection": "close"},
        )  # fmt: skip
    return problem


def _marked(send: Send) -> Callable[[Message], Awaitable[None]]:
    """Return ``send`` with the security headers that an answer does not set itself."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _SECURITY.items():
                headers.setdefault(name, value)
        await send(message)

    return marked
