# SPDX-License-Identifier: Apache-2.0
"""What the audit finds in a store whose every byte agrees with every other.

Whoever holds the ledger's own keys can write such a store; the rules still tell where it lies.
"""

import copy
from dataclasses import replace
from itertools import pairwise

import pytest

from app.core.errors import IntegrityBroken, LedgerBusy, UnknownThing
from app.core.identity import Role, instant_of
from app.core.keyring.keyring import Keyring
from app.core.log.leaf import TreeHead
from app.core.signing.envelope import parse_envelope
from app.core.verdict import readmit
from app.service import audit as audit_module
from app.service.audit import Audit, Audited
from app.service.stored_slice import Damage, refuse_bad_signatures, slices
from tests.fakes import MemoryStore, MemoryTables
from tests.ledgers import LiveLedger, founded, served
from tests.unit.service.reforged import reforged


async def audited(tables: MemoryTables) -> Audited:
    return await Audit(MemoryStore(tables)).run()


async def damage_in(tables: MemoryTables) -> tuple[int | None, str]:
    damage = (await audited(tables)).damage
    assert damage is not None
    return damage.index, damage.code


def _index(store: MemoryStore, kind: str) -> int:
    return next(row.index for row in store.tables.leaves if row.kind == kind)


async def test_whole_store_is_found_in_order(closed: LiveLedger, store: MemoryStore) -> None:
    told: list[tuple[int, int]] = []
    found = await Audit(store, progress=lambda done, of: told.append((done, of))).run()
    assert found.damage is None
    assert found.size == len(store.tables.leaves)
    assert found.root == store.tables.checkpoints[-1].root.hex()
    assert told == [(found.size, found.size)]
    again = reforged(store.tables, 3)
    assert (await audited(again)).damage is None


async def test_entry_that_jumps_its_line_is_found(closed: LiveLedger, store: MemoryStore) -> None:
    index = _index(store, "study")
    changed = reforged(store.tables, index, seq=4, prev=2)
    assert await damage_in(changed) == (index, "line-incomplete")
    index = _index(store, "policy")
    changed = reforged(store.tables, index, line="ledger")
    assert await damage_in(changed) == (index, "line-foreign")


async def test_r14_entry_older_than_the_one_before_is_found(
    closed: LiveLedger, store: MemoryStore
) -> None:
    index = _index(store, "policy")
    earlier = instant_of(store.tables.leaves[0].at_us)
    changed = reforged(store.tables, index, at=earlier)
    assert await damage_in(changed) == (index, "leaf-time")


async def test_reservation_on_another_tree_is_found(closed: LiveLedger, store: MemoryStore) -> None:
    index = _index(store, "reservation")
    changed = reforged(store.tables, index, after=TreeHead(index, "0" * 64))
    assert await damage_in(changed) == (index, "reservation-tree")


async def test_receipt_that_came_too_late_for_its_verdict_is_found(
    closed: LiveLedger, store: MemoryStore
) -> None:
    """The verdict then no longer follows from the entries below it."""
    tables = copy.deepcopy(store.tables)
    index = _index(store, "closure")
    late = instant_of(tables.leaves[index].at_us + 400 * 86_400 * 1_000_000)
    found = await damage_in(reforged(tables, index, at=late))
    assert found == (index + 1, "leaf-time")


async def test_key_statement_on_a_tree_of_another_log_is_found(store: MemoryStore) -> None:
    make = await founded(store)
    async with served(store, make=make) as live:
        await live.register("a")
        await live.register("b")
    # The root that the second names was that of size 2; it is another one now.
    changed = reforged(store.tables, 0, at=instant_of(store.tables.leaves[0].at_us - 1))
    assert await damage_in(changed) == (1, "not-admitted")


async def test_checkpoint_signed_by_another_is_found(
    closed: LiveLedger, store: MemoryStore
) -> None:
    newest, tables = store.tables.checkpoints[-1], copy.deepcopy(store.tables)
    for note, code in (
        (store.tables.checkpoints[0].note, "checkpoint-row"),
        (b"no note", "note"),
    ):
        tables.checkpoints[-1] = replace(newest, note=note)
        assert await damage_in(tables) == (newest.size - 1, code)
    tables.checkpoints[-1] = replace(newest, note=newest.note, prev_size=newest.size - 1)
    assert await damage_in(tables) == (newest.size - 2, "checkpoint-missing")
    tables.checkpoints[-1] = replace(newest, root=bytes(32))
    assert await damage_in(tables) == (newest.size - 1, "checkpoint-row")


