# SPDX-License-Identifier: Apache-2.0
"""Repositories are read in any case and named in one; whoever leaves the host out is told so."""

import httpx
import pytest

from tests.api.test_border import assert_problem
from tests.api.world import World

SHA = "ab" * 20


@pytest.mark.parametrize("prefix", ["/r", "/v1/repos"])
@pytest.mark.parametrize("rest", ["", f"/heads/{SHA}", "/changes/7"])
async def test_mixed_case_is_led_to_the_one_spelling(
    client: httpx.AsyncClient, prefix: str, rest: str
) -> None:
    for method in ("GET", "HEAD"):
        answer = await client.request(method, f"{prefix}/GitHub.com/Owner/my.Recipe{rest}")
        assert answer.status_code == 308
        assert answer.headers["location"] == f"{prefix}/github.com/owner/my.recipe{rest}"
    # A form that is wrong in anything else is not there, in no spelling.
    other = await client.get(f"{prefix}/GitHub.com/Owner/my.Recipe/heads/MAIN")
    assert other.status_code == 404


async def test_query_is_kept_and_still_refused_when_it_is_none(client: httpx.AsyncClient) -> None:
    path = f"/v1/repos/Git.example/o/n/heads/{SHA}"
    answer = await client.get(path + "?claim=land&at=7")
    assert answer.headers["location"] == path.lower() + "?claim=land&at=7"
    assert (await client.get(path + "?at=x")).status_code in {404, 422}


@pytest.mark.parametrize(
    "path",
    [
        "/r//Evil.example/a/b",
        "/v1/repos//Evil.example/a",
        "/r/..%2fEvil/a/b",
        "/v1/Repos/H/o/n",
        "/r/H.example/o/n//evil.example",
    ],
)
async def test_w07_only_an_address_of_a_repository_is_led_anywhere(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert "location" not in answer.headers


async def test_w07_location_holds_no_host_of_the_request(client: httpx.AsyncClient) -> None:
    headers = {"host": "localhost:9", "x-forwarded-host": "evil.example"}
    answer = await client.get("/r/H.example/o/n", headers=headers)
    assert answer.headers["location"] == "/r/h.example/o/n"


async def test_write_in_mixed_case_is_not_redirected(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/repos/GitHub.com/Owner/Recipe")
    assert "location" not in answer.headers


@pytest.mark.parametrize("rest", ["", f"/heads/{SHA}"])
async def test_owner_and_name_without_a_host_are_answered_with_the_full_form(
    client: httpx.AsyncClient, rest: str
) -> None:
    answer = await client.get(f"/v1/repos/owner/name{rest}")
    assert_problem(answer, 404, "not-found")
    assert "/v1/repos/HOST/OWNER/NAME" in str(answer.json()["detail"])
    page = await client.get(f"/r/owner/name{rest}", headers={"accept": "text/html"})
    assert page.status_code == 404
    assert "/r/HOST/OWNER/NAME" in page.text


@pytest.mark.parametrize("rest", ["", "/proof"])
async def test_statement_is_found_by_a_prefix_and_led_to_its_digest(
    world: World, rest: str
) -> None:
    digest = str(world.make.genesis_digest)
    answer = await world.client.get(f"/v1/statements/{digest[:7]}{rest}")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"/v1/statements/{digest}{rest}"
    for prefix in (digest[:6], "0" * 12):
        answer = await world.client.get(f"/v1/statements/{prefix}{rest}")
        assert answer.status_code == 404
