# SPDX-License-Identifier: Apache-2.0
"""Documents that two readers could read differently, or of another shape: refused, nothing kept."""

import json

import pytest

from app.core.canonical import canonical
from app.core.identity import Role
from tests.api.world import SLOTS, World, assert_refused, signed

BAD_JSON: list[tuple[str, bytes, int, str]] = [
    ("j01-duplicate", b'{"n":1,"n":2}', 400, "duplicate-member"),
    ("j01-duplicate-deep", b'{"a":[{"b":{"n":1,"n":2}}]}', 400, "duplicate-member"),
    ("j01-duplicate-escaped", b'{"n":1,"\\u006e":2}', 400, "duplicate-member"),
    ("j02-nan", b'{"n":NaN}', 400, "invalid-number"),
    ("j02-infinity", b'{"n":Infinity}', 400, "invalid-number"),
    ("j02-minus-infinity", b'{"n":-Infinity}', 400, "invalid-number"),
    ("j02-overflow", b'{"n":1e999}', 400, "invalid-number"),
    ("j02-float", b'{"n":1.5}', 400, "invalid-number"),
    ("j03-lone-high", b'{"n":"\\ud800"}', 400, "invalid-unicode"),
    ("j03-lone-low", b'{"n":"a\\udc00b"}', 400, "invalid-unicode"),
    ("j03-reversed", b'{"n":"\\udc00\\ud800"}', 400, "invalid-unicode"),
    ("j03-in-a-name", b'{"\\ud800":1}', 400, "invalid-unicode"),
    ("j03-bytes", b'{"n":"\xff"}', 400, "invalid-unicode"),
    ("j03-overlong", b'{"n":"\xc0\xaf"}', 400, "invalid-unicode"),
    ("j03-encoded-surrogate", b'{"n":"\xed\xa0\x80"}', 400, "invalid-unicode"),
    ("j04-bom", b'\xef\xbb\xbf{"n":1}', 400, "invalid-unicode"),
    ("j04-utf16", '{"n":1}'.encode("utf-16"), 400, "invalid-unicode"),
    ("j04-utf16-le", '{"n":1}'.encode("utf-16-le"), 400, "malformed-document"),
    ("j05-depth-65", b"[" * 65 + b"]" * 65, 400, "too-deep"),
    ("j05-depth-1000", b'{"a":' * 1000 + b"1" + b"}" * 1000, 400, "too-deep"),
    ("j05-depth-unclosed", b"[" * 60_000, 400, "too-deep"),
    ("j06-2-63", b'{"n":9223372036854775808}', 422, "int-range"),
    ("j06-2-53", b'{"n":9007199254740992}', 422, "int-range"),
    ("j06-5000-digits", b'{"n":' + b"9" * 5000 + b"}", 422, "int-range"),
    ("j10-10-400", b'{"n":1' + b"0" * 400 + b"}", 422, "int-range"),
    ("j12-nul", b'{"n":"a\\u0000b"}', 422, "nul-character"),
    ("j12-raw-nul", b'{"n":"a\x00b"}', 400, "malformed-document"),
    ("empty", b"", 400, "malformed-document"),
    ("cut", b'{"n":', 400, "malformed-document"),
    ("two", b"{}{}", 400, "malformed-document"),
    ("comment", b"{}//", 400, "malformed-document"),
    ("single-quotes", b"{'n':1}", 400, "malformed-document"),
]


