# SPDX-License-Identifier: Apache-2.0
"""A witness at the other end of a connection: it answers, or it is silent in bounded time."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import pytest

from app.edge import witness_caller
from app.edge.witness_caller import MAX_ANSWER_BYTES, HttpWitnessCaller
from app.service.witnessing import WitnessSilent

Writes = Callable[[asyncio.StreamWriter], None]


@asynccontextmanager
async def answering(write: Writes, *, hangs: bool = False) -> AsyncIterator[str]:
    """Serve one answer on this machine; yield its address.

    One that ``hangs`` keeps the connection until the other side has had enough.
    """
    connections: list[asyncio.Task[None]] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Who has waited or heard enough hangs up, in the middle of whatever is said.
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            await reader.readuntil(b"\r\n\r\nbody")
            write(writer)
            await writer.drain()
            if hangs:
                await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connections.append(asyncio.create_task(answer(reader, writer)))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    # Connections are closed on this side too before the loop ends.
    await asyncio.wait_for(asyncio.gather(*connections), timeout=60)


async def test_r16_an_answer_comes_back_whatever_it_is() -> None:
    def conflict(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 409 Conflict\r\ncontent-length: 2\r\n\r\n7\n")

    async with answering(conflict) as url:
        assert await HttpWitnessCaller().add_checkpoint(url, b"body") == (409, b"7\n")


@pytest.mark.parametrize("case", ["long", "cut", "slow"])
async def test_r16_what_is_no_answer_is_silence(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(witness_caller, "TIMEOUT_S", 0.2 if case == "slow" else 10.0)
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 10000000\r\n\r\n"
    body = {"long": b"x" * (2 * MAX_ANSWER_BYTES), "cut": b"x", "slow": b""}[case]

    def write(writer: asyncio.StreamWriter) -> None:
        if case != "slow":
            writer.write(head + body)

    async with answering(write, hangs=case == "slow") as url:
        with pytest.raises(WitnessSilent):
            await HttpWitnessCaller().add_checkpoint(url, b"body")


async def test_r16_nobody_at_the_address_is_silence() -> None:
    with pytest.raises(WitnessSilent):
        await HttpWitnessCaller().add_checkpoint("http://127.0.0.1:9", b"body")
