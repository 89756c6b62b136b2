# SPDX-License-Identifier: Apache-2.0
"""An index of the first leaf of each line: listing lines costs as many rows as there are lines.

Revision ID: lines
Revises: ledger
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "lines"
down_revision = "ledger"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index; on PostgreSQL by bytes, whatever the database's collation."""
    op.create_index(
        "ix_leaf_line",
        "leaf",
        ["seq", "line"],
        postgresql_ops={"line": "text_pattern_ops"},
        postgresql_where=sa.text("seq = 0"),
        sqlite_where=sa.text("seq = 0"),
    )


def downgrade() -> None:
    """Refuse: no revision of a ledger goes back."""
    raise NotImplementedError("The ledger's tables are never dropped or rewritten.")
