# SPDX-License-Identifier: Apache-2.0
"""The short way in for writes says what the long way says, and nothing passes it unseen."""

import httpx
import pytest
from fastapi.routing import iter_route_contexts

from app.core.errors import LedgerBusy
from app.service.ports import StoreUnavailable
from app.web.log_models import AppendedStatement
from app.web.statements import HANDLERS
from tests.api.fake_ledger import FakeLedger, app_around
from tests.api.world import SLOTS, World

ENVELOPE = {"content-type": "application/vnd.dsse+json"}


def test_every_write_has_a_handler_and_stands_in_the_interface_s_description() -> None:
    described = app_around(FakeLedger()).openapi()["paths"]
    writes = {path for path, methods in described.items() if "201" in str(methods.get("post"))}
    assert writes == set(HANDLERS)


def test_handler_of_a_path_is_the_route_s_own() -> None:
    app = app_around(FakeLedger())
    endpoints = {
        route.path: route.endpoint
        for route in iter_route_contexts(app.routes)
        if "POST" in (route.methods or ())
    }
    assert {path: endpoints[path] for path in HANDLERS} == HANDLERS


async def test_answer_has_the_members_of_its_model_and_no_other(world: World) -> None:
    await world.begin()
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    for answer in await world.push_all(study, reserved):
        AppendedStatement.model_validate(answer, strict=True)
        assert list(answer) == list(AppendedStatement.model_fields)


async def test_write_with_a_query_is_refused(client: httpx.AsyncClient, fake: FakeLedger) -> None:
    answer = await client.post("/v1/holds?claim=land", content=b"{}", headers=ENVELOPE)
    assert (answer.status_code, answer.json()["code"]) == (422, "parameter")
    assert not fake.submitted


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_other_method_is_405_and_names_the_one(
    client: httpx.AsyncClient, method: str
) -> None:
    answer = await client.request(method, "/v1/receipts")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")


async def test_type_that_is_not_taken_is_415(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/receipts", content=b"{}", headers=ENVELOPE)
    assert (answer.status_code, answer.headers["content-type"]) == (415, "application/problem+json")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LedgerBusy("Too many wait.", code="ledger-busy"), "ledger-busy"),
        (StoreUnavailable("password=hunter2"), "store-unavailable"),
    ],
)
async def test_ledger_that_takes_nothing_is_503_with_a_time_to_wait(
    client: httpx.AsyncClient, fake: FakeLedger, error: Exception, code: str
) -> None:
    fake.error = error
    answer = await client.post("/v1/reviews", content=b"{}", headers=ENVELOPE)
    assert (answer.status_code, answer.json()["code"]) == (503, code)
    assert "retry-after" in answer.headers
    assert b"hunter2" not in answer.content
