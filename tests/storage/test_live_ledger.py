# SPDX-License-Identifier: Apache-2.0
"""The whole service over real databases: what must hold whichever database keeps the rows."""

import asyncio
import os
from pathlib import Path

import psycopg
import pytest

from app.core.admission.state import HeadState
from app.core.errors import (
    Conflict,
    FairtrialError,
    IntegrityBroken,
    LedgerBusy,
    NotSanitized,
)
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.merkle import root_of, verify_inclusion
from app.core.log.note import parse_note
from app.core.statement.closure import ClosurePredicate
from app.core.statement.encoding import encode
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle import score_bundle
from app.service.answers import Appended
from app.service.ports import StoreUnavailable
from app.storage.open_store import store_of
from app.storage.tables import LEDGER_TABLES
from tests import documents, facts
from tests.documents import DAY_US
from tests.ledgers import LiveLedger, founded, served
from tests.postgres import conninfo
from tests.storage.batches import second
from tests.storage.conftest import Place

SECRET = "hf_" + "a1b2" * 8


async def test_flow_survives_a_restart_and_scores_to_the_same_bytes(
    place: Place, live: LiveLedger
) -> None:
    await live.begin()
    await live.open()
    await live.fill(facts.starved())
    given = await live.ledger.verdicts(live.make.repository, live.make.head)
    bundle = await live.ledger.bundle(live.make.repository, live.make.head)
    assert score_bundle(bundle) == {one.claim: one.document for one in given}
    checkpoint = await live.ledger.checkpoint()
    async with served(store_of(place.url), make=live.make, clock=live.clock) as again:
        assert await again.ledger.verdicts(live.make.repository, live.make.head) == given
        assert await again.ledger.bundle(live.make.repository, live.make.head) == bundle
        assert await again.ledger.checkpoint() == checkpoint


async def test_closures_and_verdicts_in_the_log_are_what_recomputing_gives(
    live: LiveLedger,
) -> None:
    await live.begin()
    for end in (facts.capture(), facts.starved()):
        await live.open()
        await live.fill(end)
    await live.open()
    await live.reserve("A/C2-canary/1")
    live.clock.at_us += 3 * DAY_US
    await live.ledger.close_overdue()
    closures = verdicts = 0
    for found in await live.ledger.entries(limit=1000):
        assert found.entry.parsed is not None
        predicate = found.entry.parsed.predicate
        if isinstance(predicate, ClosurePredicate):
            closures += 1
            before = await live.ledger.standing(
                live.make.repository, live.make.head, at_size=found.index
            )
            study = (before.head or HeadState()).study(predicate.study)
            assert study is not None
            assert study.closure_index is None
        if isinstance(predicate, VerdictPredicate):
            verdicts += 1
            again = await live.ledger.verdict(
                live.make.repository,
                live.make.head,
                claim=predicate.document.claim,
                at_size=found.index,
            )
            assert again.document == encode(predicate.document)
    assert (closures, verdicts) == (3, 4)


async def test_proofs_lead_to_the_checkpoint_over_many_tiles(place: Place) -> None:
    first = store_of(place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(place.url), make=make) as live:
        await live.begin()
        await live.open()
        study = await live.study()
        drafts = [make.deviation(study.digest, what=f"Note {n}.") for n in range(300)]
        answers = await asyncio.gather(*(live.send(draft) for draft in drafts))
        checkpoint = parse_checkpoint(parse_note(await live.ledger.checkpoint()).text)
        assert checkpoint.size == 306
        for draft, answer in list(zip(drafts, answers, strict=True))[::50]:
            proof = await live.ledger.proof(draft.digest)
            verify_inclusion(
                answer.leaf.hash(),
                index=proof.index,
                size=checkpoint.size,
                proof=proof.proof,
                root=checkpoint.root,
            )
        leaves = await live.ledger.entries(limit=1000)
        assert root_of([found.leaf.hash() for found in leaves]) == checkpoint.root
    async with served(store_of(place.url), make=make, clock=live.clock) as again:
        proof = await again.ledger.proof(drafts[7].digest)
        assert proof.index == answers[7].index
        assert (await again.register("runner-9")).index == 306


async def test_large_capture_is_kept_and_read_back(live: LiveLedger) -> None:
    await live.begin()
    await live.open()
    gaps = [int.from_bytes(os.urandom(2)) for _ in range(40_000)]
    large = facts.capture(facts.incumbent(content_gaps_us=gaps), facts.newcomer())
    await live.reserve(*await live.slots())
    drafts = [await live.receipt((await live.slots())[0], large)]
    await live.send(drafts[0])
    for slot in (await live.slots())[1:]:
        await live.push(slot, large)
    digest = drafts[0].parsed.predicate.capture.sha256  # type: ignore[union-attr]  # a receipt
    assert await live.ledger.capture(digest) == drafts[0].capture_bytes


