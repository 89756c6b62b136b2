# SPDX-License-Identifier: Apache-2.0
"""The listening side: uvicorn with time limits for headers, and refusals that are problems.

uvicorn waits for ever for the rest of a request's headers, takes headers of any size, and answers
what it cannot read in plain text. A proxy before it usually has its own limits; this process does
not depend on one. Bodies are limited where they are read (``app.edge.limits``).
"""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from typing import Any, Final

import uvicorn
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from app.edge.patience import Patience
from app.edge.problems import Problem

HEADERS_S: Final = 10.0
"""Time for a whole head of a request, from its first byte or from the connection's start."""
KEEP_ALIVE_S: Final = 15
SECOND_LOOK_S: Final = 1.0
"""What an idle connection is left after that: a request may have come that nobody could read."""
SHUTDOWN_S: Final = 15
MAX_HEAD_BYTES: Final = 64 * 1024
MAX_CONNECTIONS: Final = 2048
"""Open connections of one process, idle ones included."""


class Listener(HttpToolsProtocol):
    """One connection: uvicorn's own, with a clock and a counter on the head of each request."""

    headers_s: float = HEADERS_S
    max_connections: int = MAX_CONNECTIONS

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401 - uvicorn's own
        """Take what uvicorn gives."""
        super().__init__(*arguments, **named)
        self._patience = Patience(self.headers_s, self._too_late)
        self._in_head = True
        self._head_bytes = 0
        self._looked_again = False

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # uvicorn narrows it too
        super().connection_made(transport)
        self._patience.start()
        if len(self.connections) > self.max_connections:
            self._refuse(503, "overloaded", "As many connections as are taken are open; try again.")

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.stop()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # Still in the head after this piece: all of it belongs to the head.
        self._head_bytes += len(data) if self._in_head else 0
        if self._head_bytes > MAX_HEAD_BYTES:
            detail = f"Expected a request line and headers of at most {MAX_HEAD_BYTES} bytes."
            self._refuse(431, "headers", detail)

    @override
    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        self._head_bytes = 0
        self._looked_again = False
        self._patience.start()

    @override
    def on_headers_complete(self) -> None:
        self._patience.stop()
        self._in_head = False
        self._head_bytes = 0
        super().on_headers_complete()

    @override
    def send_400_response(self, msg: str) -> None:
        self._refuse(400, "http", "This is not an HTTP/1.1 request.")

    @override
    def timeout_keep_alive_handler(self) -> None:
        if self._looked_again:
            super().timeout_keep_alive_handler()
            return
        self._looked_again = True
        self.timeout_keep_alive_task = self.loop.call_later(
            SECOND_LOOK_S, self.timeout_keep_alive_handler
        )

    def _too_late(self) -> None:
        self._refuse(408, "request-timeout", "The head of the request did not come in time.")

    def _refuse(self, status: int, code: str, detail: str) -> None:
        """Answer in the place of a request and close; an answer under way is not written into."""
        if self.transport.is_closing():
            return
        under_way = self.cycle is not None and not self.cycle.response_complete
        if not (under_way and self.cycle.response_started):
            if under_way:
                # What the app has to say about this request goes nowhere.
                self.cycle.disconnected = True
                self.cycle.message_event.set()
            phrase = HTTPStatus(status).phrase
            response = Problem(status, code, phrase, detail).response()
            headers = {**response.headers, "connection": "close"}
            lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            head = f"HTTP/1.1 {status} {phrase}\r\n{lines}\r\n"
            self.transport.write(head.encode("latin-1") + bytes(response.body))
        self.transport.close()


def server_config(app: Any, *, host: str, port: int) -> uvicorn.Config:  # noqa: ANN401 - any ASGI app
    """Return how one process listens: uvloop, httptools, no websockets, no server header."""
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="uvloop",
        http=Listener,
        ws="none",
        lifespan="on",
        proxy_headers=False,
        server_header=False,
        backlog=MAX_CONNECTIONS,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
        log_level="warning",
    )
