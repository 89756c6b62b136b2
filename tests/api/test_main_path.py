# SPDX-License-Identifier: Apache-2.0
"""The one flow over HTTP: lock, policy, study, reserve, push, closed, verdict."""

import json

from app.core.digest import from_base64, sha256_hex
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.leaf import challenge_of, parse_leaf
from app.core.log.merkle import verify_inclusion
from app.core.log.note import parse_note
from app.core.protocol.parse import document_digest
from app.core.statement.encoding import encode
from app.core.verdict.bundle import score_bundle
from tests import facts
from tests.api.world import SLOTS, World


def assert_proven(answer: dict[str, object]) -> None:
    leaf = parse_leaf(from_base64(str(answer["leaf"])))
    note = parse_checkpoint(parse_note(str(answer["checkpoint"]).encode()).text)
    assert (note.size, leaf.statement) == (answer["size"], answer["statement"])
    proof = tuple(bytes.fromhex(item) for item in answer["inclusion_proof"])  # type: ignore[attr-defined]  # JSON
    index = int(str(answer["index"]))
    verify_inclusion(leaf.hash(), index=index, size=note.size, proof=proof, root=note.root)


async def test_whole_flow_ends_in_a_verdict_that_the_bundle_gives_again(world: World) -> None:
    await world.begin()
    study = await world.open()
    progress = (await world.client.get(f"/v1/studies/{study.digest}")).json()
    assert (progress["state"], progress["sealed"]) == ("OPEN", True)
    assert progress["flow"]["planned"] == progress["flow"]["open"] == 3

    reserved = await world.reserve(study, SLOTS)
    opened = (await world.client.get(f"{world.head_path}?claim=land")).json()
    assert (opened["word"], opened["reasons"][0]["code"]) == ("HOLD", "OPEN_STUDY")

    answers = await world.push_all(study, reserved)
    for answer in answers:
        assert answer["effect"] == "scored"
        assert_proven(answer)
    progress = (await world.client.get(f"/v1/studies/{study.digest}")).json()
    assert (progress["state"], progress["sealed"]) == ("CLOSED", False)
    assert progress["flow"]["complete"] == 3

    got = await world.client.get(f"{world.head_path}?claim=land")
    document = got.json()
    assert (document["word"], document["head"]) == ("QUALIFIED", world.make.head)
    bundle = (await world.client.get(f"{world.head_path}/bundle")).content
    assert score_bundle(bundle) == {"land": got.content}
    every = await world.client.get(world.head_path)
    assert every.json()["verdicts"] == [document]
    assert got.content in every.content

    capture = encode(facts.capture())
    served = await world.client.get(f"/v1/captures/{sha256_hex(capture)}")
    assert served.content == capture
    assert "immutable" in served.headers["cache-control"]


async def test_starved_newcomer_over_http_is_not_qualified(world: World) -> None:
    await world.begin()
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    await world.push_all(study, reserved, facts.starved())
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    assert document["word"] == "NOT_QUALIFIED"


async def test_reservation_answers_with_the_challenge_that_its_leaf_gives(world: World) -> None:
    await world.begin()
    study = await world.open()
    draft = world.make.reservation(study.digest, SLOTS)
    answer = await world.put(draft)
    assert answer["challenge"] == challenge_of(parse_leaf(from_base64(answer["leaf"])))
    first, second, third = await world.slots(study)
    assert first["attempts"][0]["challenge"] == answer["challenge"]
    assert second["attempts"][0]["challenge"] is None
    assert [one["state"] for one in (first, second, third)] == ["RESERVED"] * 3


async def test_captures_and_what_follows_from_them_stay_sealed_until_closure(world: World) -> None:
    await world.begin()
    study = await world.open()
    reserved = await world.reserve(study, SLOTS)
    draft = world.receipt(study, reserved, SLOTS[0])
    await world.put(draft)
    digest = sha256_hex(draft.capture_bytes)
    sealed = await world.client.get(f"/v1/captures/{digest}")
    assert (sealed.status_code, sealed.json()["code"]) == (403, "sealed-until-closure")
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    assert document["studies"][0]["judgements"] == []
    stored = await world.client.get(f"/v1/statements/{draft.digest}")
    assert json.loads(stored.content)["payload"] == json.loads(draft.json)["payload"]


async def test_w08_new_entry_changes_the_tag_of_a_verdict(world: World) -> None:
    await world.begin()
    path = f"{world.head_path}?claim=land"
    before = await world.client.get(path)
    assert before.headers["cache-control"] == "no-cache"
    tag = {"if-none-match": before.headers["etag"]}
    assert (await world.client.get(path, headers=tag)).status_code == 304
    size = await world.size()
    await world.open()
    after = await world.client.get(path, headers=tag)
    assert after.status_code == 200
    assert after.headers["etag"] != before.headers["etag"]
    then = await world.client.get(f"{path}&at={size}")
    assert then.content == before.content
    assert "immutable" in then.headers["cache-control"]


async def test_size_the_log_does_not_have_is_not_found(world: World) -> None:
    await world.begin()
    for size in (await world.size() + 1, 2**53 - 1):
        answer = await world.client.get(f"{world.head_path}?claim=land&at={size}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-size")


