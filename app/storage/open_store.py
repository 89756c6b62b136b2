# SPDX-License-Identifier: Apache-2.0
"""Picks the store that a database URL names."""

from __future__ import annotations

from app.service.ports import LedgerStore
from app.storage.engine import is_sqlite
from app.storage.ledger_store_postgres import PostgresLedgerStore
from app.storage.ledger_store_sqlite import SqliteLedgerStore


def store_of(url: str) -> LedgerStore:
    """Return the store of ``url``, not yet opened."""
    return SqliteLedgerStore(url) if is_sqlite(url) else PostgresLedgerStore(url)
