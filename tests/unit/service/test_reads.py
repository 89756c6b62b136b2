# SPDX-License-Identifier: Apache-2.0
"""What is read from a ledger: by name, by prefix, in lists, at an older size; and damage."""

import asyncio
from dataclasses import replace

import pytest

from app.core.canonical import canonical, parse_strict
from app.core.digest import sha256_hex
from app.core.errors import Conflict, IntegrityBroken, LedgerBusy, UnknownThing
from app.core.identity import instant_of
from app.core.log.leaf import Leaf, head_line
from app.core.log.proof import parse_proof
from app.core.log.tile import Tile
from app.core.protocol.parse import document_digest
from app.core.signing.envelope import sign, to_json
from app.core.statement.encoding import encode
from app.core.verdict.bundle import score_bundle
from app.service.ledger import Ledger
from app.service.ports import Batch, CheckpointRow, LeafRow, StatementRow
from app.service.read_ledger import LedgerReader
from app.service.tree import load_tree
from tests.drafts import HEAD, REPOSITORY, signing_key
from tests.fakes import FakeClock, MemoryStore, ledger_keys
from tests.ledgers import LiveLedger, served


async def test_statement_and_proof_come_back(opened: LiveLedger) -> None:
    draft = opened.make.reservation((await opened.study()).digest, ["A/C2-canary/1"])
    appended = await opened.send(draft)
    found = await opened.ledger.statement(draft.digest)
    assert (found.index, found.leaf) == (appended.index, appended.leaf)
    assert (found.payload, found.envelope) == (draft.parsed.payload, draft.json)
    proof = await opened.ledger.proof(draft.digest)
    assert (proof.proof, proof.checkpoint) == (appended.proof, appended.checkpoint)
    text = parse_proof(proof.to_text())
    assert (text.index, text.hashes) == (appended.index, appended.proof)


async def test_nothing_stands_under_an_unknown_name(opened: LiveLedger) -> None:
    ledger, nothing = opened.ledger, "0" * 64
    policy = (await ledger.standing(REPOSITORY)).repository.policies[0]
    for work, code in (
        (ledger.statement(nothing), "unknown-statement"),
        (ledger.proof(nothing), "unknown-statement"),
        (ledger.study(nothing), "unknown-study"),
        (ledger.study(policy.digest), "unknown-study"),
        (ledger.protocol(nothing), "unknown-protocol"),
        (ledger.capture(nothing), "unknown-capture"),
        (ledger.change(REPOSITORY, "181"), "unknown-change"),
        (ledger.verdict(REPOSITORY, HEAD, claim="other"), "unknown-claim"),
        (ledger.verdict("github.com/no/body", HEAD), "unknown-repository"),
        (ledger.verdict(REPOSITORY, HEAD, at_size=99), "unknown-size"),
        (ledger.verdict(REPOSITORY, HEAD, at_size=0), "unknown-size"),
        (ledger.catalog.resolve_head(REPOSITORY, "0" * 12), "unknown-head"),
        (ledger.catalog.resolve_head(REPOSITORY, HEAD[:6]), "unknown-head"),
        (ledger.catalog.resolve_statement("0" * 12), "unknown-statement"),
        (ledger.catalog.resolve_statement("0" * 6), "unknown-statement"),
    ):
        with pytest.raises(UnknownThing) as unknown:
            await work
        assert unknown.value.code == code


async def test_prefixes_resolve_when_they_are_unique(opened: LiveLedger) -> None:
    ledger = opened.ledger
    assert await ledger.catalog.resolve_head(REPOSITORY, HEAD[:7]) == HEAD
    assert await ledger.catalog.resolve_head(REPOSITORY, "c" * 40) == "c" * 40
    study = await opened.study()
    assert await ledger.catalog.resolve_statement(study.digest[:9]) == study.digest
    opened.make.head = HEAD[:10] + "0" * 30
    await opened.open()
    with pytest.raises(Conflict) as refused:
        await ledger.catalog.resolve_head(REPOSITORY, HEAD[:7])
    assert refused.value.code == "ambiguous-prefix"