def everything_in(place: Place) -> bytes:
    """Return every byte the database keeps, as text or as its files."""
    if place.is_sqlite:
        return b"".join(path.read_bytes() for path in sorted(place.path.parent.glob("ledger.db*")))
    found = b""
    with psycopg.connect(conninfo(place.owner_url)) as connection:
        for table in (*LEDGER_TABLES, "blob"):
            with connection.cursor(binary=True) as cursor:
                cursor.execute(f"SELECT * FROM {table}".encode())  # noqa: S608  our own names
                for row in cursor:
                    found += b"".join(
                        value if isinstance(value, bytes) else str(value).encode() for value in row
                    )
    return found


async def test_l15_what_the_sanitizer_refused_is_nowhere_in_the_database(
    place: Place, live: LiveLedger, caplog: pytest.LogCaptureFixture
) -> None:
    await live.begin()
    await live.open()
    await live.reserve(*await live.slots())
    slot = (await live.slots())[0]
    draft = await live.receipt(slot, claims={"note": f"private note {SECRET}"})
    for _ in range(4):
        with pytest.raises(NotSanitized) as refused:
            await live.send(draft)
        assert SECRET not in f"{refused.value} {refused.value.findings}"
    kinds = [found.leaf.kind for found in await live.ledger.entries(limit=1000)]
    assert kinds.count("refusal") == 3
    kept = everything_in(place)
    assert b"refusal" in kept
    for trace in (SECRET, draft.digest, "private note"):
        assert trace.encode() not in kept
    assert SECRET not in caplog.text
    assert (await live.push(slot)).effect == "scored"


async def test_l07_race_of_locks_and_reservations_has_one_winner_each(
    place: Place, live: LiveLedger
) -> None:
    await live.begin(policy=False)
    async with served(store_of(place.url), make=live.make, clock=live.clock) as other:
        locks = [
            live.make.lock(
                documents.document(name="raced", not_claimed=[f"what client {n} left out"])
            )
            for n in range(20)
        ]
        answers = await asyncio.gather(
            *((live, other)[n % 2].send(draft) for n, draft in enumerate(locks)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, Appended) for one in answers) == 1
        refused = [one for one in answers if isinstance(one, FairtrialError)]
        assert {(type(one), one.code) for one in refused} == {(Conflict, "locked")}
        await live.open()
        study = await live.study()
        slot = (await live.slots())[0]
        takes = [live.make.reservation(study.digest, [slot], host=f"driver-{n}") for n in range(20)]
        answers = await asyncio.gather(
            *((live, other)[n % 2].send(draft) for n, draft in enumerate(takes)),
            return_exceptions=True,
        )
        assert sum(isinstance(one, Appended) for one in answers) == 1
        assert {type(one) for one in answers} == {Appended, Conflict}


async def test_r03_connection_that_breaks_costs_nothing(
    postgres_place: Place,
) -> None:
    first = store_of(postgres_place.url)
    make = await founded(first)
    await first.close()
    async with served(store_of(postgres_place.url), make=make) as live:
        await live.begin()
        postgres_place.run_as_owner(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE usename = 'fairtrial_app' AND datname = current_database()"
        )
        size = await live.size()
        answer = await live.register("runner-2")
        assert (answer.created, answer.index) == (True, size)


async def test_server_that_is_gone_is_said_to_be_unavailable() -> None:
    store = store_of("postgresql+psycopg://nobody:none@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailable):
        await store.open()
    with pytest.raises(LedgerBusy) as busy:
        await store.newest_checkpoint()
    assert busy.value.code == "store-unavailable"
    with pytest.raises(StoreUnavailable):
        async with store.turn():
            pytest.fail("there is no turn to be had")
    await store.close()


async def test_large_capture_waits_for_a_connection_that_works(postgres_place: Place) -> None:
    store = store_of(postgres_place.url)
    await store.open()
    postgres_place.run_as_owner(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
        " WHERE usename = 'fairtrial_app' AND datname = current_database()"
    )
    (blob,) = second().blobs
    with pytest.raises(StoreUnavailable):
        await store.put_blob(blob)
    await store.put_blob(blob)
    assert await store.blobs([blob.sha256]) == {blob.sha256: blob}
    await store.close()


async def test_store_that_is_not_there_or_of_another_schema_does_not_open(
    place: Place, tmp_path: Path
) -> None:
    missing = (
        f"sqlite:///{tmp_path / 'none.db'}"
        if place.is_sqlite
        else place.url.replace("/fairtrial_", "/absent_")
    )
    with pytest.raises(StoreUnavailable):
        await store_of(missing).open()
    if place.is_sqlite:
        empty = tmp_path / "empty.db"
        empty.touch()
        store = store_of(f"sqlite:///{empty}")
        with pytest.raises(IntegrityBroken) as refused:
            await store.open()
        assert refused.value.code == "schema-version"
        await store.close()
