# SPDX-License-Identifier: Apache-2.0
"""The ledger's tables, and what holds them append-only on either database.

PostgreSQL: the app role may read and call ``append_batch``; triggers that are always on refuse
changes by whoever may write at all. SQLite: triggers alone, and because INSERT OR REPLACE walks
past delete triggers, one before every insert that refuses a key that stands. Past those is the
tree.

Revision ID: ledger
Revises:
"""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "ledger"
down_revision = None
branch_labels = None
depends_on = None

APP = "fairtrial_app"
APPEND_ONLY = ("checkpoint", "statement", "leaf", "tile", "capture_use")
# What must not stand yet when a row goes in: SQLite only, see above.
KEYS = {
    "checkpoint": "size = NEW.size OR prev_size = NEW.prev_size",
    "statement": "sha256 = NEW.sha256",
    "leaf": "idx = NEW.idx OR statement = NEW.statement OR (line = NEW.line AND seq = NEW.seq)",
    "tile": "level = NEW.level AND n = NEW.n",
    "capture_use": "capture = NEW.capture AND receipt = NEW.receipt",
}
# The chain, the index and the line have no gap: on PostgreSQL ``append_batch`` sees to it.
DENSE = {
    "checkpoint": "NEW.prev_size IS NOT (SELECT max(size) FROM checkpoint)",
    "leaf": (
        "NEW.idx <> (SELECT coalesce(max(idx) + 1, 0) FROM leaf)"
        " OR NEW.idx >= (SELECT max(size) FROM checkpoint)"
        " OR NEW.seq <> (SELECT coalesce(max(seq) + 1, 0) FROM leaf WHERE line = NEW.line)"
        " OR NEW.at_us < (SELECT coalesce(max(at_us), 0) FROM leaf WHERE idx = NEW.idx - 1)"
    ),
}


def upgrade() -> None:
    """Make the tables and their guards."""
    _tables()
    if op.get_bind().dialect.name == "sqlite":
        _guards_of_sqlite()
    else:
        _guards_of_postgresql()


def downgrade() -> None:
    """Refuse: what stands in a ledger is evidence, and a downgrade would drop it."""
    raise NotImplementedError("The ledger's tables are never dropped or rewritten.")


def _tables() -> None:
    op.create_table(
        "checkpoint",
        _bigint("size"),
        sa.Column("prev_size", sa.BigInteger),
        _bytes("root"),
        _bigint("at_us"),
        _bytes("note"),
        sa.PrimaryKeyConstraint("size", name="pk_checkpoint"),
        sa.UniqueConstraint("prev_size", name="uq_checkpoint_prev_size"),
        sa.ForeignKeyConstraint(["prev_size"], ["checkpoint.size"], name="fk_checkpoint_prev_size"),
        # The first checkpoint holds the genesis alone; so there is only one first checkpoint.
        sa.CheckConstraint(
            "(prev_size IS NULL AND size = 1) OR (prev_size IS NOT NULL AND prev_size < size)",
            name="ck_checkpoint_grows",
        ),
        sa.CheckConstraint("length(root) = 32", name="ck_checkpoint_root"),
    )
    op.create_table(
        "statement",
        _digest("sha256"),
        _bytes("payload"),
        _bytes("envelope"),
        sa.PrimaryKeyConstraint("sha256", name="pk_statement"),
        sa.CheckConstraint("length(sha256) = 64", name="ck_statement_sha256"),
    )
    op.create_table(
        "leaf",
        _bigint("idx"),
        _bytes("record"),
        _bytes("hash"),
        _digest("statement"),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        _bigint("seq"),
        _bigint("at_us"),
        sa.PrimaryKeyConstraint("idx", name="pk_leaf"),
        sa.UniqueConstraint("statement", name="uq_leaf_statement"),
        sa.UniqueConstraint("line", "seq", name="uq_leaf_line_seq"),
        sa.ForeignKeyConstraint(["statement"], ["statement.sha256"], name="fk_leaf_statement"),
        sa.CheckConstraint("idx >= 0 AND seq >= 0", name="ck_leaf_places"),
        sa.CheckConstraint("length(hash) = 32", name="ck_leaf_hash"),
    )
    op.create_index("ix_leaf_kind", "leaf", ["kind", "idx"])
    op.create_table(
        "tile",
        sa.Column("level", sa.SmallInteger, nullable=False, autoincrement=False),
        _bigint("n"),
        _bytes("data"),
        sa.PrimaryKeyConstraint("level", "n", name="pk_tile"),
        sa.CheckConstraint("length(data) = 8192", name="ck_tile_full"),
    )
    op.create_table(
        "capture_use",
        _digest("capture"),
        _digest("receipt"),
        sa.PrimaryKeyConstraint("capture", "receipt", name="pk_capture_use"),
        sa.ForeignKeyConstraint(["receipt"], ["statement.sha256"], name="fk_capture_use_receipt"),
    )
    op.create_table(
        "blob",
        _digest("sha256"),
        _bigint("size"),
        _bytes("zstd"),
        sa.PrimaryKeyConstraint("sha256", name="pk_blob"),
        sa.CheckConstraint("length(sha256) = 64", name="ck_blob_sha256"),
    )


