# SPDX-License-Identifier: Apache-2.0
"""The ledger's tables as SQLModel rows, in step with the migrations (``alembic check`` compares).

A table class does not validate; rows are built from the ports' values only, which were verified
before. Constraints are named because Alembic's batch mode drops unnamed ones. Checks, triggers,
privileges and ``append_batch`` stand in the migration: they are the database's, not a mapper's.

Signed bytes are kept as bytes: ``jsonb`` reorders and dedupes members.
"""

from __future__ import annotations

from typing import ClassVar

from sqlalchemy import (
    CHAR,
    BigInteger,
    Column,
    ForeignKeyConstraint,
    Index,
    LargeBinary,
    PrimaryKeyConstraint,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlmodel import Field, SQLModel

LEDGER_TABLES = ("checkpoint", "statement", "leaf", "tile", "capture_use")
"""Tables that only ever grow; ``blob`` is an ordinary one, since a blob proves itself."""


def _bigint() -> Column[int]:
    return Column(BigInteger, nullable=False, autoincrement=False)


def _digest() -> Column[str]:
    return Column(CHAR(64), nullable=False)


def _text() -> Column[str]:
    return Column(Text, nullable=False)


def _bytes() -> Column[bytes]:
    return Column(LargeBinary, nullable=False)


class CheckpointTable(SQLModel, table=True):
    """The chain of tree heads: a size has one successor, so a fork has no place to stand."""

    __tablename__: ClassVar[str] = "checkpoint"
    __table_args__ = (
        PrimaryKeyConstraint("size", name="pk_checkpoint"),
        UniqueConstraint("prev_size", name="uq_checkpoint_prev_size"),
        ForeignKeyConstraint(["prev_size"], ["checkpoint.size"], name="fk_checkpoint_prev_size"),
    )

    size: int = Field(sa_column=_bigint())
    prev_size: int | None = Field(sa_column=Column(BigInteger))
    root: bytes = Field(sa_column=_bytes())
    at_us: int = Field(sa_column=_bigint())
    note: bytes = Field(sa_column=_bytes())


class StatementTable(SQLModel, table=True):
    """Payloads by digest, each with its envelope."""

    __tablename__: ClassVar[str] = "statement"
    __table_args__ = (PrimaryKeyConstraint("sha256", name="pk_statement"),)

    sha256: str = Field(sa_column=_digest())
    payload: bytes = Field(sa_column=_bytes())
    envelope: bytes = Field(sa_column=_bytes())


class LeafTable(SQLModel, table=True):
    """The leaves. The index comes from the chain: identity columns leave gaps after a rollback."""

    __tablename__: ClassVar[str] = "leaf"
    __table_args__ = (
        PrimaryKeyConstraint("idx", name="pk_leaf"),
        UniqueConstraint("statement", name="uq_leaf_statement"),
        UniqueConstraint("line", "seq", name="uq_leaf_line_seq"),
        ForeignKeyConstraint(["statement"], ["statement.sha256"], name="fk_leaf_statement"),
        Index("ix_leaf_kind", "kind", "idx"),
        Index(
            "ix_leaf_line",
            "seq",
            "line",
            postgresql_ops={"line": "text_pattern_ops"},
            postgresql_where=text("seq = 0"),
            sqlite_where=text("seq = 0"),
        ),
    )

    idx: int = Field(sa_column=_bigint())
    record: bytes = Field(sa_column=_bytes())
    hash: bytes = Field(sa_column=_bytes())
    statement: str = Field(sa_column=_digest())
    kind: str = Field(sa_column=_text())
    line: str = Field(sa_column=_text())
    seq: int = Field(sa_column=_bigint())
    at_us: int = Field(sa_column=_bigint())


class TileTable(SQLModel, table=True):
    """Full tiles of hashes (C2SP tlog-tiles)."""

    __tablename__: ClassVar[str] = "tile"
    __table_args__ = (PrimaryKeyConstraint("level", "n", name="pk_tile"),)

    level: int = Field(sa_column=Column(SmallInteger, nullable=False, autoincrement=False))
    n: int = Field(sa_column=_bigint())
    data: bytes = Field(sa_column=_bytes())


class CaptureUseTable(SQLModel, table=True):
    """Which receipt names which capture."""

    __tablename__: ClassVar[str] = "capture_use"
    __table_args__ = (
        PrimaryKeyConstraint("capture", "receipt", name="pk_capture_use"),
        ForeignKeyConstraint(["receipt"], ["statement.sha256"], name="fk_capture_use_receipt"),
    )

    capture: str = Field(sa_column=_digest())
    receipt: str = Field(sa_column=_digest())


class BlobTable(SQLModel, table=True):
    """Captures, compressed, by the digest of what they are uncompressed."""

    __tablename__: ClassVar[str] = "blob"
    __table_args__ = (PrimaryKeyConstraint("sha256", name="pk_blob"),)

    sha256: str = Field(sa_column=_digest())
    size: int = Field(sa_column=_bigint())
    zstd: bytes = Field(sa_column=_bytes())