async def test_bad_signature_is_found_by_audit_and_scrub(
    closed: LiveLedger, store: MemoryStore
) -> None:
    index = _index(store, "policy")
    row = store.tables.statements[store.tables.leaves[index].statement]
    other = store.tables.statements[store.tables.leaves[index - 1].statement]
    signature = other.envelope.split(b'"sig":"')[1].split(b'"')[0]
    own = row.envelope.split(b'"sig":"')[1].split(b'"')[0]
    forged = replace(row, envelope=row.envelope.replace(own, signature))
    store.tables.statements[row.sha256] = forged
    assert await damage_in(store.tables) == (index, "bad-signature")
    scrubbed = await closed.ledger.scrub()
    assert scrubbed.damage == Damage(index, "envelope", scrubbed.damage.what)  # type: ignore[union-attr]  # found
    (reason,) = await closed.ledger.unready()
    assert reason.rule == "envelope"
    # Whose key nobody here knows, his signature cannot be held against anything.
    refuse_bad_signatures(parse_envelope(forged.envelope), Keyring(), index=index)


async def test_l25_capture_of_another_size_or_without_its_use_is_found(
    closed: LiveLedger, store: MemoryStore
) -> None:
    index = _index(store, "receipt")
    tables = copy.deepcopy(store.tables)
    digest, blob = next(iter(tables.blobs.items()))
    tables.blobs[digest] = replace(blob, size=blob.size + 1)
    assert await damage_in(tables) == (index, "capture-damaged")
    tables = copy.deepcopy(store.tables)
    tables.uses.clear()
    assert await damage_in(tables) == (index, "capture-use")


async def test_heads_that_were_put_aside_are_folded_again(
    closed: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "KEPT_HEADS", 1)
    for head in ("e" * 40, closed.make.head, "f" * 40, "e" * 40):
        closed.make = replace(closed.make, head=head)
        await closed.open()
    assert (await audited(store.tables)).damage is None


async def test_entry_of_an_unknown_kind_ends_the_admissions_of_its_lines(
    closed: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    real = readmit.admit_again

    def noting(entry, *rest, **named):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN002, ANN003, ANN202  whatever it takes
        seen.append(entry.index)
        return real(entry, *rest, **named)

    monkeypatch.setattr(audit_module, "admit_again", noting)
    monkeypatch.setattr(audit_module, "_is_unknown", lambda standing: standing.head is not None)
    assert (await audited(store.tables)).damage is None
    assert seen == [row.index for row in store.tables.leaves if not row.line.startswith("head:")]


async def test_empty_store_and_one_that_does_not_answer_are_no_damage() -> None:
    with pytest.raises(UnknownThing):
        await audited(MemoryTables())
    with pytest.raises(LedgerBusy):
        await Audit(MemoryStore(down=LedgerBusy("gone"))).run()


async def test_store_that_is_damaged_as_a_file_is_said_to_be(
    closed: LiveLedger, store: MemoryStore
) -> None:
    store.down = IntegrityBroken("a page is damaged", code="store-damaged")
    found = (await Audit(store).run()).damage
    assert found == Damage(0, "store-damaged", "a page is damaged")


async def test_row_the_database_cannot_read_is_named_among_those_it_can(
    closed: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = MemoryStore.leaves

    async def unreadable(self: MemoryStore, start: int, end: int):  # type: ignore[no-untyped-def]  # noqa: ANN202  rows
        if start <= 3 < end:
            raise IntegrityBroken("not text", code="store-damaged")
        return await real(self, start, end)

    monkeypatch.setattr(MemoryStore, "leaves", unreadable)
    found = (await Audit(store).run()).damage
    assert found == Damage(3, "store-damaged", "not text")


def test_slices_are_cut_where_tiles_end() -> None:
    assert list(slices(0, 0)) == []
    assert list(slices(0, 10)) == [(0, 10)]
    assert list(slices(200, 600)) == [(200, 256), (256, 512), (512, 600)]


async def test_key_statement_on_an_older_slice_of_another_log_is_found(
    store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_module, "slices", lambda start, end: pairwise(range(start, end + 1)))
    make = await founded(store)
    async with served(store, make=make) as live:
        await live.register("a")
        draft = live.make.key("b", Role.RUNNER, checkpoint=await live.checkpoint())
        await live.register("c")
        await live.send(draft)
    assert (await audited(store.tables)).damage is None
    changed = reforged(store.tables, 0, at=instant_of(store.tables.leaves[0].at_us - 1))
    assert (await damage_in(changed))[1] == "not-admitted"


async def test_entries_that_only_one_by_one_can_be_read_are_all_audited(
    closed: LiveLedger, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = MemoryStore.leaves

    async def one_by_one(self: MemoryStore, start: int, end: int):  # type: ignore[no-untyped-def]  # noqa: ANN202  rows
        if end - start > 1:
            raise IntegrityBroken("too many", code="store-damaged")
        return await real(self, start, end)

    monkeypatch.setattr(MemoryStore, "leaves", one_by_one)
    found = await Audit(store).run()
    assert (found.size, found.damage) == (len(store.tables.leaves), None)