async def test_lists_follow_the_log(opened: LiveLedger) -> None:
    ledger = opened.ledger
    (study,) = await ledger.studies()
    assert (study.repository, study.head, study.change) == (REPOSITORY, HEAD, "180")
    assert await ledger.studies(REPOSITORY) == (study,)
    assert await ledger.studies("github.com/no/body") == ()
    assert await ledger.studies(after=study.index) == ()
    assert await ledger.change(REPOSITORY, "180") == (study,)
    (locked,) = await ledger.protocols()
    assert locked.digest == document_digest(opened.document) == sha256_hex(locked.document_bytes)
    assert locked.document_bytes == encode(opened.document)
    assert await ledger.protocols(REPOSITORY) == (locked,)
    assert await ledger.protocols(REPOSITORY[:-1]) == ()
    assert await ledger.protocol(locked.digest) == locked
    assert await ledger.repositories() == (REPOSITORY,)
    assert await ledger.heads(REPOSITORY) == (HEAD,)
    found = await ledger.study(study.digest)
    assert (found.study.digest, found.head) == (study.digest, HEAD)
    entries = await ledger.entries(after=1, limit=2)
    assert [entry.index for entry in entries] == [2, 3]


async def test_older_size_reads_as_it_did_then(opened: LiveLedger) -> None:
    ledger = opened.ledger
    then = []
    for slot in await opened.slots():
        await opened.reserve(slot)
        size = await opened.size()
        bundle = await ledger.bundle(REPOSITORY, HEAD)
        then.append((size, await ledger.verdict(REPOSITORY, HEAD), bundle))
    for slot in await opened.slots():
        await opened.push(slot)
    for size, verdict, bundle in then:
        assert await ledger.verdict(REPOSITORY, HEAD, at_size=size) == verdict
        assert await ledger.bundle(REPOSITORY, HEAD, at_size=size) == bundle
        assert score_bundle(bundle) == {verdict.claim: verdict.document}
    inside = await opened.size() - 1  # no checkpoint was ever of this size
    bundle = await ledger.bundle(REPOSITORY, HEAD, at_size=inside)
    assert list(score_bundle(bundle)) == ["land"]


async def test_head_without_a_line_reads_as_one_without_evidence(begun: LiveLedger) -> None:
    verdict = await begun.ledger.verdict(REPOSITORY, "c" * 40, claim="land")
    assert b'"word":"HOLD"' in verdict.document
    assert verdict.digest == sha256_hex(verdict.document)


async def test_r05_proof_root_and_size_are_of_one_snapshot(opened: LiveLedger) -> None:
    study = await opened.study()

    async def read() -> None:
        for _ in range(20):
            proof = await opened.ledger.proof(study.digest)
            assert proof.to_text()
            await asyncio.sleep(0)

    slots = [opened.register(f"runner-{n}") for n in range(2, 6)]
    await asyncio.gather(read(), read(), *slots)


async def test_tiles_are_those_of_the_newest_tree(opened: LiveLedger) -> None:
    size = await opened.size()
    assert len(await opened.ledger.tile(Tile(0, 0, size))) == 32 * size


async def test_ledger_that_does_not_run_reads_nothing() -> None:
    reader = LedgerReader(MemoryStore(), origin="none")
    with pytest.raises(LedgerBusy):
        await reader.checkpoint()


