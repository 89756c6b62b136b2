# SPDX-License-Identifier: Apache-2.0
"""A served ledger over a store in memory."""

from collections.abc import AsyncIterator

import pytest

from tests import factories, facts
from tests.fakes import MemoryStore
from tests.ledgers import LiveLedger, founded, served
from tests.unit.service.receiving import SLOT


@pytest.fixture
def store() -> MemoryStore:
    """Return an empty store."""
    return MemoryStore()


@pytest.fixture
async def live(store: MemoryStore) -> AsyncIterator[LiveLedger]:
    """Yield a served ledger that holds its genesis only."""
    make = await founded(store)
    async with served(store, make=make) as one:
        yield one


@pytest.fixture
async def begun(live: LiveLedger) -> LiveLedger:
    """Return a ledger with keys, a locked protocol and a policy."""
    await live.begin()
    return live


@pytest.fixture
async def opened(begun: LiveLedger) -> LiveLedger:
    """Return a begun ledger with an open study."""
    await begun.open()
    return begun


@pytest.fixture
async def closed(opened: LiveLedger) -> LiveLedger:
    """Return a ledger with a closed study."""
    await opened.fill(facts.starved())
    return opened


@pytest.fixture
def story() -> factories.Story:
    """Return a ledger with an open study and one reserved slot."""
    one = factories.opened()
    one.reserve(SLOT)
    return one
