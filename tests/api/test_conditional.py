# SPDX-License-Identifier: Apache-2.0
"""HEAD, tags, and what every answer carries."""

import httpx

from tests.api.fake_ledger import FakeLedger


async def test_j17_head_answers_like_get_without_a_body(client: httpx.AsyncClient) -> None:
    for path in ("/healthz", "/readyz", "/log/checkpoint", "/openapi.json", "/v1/schemas"):
        got, head = await client.get(path), await client.head(path)
        assert (got.status_code, head.status_code, head.content) == (200, 200, b"")
        for name in ("content-type", "content-length", "etag", "cache-control"):
            assert head.headers[name] == got.headers[name]


async def test_w08_changed_answer_has_a_new_tag_and_an_unchanged_one_is_not_sent_again(
    client: httpx.AsyncClient, fake: FakeLedger
) -> None:
    first = await client.get("/log/checkpoint")
    assert first.headers["cache-control"] == "no-cache"
    tag = first.headers["etag"]
    for header in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = await client.get("/log/checkpoint", headers={"if-none-match": header})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
        assert "content-type" not in again.headers
        assert again.headers["content-security-policy"] == first.headers["content-security-policy"]
    fake.text = b"fake.example/log\n2\nBBBB\n"
    newer = await client.get("/log/checkpoint", headers={"if-none-match": tag})
    assert newer.status_code == 200
    assert newer.headers["etag"] != tag


async def test_w08_foreign_forwarding_headers_change_nothing(client: httpx.AsyncClient) -> None:
    headers = {"x-forwarded-host": "evil.example", "x-forwarded-proto": "gopher"}
    plain = await client.get("/openapi.json")
    forwarded = await client.get("/openapi.json", headers=headers)
    assert plain.content == forwarded.content
    assert plain.headers["etag"] == forwarded.headers["etag"]


async def test_every_answer_carries_the_security_headers(client: httpx.AsyncClient) -> None:
    for path in ("/healthz", "/nothing", "/log/checkpoint"):
        headers = (await client.get(path)).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["referrer-policy"] == "no-referrer"