async def test_head_without_studies_has_a_verdict_and_no_claim_without_a_policy(
    world: World,
) -> None:
    await world.begin()
    document = (await world.client.get(f"{world.head_path}?claim=land")).json()
    assert document["word"] == "HOLD"
    unknown = await world.client.get(f"{world.head_path}?claim=other")
    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown-claim")
    none = await world.client.get(f"{world.head_path}?claim=")
    assert (none.status_code, none.json()["code"]) == (404, "unknown-claim")
    other = await world.client.get(f"/v1/repos/forge.example/no/body/heads/{'a' * 40}")
    assert (other.status_code, other.json()["code"]) == (404, "unknown-repository")


async def test_unique_prefix_redirects_to_the_full_head_relatively(world: World) -> None:
    await world.begin()
    await world.open()
    short = world.make.head[:7]
    base = f"/v1/repos/{world.make.repository}/heads"
    answer = await world.client.get(f"{base}/{short}?claim=land")
    assert answer.status_code == 307
    assert answer.headers["location"] == f"{world.head_path}?claim=land"
    bundle = await world.client.get(f"{base}/{short}/bundle")
    assert bundle.headers["location"] == f"{world.head_path}/bundle"
    nobody = await world.client.get(f"{base}/{'0' * 12}")
    assert (nobody.status_code, nobody.json()["code"]) == (404, "unknown-head")


async def test_lists_come_in_pages_that_link_onwards(world: World) -> None:
    await world.begin()
    seen, path = [], "/v1/log/entries?limit=2"
    while path:
        page = await world.client.get(path)
        seen += [one["index"] for one in page.json()["entries"]]
        path = page.links.get("next", {}).get("url", "")
    assert seen == list(range(await world.size()))


async def test_repository_change_protocol_and_study_are_listed(world: World) -> None:
    await world.begin()
    study = await world.open()
    digest = document_digest(world.document)
    repository = (await world.client.get(f"/v1/repos/{world.make.repository}")).json()
    assert repository["heads"] == [world.make.head]
    assert [one["claims"] for one in repository["policies"]] == [["land"]]
    assert [one["digest"] for one in repository["protocols"]] == [digest]
    change = await world.client.get(f"/v1/repos/{world.make.repository}/changes/180")
    assert change.json()["heads"] == [world.make.head]
    assert [one["study"] for one in change.json()["studies"]] == [study.digest]
    nothing = await world.client.get(f"/v1/repos/{world.make.repository}/changes/181")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "unknown-change")
    listed = (await world.client.get("/v1/studies")).json()["studies"]
    assert [one["study"] for one in listed] == [study.digest]
    protocols = (await world.client.get("/v1/protocols")).json()["protocols"]
    assert [one["digest"] for one in protocols] == [digest]
    document = await world.client.get(f"/v1/protocols/{digest}")
    assert sha256_hex(document.content) == digest
    assert protocols[0]["statement"] in document.headers["link"]


async def test_proof_of_a_statement_leads_to_the_newest_checkpoint(world: World) -> None:
    await world.begin()
    entries = (await world.client.get("/v1/log/entries")).json()["entries"]
    for entry in entries:
        answer = (await world.client.get(f"/v1/statements/{entry['statement']}/proof")).json()
        assert answer["index"] == entry["index"]
        assert answer["tlog_proof"].startswith("c2sp.org/tlog-proof@v1\n")
        assert_proven(answer)


async def test_tiles_are_the_log_as_published(world: World) -> None:
    await world.begin()
    size = await world.size()
    hashes = await world.client.get(f"/log/tile/0/000.p/{size}")
    assert len(hashes.content) == 32 * size
    assert hashes.headers["content-type"] == "application/octet-stream"
    assert "immutable" in hashes.headers["cache-control"]
    bundle = await world.client.get(f"/log/tile/entries/000.p/{size}")
    assert int.from_bytes(bundle.content[:2]) == len(
        from_base64((await world.client.get("/v1/log/entries")).json()["entries"][0]["leaf"])
    )
    beyond = await world.client.get(f"/log/tile/0/000.p/{size + 1}")
    assert (beyond.status_code, beyond.json()["code"]) == (404, "unknown-tile")


async def test_lint_says_what_a_lock_would_meet_and_stores_nothing(world: World) -> None:
    size = await world.size()
    spelled = json.dumps(json.loads(encode(world.document)), indent=2)
    headers = {"content-type": "application/json"}
    answer = await world.client.post("/v1/protocols/lint", content=spelled, headers=headers)
    report = answer.json()
    assert answer.status_code == 200
    assert report["document"] == document_digest(world.document)
    assert (report["lockable"], report["planned_slots"]) == (True, 3)
    assert {one["severity"] for one in report["findings"]} <= {"warning"}
    assert await world.size() == size


async def test_ready_ledger_names_itself(world: World) -> None:
    ready = (await world.client.get("/readyz")).json()
    assert ready["origin"] == world.make.origin
    assert ready["genesis"] == world.make.genesis_digest
