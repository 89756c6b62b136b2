# SPDX-License-Identifier: Apache-2.0
"""What only a raw socket can send, through the server as it is started."""

import asyncio
import json
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import uvicorn
import uvloop

from app.core.errors import LedgerBusy
from app.edge import limits, server
from app.edge.limits import MAX_ENVELOPE_BYTES, MAX_RECEIPT_BYTES
from tests.api.fake_ledger import FakeLedger, app_around

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"


@pytest.fixture(autouse=True)
def short_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.Listener, "headers_s", 0.3)
    monkeypatch.setattr(limits, "IDLE_S", 0.3)


@asynccontextmanager
async def served(ledger: FakeLedger | None = None) -> AsyncIterator[int]:
    """Serve on a free loopback port, and stop at the end."""
    config = server.server_config(app_around(ledger or FakeLedger()), host="127.0.0.1", port=0)
    listening = uvicorn.Server(config)
    with socket.create_server(("127.0.0.1", 0)) as sock:
        task = asyncio.create_task(listening.serve(sockets=[sock]))
        while not listening.started:  # noqa: ASYNC110 - uvicorn has a flag and no event
            await asyncio.sleep(0.01)
        try:
            yield int(sock.getsockname()[1])
        finally:
            listening.should_exit = True
            await task


@pytest.fixture
async def port() -> AsyncIterator[int]:
    async with served() as one:
        yield one


async def exchange(port: int, *pieces: bytes, pause: float = 0.01) -> bytes:
    """Send ``pieces`` and return everything until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reading = asyncio.create_task(reader.read())
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(pause)
    except ConnectionError:
        pass  # the other side has had enough; what it said is what counts
    finally:
        answer = await asyncio.wait_for(reading, 10)
        writer.close()
    return answer


def assert_refused(answer: bytes, status: int, code: str) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status), answer[:200]
    assert b"content-type: application/problem+json" in head.lower()
    assert b"connection: close" in head.lower()
    assert json.loads(body)["code"] == code


async def test_j16_both_framings_are_refused_and_the_connection_is_closed(port: int) -> None:
    smuggled = b"0\r\n\r\nGET /log/checkpoint HTTP/1.1\r\n" + HOST + b"\r\n"
    for order in (
        b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n",
        b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: %d\r\ntransfer-encoding:chunked\r\n",
    ):
        head = b"POST /v1/keys HTTP/1.1\r\n" + HOST + JSON + order % len(smuggled) + b"\r\n"
        answer = await exchange(port, head + smuggled)
        assert answer.startswith(b"HTTP/1.1 400 ")
        assert answer.count(b"\r\ncontent-type") == 1
        assert b"application/problem+json" in answer
        assert b"connection: close" in answer.lower()


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 2\r\nContent-Length: 2\r\n",
        b"Content-Length: 2\r\nContent-Length: 3\r\n",
        b"Content-Length: +2\r\n",
        b"Content-Length: 2, 2\r\n",
        b"Content-Length: 99999999999999999999999\r\n",
        b"Transfer-Encoding: chunked, identity\r\n",
        b"Transfer-Encoding: xchunked\r\n",
        b"Transfer-Encoding : chunked\r\n",
        b"X: a\r\n folded\r\n",
        b"no colon\r\n",
        b"X: a\x00b\r\n",
    ],
)
async def test_j16_framing_that_two_readers_could_read_differently_is_refused(
    port: int, head: bytes
) -> None:
    request = b"POST /v1/keys HTTP/1.1\r\n" + HOST + JSON + head + b"Connection: close\r\n\r\n{}"
    answer = await exchange(port, request)
    assert answer.startswith(b"HTTP/1.1 4"), answer[:100]
    assert b"application/problem+json" in answer


@pytest.mark.parametrize(
    "request_line",
    [b"\x16\x03\x01\x00\xa5", b"GET\r\n", b"GET /\xff HTTP/1.1\r\n", b"GET / HTTP/9\r\n"],
)
async def test_what_is_no_http_is_a_problem_too(port: int, request_line: bytes) -> None:
    assert_refused(await exchange(port, request_line + HOST + b"\r\n"), 400, "http")


async def test_request_without_host_is_refused(port: int) -> None:
    answer = await exchange(port, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 ")


async def test_j14_too_large_by_length_is_answered_before_the_body_comes(port: int) -> None:
    head = b"POST /v1/receipts HTTP/1.1\r\n" + HOST
    head += b"Content-Type: application/vnd.fairtrial.receipt+json\r\n"
    head += b"Content-Length: %d\r\n\r\n" % (MAX_RECEIPT_BYTES + 1)
    assert_refused(await exchange(port, head), 413, "too-large")


async def test_j14_chunks_over_the_limit_are_cut(port: int) -> None:
    head = b"POST /v1/policies HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    pieces = [chunk] * (MAX_ENVELOPE_BYTES // 65536 + 1)
    assert_refused(await exchange(port, head, *pieces), 413, "too-large")


async def test_j15_head_that_never_ends_is_closed(port: int) -> None:
    assert_refused(await exchange(port, b"GET /healthz HTTP/1.1\r\nX-A: "), 408, "request-timeout")


async def test_j15_head_that_drips_is_closed(port: int) -> None:
    drops = [b"X-%d: a\r\n" % n for n in range(20)]
    answer = await exchange(port, b"GET /healthz HTTP/1.1\r\n", *drops, pause=0.1)
    assert_refused(answer, 408, "request-timeout")


async def test_j15_silent_connection_is_closed(port: int) -> None:
    assert_refused(await exchange(port), 408, "request-timeout")


async def test_j15_body_that_stops_is_closed(port: int) -> None:
    head = b"POST /v1/keys HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 100\r\n\r\n"
    assert_refused(await exchange(port, head + b'{"a'), 408, "request-timeout")


@pytest.mark.parametrize("late", [False, True])
def test_j15_r05_a_standstill_of_the_machine_is_not_its_clients_silence(
    late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the loop that serves: it runs its timers before it reads its sockets."""
    monkeypatch.setattr(server.Listener, "headers_s", 0.15)
    monkeypatch.setattr(limits, "IDLE_S", 0.15)
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.15)

    async def answered(port: int, *pieces: bytes, before: bytes = b"") -> bytes:
        with socket.create_connection(("127.0.0.1", port)) as client:
            if before:
                client.sendall(before)
                client.setblocking(False)
                await asyncio.get_running_loop().sock_recv(client, 1 << 16)
                client.setblocking(True)
            for piece in pieces:
                await asyncio.sleep(0.01)
                if late:
                    # Whoever sends stood still with it.
                    time.sleep(0.2)  # noqa: ASYNC251 - the loop is to stand
                    await asyncio.sleep(0.01)
                client.sendall(piece)
                if not late:
                    time.sleep(0.2)  # noqa: ASYNC251 - the loop is to stand
            client.setblocking(False)
            return await asyncio.get_running_loop().sock_recv(client, 1 << 16)

    async def stand_still() -> None:
        ledger = FakeLedger()
        ledger.error = LedgerBusy("Later.")
        async with served(ledger) as port:
            get = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
            assert (await answered(port, get)).startswith(b"HTTP/1.1 200 ")
            # A connection that was used before, and would have been closed for being idle.
            assert (await answered(port, get, before=get)).startswith(b"HTTP/1.1 200 ")
            head = b"POST /v1/keys HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 2\r\n\r\n"
            assert (await answered(port, head, b"{}")).startswith(b"HTTP/1.1 503 ")

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(stand_still())


