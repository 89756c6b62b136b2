# SPDX-License-Identifier: Apache-2.0
"""Clients that go away, race or come again: one leaf a statement, one holder a slot."""

import asyncio
import socket

import httpx
import uvicorn

from app.edge.server import server_config
from tests.api.world import SLOTS, World


async def test_r03_reply_lost_after_commit_is_answered_again_with_the_same_index(
    world: World,
) -> None:
    await world.begin()
    draft = world.study_draft()
    transport = world.client._transport
    assert isinstance(transport, httpx.ASGITransport)
    config = server_config(transport.app, host="127.0.0.1", port=0)
    config.lifespan = "off"  # the ledger runs already
    server = uvicorn.Server(config)
    size = await world.size()
    with socket.create_server(("127.0.0.1", 0)) as sock:
        serving = asyncio.create_task(server.serve(sockets=[sock]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has a flag and no event
            await asyncio.sleep(0.01)
        _, writer = await asyncio.open_connection(*sock.getsockname())
        head = (
            "POST /v1/studies HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(draft.json)}\r\n\r\n"
        )
        writer.write(head.encode() + draft.json)
        await writer.drain()
        async with asyncio.timeout(10):
            while await world.size() == size:  # noqa: ASYNC110 - asked from outside, as a client
                await asyncio.sleep(0.01)
        writer.transport.abort()  # the reply is not read, whatever it was
        server.should_exit = True
        await serving
    again = await world.send("study", draft)
    assert (again.status_code, again.json()["index"]) == (200, size)
    assert await world.size() == size + 1


async def test_same_statement_from_many_clients_at_once_is_one_leaf(world: World) -> None:
    await world.begin()
    draft = world.study_draft()
    size = await world.size()
    answers = await asyncio.gather(*(world.send("study", draft) for _ in range(20)))
    assert sorted(one.status_code for one in answers) == [200] * 19 + [201]
    assert {one.json()["index"] for one in answers} == {size}
    assert await world.size() == size + 1


async def test_slot_that_many_clients_want_at_once_has_one_holder(world: World) -> None:
    await world.begin()
    study = await world.open()
    drafts = [world.make.reservation(study.digest, SLOTS, host=f"driver-{n}") for n in range(20)]
    answers = await asyncio.gather(*(world.send("reservation", one) for one in drafts))
    assert sorted(one.status_code for one in answers) == [201] + [409] * 19
    assert {one.json().get("code") for one in answers} == {None, "slot-taken"}
