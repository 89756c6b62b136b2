# SPDX-License-Identifier: Apache-2.0
"""What is refused for its form alone, before a document is looked at."""

from collections.abc import AsyncIterator

import httpx
import pytest

from app.edge.limits import MAX_ENVELOPE_BYTES, MAX_HEADER_BYTES, MAX_RECEIPT_BYTES, Guard
from tests.api.fake_ledger import FakeLedger

RECEIPT = {"content-type": "application/vnd.fairtrial.receipt+json"}
ENVELOPE = {"content-type": "application/vnd.dsse+json"}
DIGEST = "ab" * 32
HEAD = f"/v1/repos/forge.example/owner/recipe/heads/{'c' * 40}"


def assert_problem(response: httpx.Response, status: int, code: str) -> dict[str, object]:
    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["content-type"] == "application/problem+json"
    assert response.headers["cache-control"] == "no-store"
    assert response.json().keys() >= {"type", "title", "status", "detail", "code", "errors"}
    assert response.json()["type"] == f"/problems/{code}"
    return dict(response.json())


@pytest.mark.parametrize("path", [HEAD.replace("c" * 40, "C" * 40), HEAD[:-35]])
async def test_name_of_another_form_is_unknown_and_the_form_is_said(
    client: httpx.AsyncClient, path: str
) -> None:
    problem = assert_problem(await client.get(path), 404, "unknown-thing")
    assert "a prefix of 7 or more; repository names are lower case" in str(problem["detail"])


@pytest.mark.parametrize("encoding", ["gzip", "zstd", "br", "deflate", "gzip, identity"])
async def test_j13_compressed_body_is_refused(client: httpx.AsyncClient, encoding: str) -> None:
    headers = {**RECEIPT, "content-encoding": encoding}
    answer = await client.post("/v1/receipts", content=b"\x1f\x8b" * 100, headers=headers)
    assert_problem(answer, 415, "content-encoding")


async def test_j14_too_large_by_content_length_is_refused_before_any_byte_is_read(
    client: httpx.AsyncClient,
) -> None:
    read = []

    async def never() -> AsyncIterator[bytes]:
        read.append(1)
        yield b""

    headers = {**RECEIPT, "content-length": str(MAX_RECEIPT_BYTES + 1)}
    answer = await client.post("/v1/receipts", content=never(), headers=headers)
    assert_problem(answer, 413, "too-large")
    assert answer.headers["connection"] == "close"
    assert not read


async def test_j14_body_without_length_is_cut_at_the_limit(client: httpx.AsyncClient) -> None:
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while sent < 100 * MAX_ENVELOPE_BYTES:
            sent += 65536
            yield b" " * 65536

    answer = await client.post("/v1/policies", content=endless(), headers=ENVELOPE)
    assert_problem(answer, 413, "too-large")
    assert sent <= MAX_ENVELOPE_BYTES + 2 * 65536


async def test_body_of_exactly_the_limit_is_read(
    client: httpx.AsyncClient, fake: FakeLedger
) -> None:
    fake.error = RuntimeError("reached")
    body = b" " * MAX_ENVELOPE_BYTES
    assert (await client.post("/v1/keys", content=body, headers=ENVELOPE)).status_code == 500
    assert fake.submitted == [("key", body, None)]
    answer = await client.post("/v1/keys", content=body + b" ", headers=ENVELOPE)
    assert_problem(answer, 413, "too-large")


@pytest.mark.parametrize("length", ["-1", "1e3", "٣", "0x10", "9" * 5000, "18446744073709551616"])
async def test_j06_content_length_that_is_no_small_number_is_refused(
    client: httpx.AsyncClient, length: str
) -> None:
    headers = {b"content-type": b"application/json", b"content-length": length.encode()}
    answer = await client.post("/v1/keys", content=b"{}", headers=headers)
    assert answer.status_code in {400, 413, 431}