@pytest.mark.parametrize(
    ("body", "status", "code"), [row[1:] for row in BAD_JSON], ids=[row[0] for row in BAD_JSON]
)
async def test_j01_to_j12_ambiguous_json_is_refused_in_envelope_payload_and_document(
    world: World, body: bytes, status: int, code: str
) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    size = await world.size()
    for path in ("/v1/keys", "/v1/protocols/lint"):
        headers = {"content-type": "application/json"}
        assert_refused(await world.client.post(path, content=body, headers=headers), (status, code))
    inside = await world.send_envelope("protocol", signed(body, "maintainer"))
    assert_refused(inside, (status, code))
    receipt = b'{"envelope":' + body + b',"capture":""}'
    answer = await world.send_receipt(receipt)
    assert 400 <= answer.status_code < 500
    for told in (inside, answer):
        told.content.decode("utf-8")
    assert await world.size() == size


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("ordinal", "1"),
        ("ordinal", True),
        ("ordinal", None),
        ("ordinal", [1]),
        ("exploratory", 0),
        ("exploratory", "false"),
        ("exploratory", None),
        ("runners", {}),
        ("closes_at", 1_790_000_000),
        ("closes_at", "nope"),
        ("closes_at", "2026-02-30T00:00:00Z"),
        ("change", 180),
    ],
)
async def test_j07_other_type_is_not_taken_for_the_right_one(
    world: World, member: str, value: object
) -> None:
    await world.begin()
    size = await world.size()
    statement = json.loads(world.study_draft().parsed.payload)
    statement["predicate"][member] = value
    answer = await world.send_envelope("study", signed(canonical(statement), "maintainer"))
    assert_refused(answer, (422, "schema-violation"), (422, "instant"))
    assert any(member in one["pointer"] for one in answer.json()["errors"])
    assert await world.size() == size


@pytest.mark.parametrize(
    "sha",
    [
        "a" * 40 + "\n",
        "A" * 40,
        "a" * 39,
        "a" * 7,
        "\uff11" * 40,
        "\u0661" * 40,
        "g" * 40,
        "main",
        " " + "a" * 39,
    ],
)
async def test_j08_commit_in_another_spelling_is_refused(world: World, sha: str) -> None:
    await world.begin()
    size = await world.size()
    statement = json.loads(world.study_draft().parsed.payload)
    statement["predicate"]["head"]["commit"] = sha
    statement["subject"][0]["digest"]["gitCommit"] = sha
    answer = await world.send_envelope("study", signed(canonical(statement), "maintainer"))
    assert_refused(answer, (422, "schema-violation"))
    assert await world.size() == size


async def test_image_tag_is_no_identity(world: World) -> None:
    await world.begin()
    statement = json.loads(world.study_draft().parsed.payload)
    for tag in ("vllm:latest", "sha256:latest", f"vllm@sha256:{'a' * 64}"):
        statement["predicate"]["arms"]["B"]["image"]["digest"] = tag
        answer = await world.send_envelope("study", signed(canonical(statement), "maintainer"))
        assert_refused(answer, (422, "schema-violation"))


async def test_j09_doubling_a_list_beyond_its_cap_costs_a_refusal(world: World) -> None:
    await world.begin()
    study = await world.open()
    for count in (1001, 2002, 4004):
        statement = json.loads(world.make.reservation(study.digest, SLOTS).parsed.payload)
        statement["predicate"]["slots"] = [f"A/C2-canary/{n + 1}" for n in range(count)]
        answer = await world.send_envelope("reservation", signed(canonical(statement), "runner"))
        assert_refused(answer, (422, "schema-violation"))


@pytest.mark.parametrize(
    "name",
    ["sm\u0430ll-canary", "small\u202ecanary", "small\u200bcanary", "sma\u0301ll", "sm\u00e1ll"],
)
async def test_j11_look_alike_name_is_refused(world: World, name: str) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    size = await world.size()
    statement = json.loads(world.make.lock(world.document).parsed.payload)
    statement["predicate"]["document"]["name"] = name
    statement["subject"][0]["name"] = f"protocol/{name}"
    answer = await world.send_envelope("protocol", signed(canonical(statement), "maintainer"))
    assert_refused(answer, (422, "schema-violation"))
    assert name not in answer.text
    assert await world.size() == size


async def test_other_spelling_of_a_payload_is_refused(world: World) -> None:
    await world.register("maintainer", Role.MAINTAINER)
    statement = json.loads(world.make.lock(world.document).parsed.payload)
    other_order = dict(reversed(statement.items()))
    for text in (json.dumps(statement), json.dumps(other_order, separators=(",", ":"))):
        answer = await world.send_envelope("protocol", signed(text.encode(), "maintainer"))
        assert_refused(answer, (422, "not-canonical"))