def _guards_of_postgresql() -> None:
    op.execute(
        sa.text(
            "CREATE FUNCTION public.refuse_change() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'"
            " USING ERRCODE = 'insufficient_privilege'; END $$"
        )
    )
    for table in APPEND_ONLY:
        for name, event, each in (
            ("update", "UPDATE", "ROW"),
            ("delete", "DELETE", "ROW"),
            ("truncate", "TRUNCATE", "STATEMENT"),
        ):
            trigger = f"{table}_no_{name}"
            op.execute(
                f"CREATE TRIGGER {trigger} BEFORE {event} ON public.{table}"
                f" FOR EACH {each} EXECUTE FUNCTION public.refuse_change()"
            )
            # A session in replication mode skips ordinary triggers; not these.
            op.execute(f"ALTER TABLE public.{table} ENABLE ALWAYS TRIGGER {trigger}")
    script = Path(__file__).with_name("2026_11_30_append_batch.sql")
    op.execute(sa.text(script.read_text(encoding="utf-8")))
    op.execute("REVOKE ALL ON FUNCTION public.append_batch FROM PUBLIC")
    op.execute(f"GRANT EXECUTE ON FUNCTION public.append_batch TO {APP}")
    op.execute(f"GRANT SELECT ON {', '.join(APPEND_ONLY)}, alembic_version TO {APP}")
    # An ordinary table, yet nothing in it is changed: large captures go in ahead of their batch.
    op.execute(f"GRANT SELECT, INSERT ON blob TO {APP}")


def _guards_of_sqlite() -> None:
    for table in APPEND_ONLY:
        for name, event in (("update", "UPDATE"), ("delete", "DELETE")):
            _sqlite_trigger(
                f"{table}_no_{name}", f"{event} ON {table}", "the ledger is append-only"
            )
        stands = f"EXISTS (SELECT 1 FROM {table} WHERE {KEYS[table]})"  # noqa: S608  constants
        _sqlite_trigger(
            f"{table}_no_replace", f"INSERT ON {table} WHEN {stands}", "the ledger is append-only"
        )
    for table, gap in DENSE.items():
        _sqlite_trigger(f"{table}_dense", f"INSERT ON {table} WHEN {gap}", "a gap in the ledger")


def _sqlite_trigger(name: str, on: str, why: str) -> None:
    op.execute(
        sa.text(f"CREATE TRIGGER {name} BEFORE {on} BEGIN SELECT RAISE(ABORT, '{why}'); END")
    )


def _bigint(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger, nullable=False, autoincrement=False)


def _digest(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.CHAR(64), nullable=False)


def _bytes(name: str) -> sa.Column[bytes]:
    return sa.Column(name, sa.LargeBinary, nullable=False)
