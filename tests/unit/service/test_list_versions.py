# SPDX-License-Identifier: Apache-2.0
"""What was known at each lock, from a whole ledger: by index, over all heads, and only once."""

from collections.abc import Collection, Mapping

import pytest
from typing_extensions import override

from app.core.errors import Conflict, UnknownThing
from app.core.protocol.parse import document_digest
from app.core.reason import Reason
from app.core.statement.protocol_document import ProtocolDocument
from app.core.verdict.versions import ProtocolVersion
from app.service.ports import StatementRow
from tests import facts
from tests.documents import commit, document
from tests.fakes import MemoryStore
from tests.gates import bound
from tests.ledgers import LiveLedger, founded, served
from tests.lints import gated, with_

BOUND = with_(bound(limit="10000000"), scope="live_correctness")
V1 = gated(BOUND)
V2 = gated(with_(BOUND, comparison__limit="15000000"), version=2)
V3 = gated(with_(BOUND, comparison__limit="20000000"), version=3)
"""Versions whose only difference is a limit that is loosened."""


class CountingStore(MemoryStore):
    """Counts how often statements are read."""

    reads = 0

    @override
    async def statements(self, digests: Collection[str]) -> Mapping[str, StatementRow]:
        self.reads += len(digests)
        return await super().statements(digests)


async def begun(ledger: LiveLedger) -> None:
    ledger.document = V1
    await ledger.begin()


async def amend(ledger: LiveLedger, later: ProtocolDocument) -> None:
    """Lock the next version, and go on under the first."""
    newest = (await ledger.ledger.versions(document_digest(V1))).newest
    await ledger.send(ledger.make.lock(later, supersedes=newest))


async def fill(ledger: LiveLedger, head: str, *, failing: bool = False) -> None:
    """Run a study under the first version on a head of its own."""
    ledger.make.head = commit(head)
    await ledger.open()
    await ledger.reserve(*(await ledger.slots()))
    for slot in await ledger.slots():
        await ledger.push(slot, facts.starved() if failing and slot.startswith("B/") else None)


def known(version: ProtocolVersion) -> tuple[int, int, int, int, int]:
    held = version.known
    return held.studies, held.attempts, held.receipts, held.closed, held.judgements.FAIL


async def versions(ledger: LiveLedger) -> tuple[ProtocolVersion, ...]:
    return (await ledger.ledger.versions(document_digest(V1))).versions


async def test_each_lock_knows_what_stood_below_it_on_every_head(live: LiveLedger) -> None:
    await begun(live)
    await fill(live, "one")
    await amend(live, V2)
    await fill(live, "two", failing=True)
    await amend(live, V3)
    await fill(live, "three", failing=True)
    first, second, third = await versions(live)
    assert [one.lock.document.version for one in (first, second, third)] == [1, 2, 3]
    assert (known(first), first.reason) == ((0, 0, 0, 0, 0), Reason.FIRST_VERSION)
    assert (known(second), second.reason) == ((1, 3, 3, 1, 0), Reason.LOCKED_AFTER_JUDGEMENT)
    assert (known(third), third.reason) == ((2, 6, 6, 2, 3), Reason.LOCKED_AFTER_FAIL)


async def test_chain_is_the_same_whichever_version_is_asked_for_and_comes_in_pages(
    live: LiveLedger,
) -> None:
    await begun(live)
    await amend(live, V2)
    await amend(live, V3)
    whole = await live.ledger.versions(document_digest(V1))
    for each in (V2, V3):
        assert await live.ledger.versions(document_digest(each)) == whole
    assert whole.newest == document_digest(V3)
    first, second, third = whole.versions
    page = await live.ledger.versions(document_digest(V3), limit=2)
    assert page.versions == (first, second)
    rest = await live.ledger.versions(document_digest(V3), after=second.lock.index)
    assert rest.versions == (third,)


async def test_what_was_counted_once_is_not_read_again() -> None:
    store = CountingStore()
    async with served(store, make=await founded(store)) as ledger:
        await begun(ledger)
        await fill(ledger, "one", failing=True)
        await amend(ledger, V2)
        before = await versions(ledger)
        cold, store.reads = store.reads, 0
        assert await versions(ledger) == before
        assert 0 < store.reads < cold
        warm, store.reads = store.reads, 0
        await versions(ledger)
        assert store.reads == warm


async def test_second_amendment_of_one_parent_is_refused_and_stands_nowhere(
    live: LiveLedger,
) -> None:
    await begun(live)
    await amend(live, V2)
    with pytest.raises(Conflict) as refused:
        await live.send(live.make.lock(V3, supersedes=document_digest(V1)))
    assert refused.value.code == "protocol-moved"
    assert [one.lock.document for one in await versions(live)] == [V1, V2]


async def test_document_that_nobody_or_another_repository_locked_is_unknown(
    live: LiveLedger,
) -> None:
    await begun(live)
    for digest, repository in (
        (document_digest(V2), None),
        (document_digest(V1), "github.com/no/body"),
    ):
        with pytest.raises(UnknownThing) as unknown:
            await live.ledger.versions(digest, repository=repository)
        assert unknown.value.code == "unknown-protocol"
    named = await live.ledger.versions(document_digest(V1), repository=live.make.repository)
    assert named.repository == live.make.repository


async def test_study_of_another_protocol_is_neither_counted_nor_folded(live: LiveLedger) -> None:
    await begun(live)
    other = document(name="other-canary")
    await live.send(live.make.lock(other))
    live.document = other
    await fill(live, "other")
    await amend(live, V2)
    assert [known(one) for one in await versions(live)] == [(0, 0, 0, 0, 0)] * 2
