# SPDX-License-Identifier: Apache-2.0
"""A log over real HTTP, and somebody between it and its readers who alters what passes."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from typing_extensions import override

from tests.logs import ServedLog


@dataclass(frozen=True, slots=True)
class Reply:
    """What is sent for a path.

    Attributes:
        hangs: the body, or all of it, never comes.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False


Alteration = Callable[[str, Reply], Reply]


def at(path: str, change: Callable[[bytes], bytes]) -> Alteration:
    """Change the bytes of one file of the log."""
    here = f"/log/{path}"
    return lambda asked, true: replace(true, body=change(true.body)) if asked == here else true


def instead(path: str, reply: Reply) -> Alteration:
    """Give something else for one file of the log."""
    return lambda asked, true: reply if asked == f"/log/{path}" else true


def turned(byte: int) -> Callable[[bytes], bytes]:
    """Turn one bit over."""
    return lambda data: data[:byte] + bytes([data[byte] ^ 1]) + data[byte + 1 :]


@cache
def truth(log: ServedLog, path: str) -> Reply:
    """Return what a log serves at a path; it does not change meanwhile."""
    true = log.reply(path)
    return Reply(true.content, true.status_code)


@contextmanager
def served_at(log: ServedLog, *alterations: Alteration) -> Iterator[str]:
    """Serve a log, altered, on a free loopback port; yield its address."""
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            reply = truth(log, self.path)
            for alter in alterations:
                reply = alter(self.path, reply)
            if reply.hangs:
                over.wait()
            self.send_response(reply.status)
            for name, value in {"content-length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(ConnectionError):  # whoever asked has read enough
                self.wfile.write(reply.body)

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        over.set()
        server.shutdown()
        thread.join()
        server.server_close()
