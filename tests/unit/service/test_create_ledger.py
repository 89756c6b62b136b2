# SPDX-License-Identifier: Apache-2.0
"""A log is begun once, by one command, with two keys."""

from dataclasses import replace

import pytest

from app.core.errors import Conflict, IntegrityBroken, UnknownThing, Unprocessable
from app.core.log.note import NoteSigner
from app.service.create_ledger import create_ledger
from app.service.ledger import Ledger
from app.service.ports import Batch
from app.storage.ledger_keys import LedgerKeys, new_ledger_keys
from tests.drafts import ORIGIN, signing_key
from tests.fakes import FakeClock, MemoryStore, ledger_keys
from tests.ledgers import FOUNDING, founded, served
from tests.makers import Maker


async def test_genesis_stands_at_index_0_and_is_the_whole_first_checkpoint() -> None:
    store = MemoryStore()
    make = await founded(store)
    async with served(store, make=make) as live:
        (entry,) = await live.ledger.entries()
        assert (entry.index, entry.leaf.kind, entry.leaf.line) == (0, "genesis", "ledger")
        assert live.ledger.genesis == entry.digest
        assert live.ledger.origin == ORIGIN
    (checkpoint,) = store.tables.checkpoints
    assert (checkpoint.size, checkpoint.prev_size) == (1, None)


async def test_recovery_key_is_named_and_reserved() -> None:
    store = MemoryStore()
    founding = replace(FOUNDING, recovery_key=signing_key("recovery").public)
    await create_ledger(store, founding, signer=ledger_keys(), clock=FakeClock())
    make = Maker(genesis_digest=store.tables.leaves[0].statement)
    async with served(store, make=make) as live:
        assert (await live.ledger.keyring()).is_used(signing_key("recovery").key_id)


async def test_init_refuses_a_store_that_holds_a_ledger() -> None:
    store = MemoryStore()
    await founded(store)
    with pytest.raises(Conflict) as refused:
        await founded(store)
    assert refused.value.code == "ledger-exists"
    assert len(store.tables.leaves) == 1


async def test_init_that_loses_the_race_for_an_empty_store_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def lost(_self: MemoryStore, _batch: Batch) -> bool:
        return False

    monkeypatch.setattr(MemoryStore, "append", lost)
    with pytest.raises(Conflict):
        await founded(MemoryStore())


async def test_serving_never_makes_a_log_because_its_checkpoint_is_missing() -> None:
    store = MemoryStore()
    ledger = Ledger(store, signer=ledger_keys(), clock=FakeClock())
    with pytest.raises(UnknownThing) as refused:
        await ledger.start()
    assert refused.value.code == "no-ledger"
    await ledger.stop()
    assert store.tables.leaves == []


async def test_s12_equal_keys_make_no_ledger_and_start_none() -> None:
    founding = replace(FOUNDING, statement_key=FOUNDING.checkpoint_key)
    with pytest.raises(Unprocessable) as refused:
        await create_ledger(MemoryStore(), founding, signer=ledger_keys(), clock=FakeClock())
    assert isinstance(refused.value, Unprocessable)
    assert len(refused.value.findings) == 1
    with pytest.raises(IntegrityBroken) as broken:
        LedgerKeys(NoteSigner(ORIGIN, signing_key("ledger")), signing_key("ledger"))
    assert broken.value.code == "equal-keys"


@pytest.mark.parametrize(
    "keys",
    [
        new_ledger_keys(ORIGIN),
        LedgerKeys(NoteSigner(ORIGIN, signing_key("ledger")), signing_key("checkpoint")),
        LedgerKeys(NoteSigner(ORIGIN + "/other", signing_key("checkpoint")), signing_key("ledger")),
    ],
)
async def test_s12_keys_that_are_not_those_of_the_genesis_do_not_start(keys: LedgerKeys) -> None:
    store = MemoryStore()
    await founded(store)
    with pytest.raises(IntegrityBroken) as refused:
        await Ledger(store, signer=keys, clock=FakeClock()).start()
    assert refused.value.code == "ledger-keys"
