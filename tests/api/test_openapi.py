# SPDX-License-Identifier: Apache-2.0
"""Is every answer as the description says? Generated requests against a served ledger."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import negative_data_rejection, positive_data_acceptance
from schemathesis.schemas import APIOperation

from app.edge.server import server_config
from tests.api.fake_ledger import FakeLedger, app_around
from tests.api.world import SLOTS, World, begun_app

PROBLEM = "application/problem+json"
EXAMPLES = 8
TILE = "/log/tile/{path}"
"""Its parameter holds slashes, which OpenAPI 3.1 cannot say and so no tool generates."""


@pytest.fixture(scope="module")
def served(migrated: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a ledger with one closed study from a thread; yield its address."""
    url = f"sqlite:///{tmp_path_factory.mktemp('served') / 'ledger.db'}"
    Path(url.removeprefix("sqlite:///")).write_bytes((migrated / "ledger.db").read_bytes())
    app, make, ledger, clock = asyncio.run(begun_app(url))
    with socket.create_server(("127.0.0.1", 0)) as sock:
        address = f"http://127.0.0.1:{sock.getsockname()[1]}"
        server = uvicorn.Server(server_config(app, host="127.0.0.1", port=0))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[sock])))
        thread.start()
        while not server.started:
            time.sleep(0.01)

        async def fill() -> None:
            async with httpx.AsyncClient(base_url=address) as client:
                world = World(client, make, ledger, clock)
                await world.begin()
                study = await world.open()
                await world.push_all(study, await world.reserve(study, SLOTS))

        try:
            asyncio.run(fill())
            yield address
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture(scope="module")
def description(served: str) -> schemathesis.BaseSchema:
    """Return the served description, loaded by an outsider's tool."""
    return schemathesis.openapi.from_url(f"{served}/openapi.json")


@cache
def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """Return path, method and description of every operation."""
    paths = app_around(FakeLedger()).openapi()["paths"]
    return [(path, method, one) for path, of in paths.items() for method, one in of.items()]


@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize(("path", "method"), [row[:2] for row in operations() if row[0] != TILE])
def test_j17_generated_requests_are_answered_as_described(
    description: schemathesis.BaseSchema, path: str, method: str, mode: GenerationMode
) -> None:
    operation = description[path][method.upper()]
    if mode is GenerationMode.NEGATIVE and not _has_inputs(operation):
        return

    @settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def answered(case: schemathesis.Case[Any]) -> None:
        answer = case.call()
        assert answer.status_code < 500
        excluded = [positive_data_acceptance]
        # A body that fits the description may still not enter: what it is signed over decides.
        if answer.status_code == httpx.codes.REQUEST_URI_TOO_LONG:
            # Refused by its length, as described; the tool does not count that as refusing it.
            excluded.append(negative_data_rejection)
        case.validate_response(answer, excluded_checks=excluded)
        if answer.status_code >= 400:
            assert answer.headers["content-type"] == [PROBLEM]

    answered()


def _has_inputs(operation: APIOperation[Any, Any, Any, Any]) -> bool:
    return any((operation.path_parameters, operation.query, operation.body))


@pytest.mark.parametrize(("path", "method", "operation"), operations())
def test_every_refusal_is_described_as_a_problem(
    path: str, method: str, operation: dict[str, Any]
) -> None:
    refusals = {s: one for s, one in operation["responses"].items() if int(s) >= 400}
    assert refusals.keys() >= {"400", "404", "405", "413", "415", "422", "429", "500", "503"}
    for status, one in refusals.items():
        assert list(one["content"]) == [PROBLEM], (path, method, status)
    assert operation["operationId"]


def test_every_write_describes_its_body() -> None:
    posts = {path: one for path, method, one in operations() if method == "post"}
    assert posts.keys() == {
        "/v1/keys",
        "/v1/policies",
        "/v1/protocols",
        "/v1/studies",
        "/v1/reservations",
        "/v1/receipts",
        "/v1/deviations",
        "/v1/reviews",
        "/v1/holds",
        "/v1/decisions",
        "/v1/refs",
        "/v1/protocols/lint",
    }
    assert all(one["requestBody"]["required"] for one in posts.values())
