# SPDX-License-Identifier: Apache-2.0
"""The end of the log is found by key, however long the log has grown."""

import psycopg

from app.core.digest import sha256_hex
from app.storage.postgres_tail import Connection, PostgresTail
from tests.postgres import Database, conninfo


async def test_statements_and_captures_are_never_looked_for_row_by_row(
    migrated_template: Database,
) -> None:
    digests = [sha256_hex(b"one"), sha256_hex(b"other")]
    url = conninfo(migrated_template.app_url)
    async with await psycopg.AsyncConnection.connect(url) as connection:
        # A table of few rows is read as a whole, unless there is no other way.
        await connection.execute("SET enable_seqscan = off")

        async def given() -> Connection:
            return connection

        tail = PostgresTail(given)
        assert await tail.statements(digests) == {}
        assert await tail.blobs(digests) == {}
        scans = await connection.execute(
            "SELECT relname, seq_scan FROM pg_stat_xact_user_tables"
            " WHERE relname IN ('statement', 'blob') AND idx_scan > 0 ORDER BY relname"
        )
        assert await scans.fetchall() == [("blob", 0), ("statement", 0)]