@pytest.mark.parametrize(
    "declared",
    [
        None,
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=a",
        "application/json; charset=utf-16",
        "application/json; profile=x",
        "application/vnd.fairtrial.receipt+json",
        "application/jsonp",
    ],
)
async def test_j17_wrong_content_type_is_refused(
    client: httpx.AsyncClient, declared: str | None
) -> None:
    headers = {} if declared is None else {"content-type": declared}
    answer = await client.post("/v1/studies", content=b"{}", headers=headers)
    assert_problem(answer, 415, "wrong-media-type")


async def test_j17_content_type_given_twice_is_refused(client: httpx.AsyncClient) -> None:
    headers = [("content-type", "application/json"), ("content-type", "text/plain")]
    answer = await client.post("/v1/studies", content=b"{}", headers=headers)
    assert_problem(answer, 415, "wrong-media-type")


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "localhost:80:80", ""])
async def test_w07_foreign_host_is_refused_and_never_copied(
    client: httpx.AsyncClient, host: str
) -> None:
    answer = await client.get("/log/checkpoint", headers={"host": host})
    assert_problem(answer, 400, "host")
    assert "evil" not in answer.text + str(answer.headers)


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "[::1]", "[::1]:8000"])
async def test_host_with_a_port_is_answered(client: httpx.AsyncClient, host: str) -> None:
    answer = await client.get("/healthz", headers={"host": host})
    assert answer.status_code == 200


async def test_w07_slash_at_the_end_is_not_redirected(client: httpx.AsyncClient) -> None:
    answer = await client.get("/v1/studies/")
    assert_problem(answer, 404, "not-found")
    assert "location" not in answer.headers


async def test_w18_no_page_loads_from_a_foreign_host(client: httpx.AsyncClient) -> None:
    for path in ("/docs", "/redoc", "/docs/oauth2-redirect"):
        assert_problem(await client.get(path), 404, "not-found")


async def test_header_flood_is_refused(client: httpx.AsyncClient) -> None:
    many = [(f"x-{n}", "1") for n in range(100)]
    assert_problem(await client.get("/healthz", headers=many), 431, "headers")
    wide = {"x-wide": "a" * MAX_HEADER_BYTES}
    assert_problem(await client.get("/healthz", headers=wide), 431, "headers")


async def test_endless_target_is_refused(client: httpx.AsyncClient) -> None:
    assert_problem(await client.get("/log/tile/" + "a" * 5000), 414, "target")
    assert_problem(await client.get("/healthz?" + "a" * 5000), 414, "target")


async def test_j16_both_framings_are_refused(client: httpx.AsyncClient) -> None:
    headers = [*ENVELOPE.items(), ("transfer-encoding", "chunked"), ("content-length", "2")]
    answer = await client.post("/v1/keys", content=b"{}", headers=headers)
    assert_problem(answer, 400, "framing")
    assert answer.headers["connection"] == "close"


NOT_BUILT = ["/v1/tombstones", "/v1/advisories", "/v1/verdicts", "/v1/closures"]