async def test_j15_idle_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "KEEP_ALIVE_S", 0.01)
    monkeypatch.setattr(server, "SECOND_LOOK_S", 0.01)
    async with served() as port:
        answer = await exchange(port, b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 ")


async def test_body_cut_by_its_sender_leaves_the_service_up(port: int) -> None:
    head = b"POST /v1/keys HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 100\r\n\r\n"
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(head + b'{"a')
    await writer.drain()
    writer.close()
    await writer.wait_closed()
    request = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    assert (await exchange(port, request)).startswith(b"HTTP/1.1 200 ")


async def test_head_of_a_hundred_kibibytes_is_refused(port: int) -> None:
    pieces = [b"a" * 16384] * 8
    answer = await exchange(port, b"GET /healthz HTTP/1.1\r\nX-Wide: ", *pieces)
    assert_refused(answer, 431, "headers")


async def test_connection_beyond_the_limit_is_refused(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.Listener, "max_connections", 0)
    request = b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n"
    answer = await exchange(port, request)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 503 ")


async def test_j17_head_has_no_body_and_the_connection_stays_usable(port: int) -> None:
    head = b"HEAD /log/checkpoint HTTP/1.1\r\n" + HOST + b"\r\n"
    get = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    answer = await exchange(port, head, get, pause=0.1)
    first, second = answer.split(b"HTTP/1.1 200 OK\r\n")[1:]
    assert first.endswith(b"\r\n\r\n")
    assert second.endswith(b'{"status":"ok"}')


async def test_answers_do_not_name_the_server(port: int) -> None:
    request = b"GET /healthz HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
    assert b"\r\nserver:" not in (await exchange(port, request)).lower()