async def test_large_capture_goes_ahead_of_its_batch(
    opened: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.commit_batch.INLINE_BYTES", 10)
    put: list[str] = []
    keep = MemoryStore.put_blob

    async def noted(self: MemoryStore, blob: object) -> None:
        put.append(blob.sha256)  # type: ignore[attr-defined]  # a BlobRow
        await keep(self, blob)  # type: ignore[arg-type]

    monkeypatch.setattr(MemoryStore, "put_blob", noted)
    await opened.reserve("A/C2-canary/1")
    draft = await opened.receipt("A/C2-canary/1")
    await opened.send(draft)
    assert put == [sha256_hex(draft.capture_bytes)] == list(store.tables.blobs)


async def test_large_body_is_checked_beside_the_loop(
    opened: LiveLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.service.ledger.IN_LOOP_BYTES", 10)
    assert (await opened.reserve("A/C2-canary/1")).created


# ---- what a store may come to hold ----


async def unknown_kind(live: LiveLedger, store: MemoryStore, kind: str, line: str) -> None:
    """Append what a later version of this service might: a kind or version unknown to this one."""
    draft = live.make.deviation((await live.study()).digest)
    statement = parse_strict(draft.parsed.payload)
    assert isinstance(statement, dict)
    statement["predicateType"] = f"urn:fairtrial:{kind}:v2"
    payload = canonical(statement)
    rows = [row for row in store.tables.leaves if row.line == line]
    last = store.tables.leaves[-1]
    leaf = Leaf(
        at=instant_of(last.at_us),
        kind=kind,
        statement=sha256_hex(payload),
        size=len(payload),
        key=draft.parsed.signer,
        line=line,
        seq=len(rows),
        prev=rows[-1].index if rows else None,
    )
    row = LeafRow(
        index=last.index + 1,
        record=leaf.to_bytes(),
        hash=leaf.hash(),
        statement=leaf.statement,
        kind=kind,
        line=line,
        seq=leaf.seq,
        at_us=last.at_us,
    )
    tree, _ = (await load_tree(store, row.index)).grow([row.hash])
    note = ledger_keys().sign_checkpoint(tree.size, tree.root())
    checkpoint = CheckpointRow(tree.size, row.index, tree.root(), last.at_us, note)
    envelope = sign(payload, [signing_key("runner")])
    stored = StatementRow(leaf.statement, payload, to_json(envelope))
    await store.append(Batch(checkpoint=checkpoint, leaves=[row], statements=[stored]))


async def test_unknown_kind_on_a_line_holds_the_verdict_and_is_no_study(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await unknown_kind(opened, store, "hold", head_line(REPOSITORY, HEAD))
    verdict = await opened.ledger.verdict(REPOSITORY, HEAD)
    assert b'"code":"UNKNOWN_STATEMENT"' in verdict.document
    await unknown_kind(opened, store, "study", head_line(REPOSITORY, HEAD))
    digest = store.tables.leaves[-1].statement
    with pytest.raises(UnknownThing) as unknown:
        await opened.ledger.study(digest)
    assert unknown.value.code == "unknown-study"
    assert [study.ordinal for study in await opened.ledger.studies()] == [1]
    await unknown_kind(opened, store, "protocol", f"repo:{REPOSITORY}")
    assert len(await opened.ledger.protocols()) == 1
    assert (await opened.ledger.statement(digest)).entry.parsed is None


async def test_other_process_sees_every_line_move(opened: LiveLedger, store: MemoryStore) -> None:
    other = MemoryStore(store.tables)
    async with served(other, make=opened.make, clock=opened.clock) as second:
        await second.head()
        await opened.register("runner-2")
        await opened.reserve("A/C2-canary/1")
        assert len((await second.study()).reservations) == 1
        assert len((await second.ledger.keyring()).grants) == len(
            (await opened.ledger.keyring()).grants
        )
        await unknown_kind(opened, store, "ref", "repo:github.com/some/body")
        assert await second.size() == len(store.tables.leaves)


async def test_lost_entries_stop_everything(opened: LiveLedger, store: MemoryStore) -> None:
    lost = store.tables.checkpoints.pop()
    with pytest.raises(IntegrityBroken) as broken:
        await opened.head()
    assert broken.value.code == "rollback"
    assert not await opened.ledger.is_ready()
    store.tables.checkpoints.append(lost)


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        ({"kind": "policy"}, "leaf-row"),
        ({"hash": bytes(32)}, "root"),
        ({"record": b"{}"}, "entry"),
    ],
)
async def test_r07_damaged_leaf_does_not_start(
    opened: LiveLedger, store: MemoryStore, damage: dict[str, object], code: str
) -> None:
    store.tables.leaves[1] = replace(store.tables.leaves[1], **damage)  # type: ignore[arg-type]
    with pytest.raises(IntegrityBroken) as broken:
        await Ledger(MemoryStore(store.tables), signer=ledger_keys(), clock=FakeClock()).start()
    assert broken.value.code == code


async def test_r07_leaf_hash_that_is_not_of_its_record_is_damage(
    opened: LiveLedger, store: MemoryStore
) -> None:
    wrong = replace(store.tables.leaves[1], record=store.tables.leaves[1].record, hash=bytes(32))
    store.tables.leaves[1] = wrong
    with pytest.raises(IntegrityBroken) as broken:
        await opened.ledger.statement(wrong.statement)
    assert broken.value.code == "leaf-row"


async def test_root_that_the_appended_leaves_do_not_make_is_damage(
    opened: LiveLedger, store: MemoryStore
) -> None:
    await unknown_kind(opened, store, "hold", head_line(REPOSITORY, HEAD))
    store.tables.checkpoints[-1] = replace(store.tables.checkpoints[-1], root=bytes(32))
    for _ in range(2):
        with pytest.raises(IntegrityBroken) as broken:
            await opened.head()
        assert broken.value.code == "root"