@pytest.mark.parametrize("path", NOT_BUILT)
async def test_kind_that_nobody_may_post_is_not_found(client: httpx.AsyncClient, path: str) -> None:
    assert_problem(await client.post(path, content=b"{}", headers=ENVELOPE), 404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", f"/v1/studies/{DIGEST}/slots", "GET, HEAD"),
        ("DELETE", "/v1/reservations", "POST"),
        ("PATCH", f"/v1/protocols/{DIGEST}", "GET, HEAD"),
        ("PUT", f"/v1/protocols/{DIGEST}", "GET, HEAD"),
        ("PUT", "/v1/protocols", "GET, HEAD, POST"),
        ("DELETE", "/v1/studies", "GET, HEAD, POST"),
        ("POST", "/healthz", "GET, HEAD"),
        ("HEAD", "/v1/receipts", "POST"),
        ("TRACE", "/log/checkpoint", "GET, HEAD"),
    ],
)
async def test_l04_no_verb_deletes_or_edits_and_405_says_what_there_is(
    client: httpx.AsyncClient, method: str, path: str, allow: str
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allow
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "path",
    [
        "/v1/statements/9223372036854775808",
        "/v1/statements/" + "A" * 64,
        "/v1/statements/" + "a" * 64 + "%0A",
        "/v1/statements/%00",
        "/v1/captures/" + "a" * 63 + "%00",
        "/v1/statements/" + "%EF%BC%91" * 64,
        "/v1/studies/..%2F..%2Fetc",
        "/v1/protocols/%FF%FE",
        "/v1/repos/forge.example/owner/na%00me",
        "/v1/repos/forge.example/owner/recipe/changes/9223372036854775808",
        "/v1/repos/forge.example/owner/recipe/changes/0",
        "/v1/repos/forge.example/owner/recipe/heads/abc123",
        "/v1/repos/forge.example/owner/recipe/heads/main",
        "/v1/repos/forge.example/owner/recipe/heads/" + "C" * 40,
        "/log/tile/0/9223372036854775808",
        "/log/tile/0/000.p/256",
        "/log/tile/64/000",
        "/log/tile/0/000%00",
        "/v1/schemas/" + "0" * 64,
    ],
)
async def test_j06_j08_j12_path_that_names_nothing_is_not_found(
    client: httpx.AsyncClient, path: str
) -> None:
    answer = await client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "query",
    [
        "at=0",
        "at=-1",
        "at=9223372036854775808",
        "at=" + "9" * 400,
        "at=1.0",
        "at=NaN",
        "at=true",
        "at=",
        "at=1&at=2",
        "claim=%00",
        "claim=Land",
        "claim=land%0A",
        "claim=a&claim=b",
        "clam=land",
        "at=%D9%A3x",
    ],
)
async def test_j06_j07_j12_query_of_another_form_is_refused_without_an_echo(
    client: httpx.AsyncClient, query: str
) -> None:
    answer = await client.get(f"{HEAD}?{query}")
    problem = assert_problem(answer, 422, "parameter")
    assert problem["errors"]
    value = query.partition("=")[2]
    assert len(value) < 4 or value not in answer.text


@pytest.mark.parametrize("path", ["/v1/protocols", "/v1/studies", "/v1/log/entries"])
@pytest.mark.parametrize("query", ["cursor=-1", f"cursor={2**63}", "limit=0", "limit=100000"])
async def test_j06_page_out_of_bounds_is_refused(
    client: httpx.AsyncClient, path: str, query: str
) -> None:
    assert_problem(await client.get(f"{path}?{query}"), 422, "parameter")


async def test_unforeseen_error_tells_an_id_and_nothing_else(
    client: httpx.AsyncClient, fake: FakeLedger, caplog: pytest.LogCaptureFixture
) -> None:
    fake.error = RuntimeError("hf_abcdefsecret in a message")
    fake.error.__cause__ = ValueError("hf_abcdefsecret below it")
    answer = await client.get("/log/checkpoint")
    problem = assert_problem(answer, 500, "internal-error")
    request_id = str(problem["instance"]).rsplit(":", 1)[1]
    assert request_id in caplog.text
    assert "RuntimeError" in caplog.text
    assert "ValueError" in caplog.text
    assert "hf_abcdefsecret" not in answer.text + caplog.text


async def test_r17_overload_is_503_with_retry_after_and_health_still_answers(
    fake: FakeLedger,
) -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError("not reached")

    guard = Guard(app, allowed_hosts=("*",), max_in_flight=0)
    transport = httpx.ASGITransport(app=guard)
    async with httpx.AsyncClient(transport=transport, base_url="http://any.example") as one:
        answer = await one.get("/log/checkpoint")
        assert_problem(answer, 503, "ledger-busy")
        assert int(answer.headers["retry-after"]) > 0
        with pytest.raises(AssertionError, match="not reached"):
            await one.get("/healthz")


async def test_not_ready_is_503_with_a_reason(client: httpx.AsyncClient, fake: FakeLedger) -> None:
    fake.ready = False
    answer = await client.get("/readyz")
    assert_problem(answer, 503, "not-ready")
    assert int(answer.headers["retry-after"]) > 0
