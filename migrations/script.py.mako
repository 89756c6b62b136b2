# SPDX-License-Identifier: Apache-2.0
"""${message}

Revision ID: ${up_revision}
Revises: ${down_revision | comma,n}
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    """Change the schema forwards; a ledger table is never rebuilt and no row is rewritten."""
    ${upgrades if upgrades else "pass"}


def downgrade() -> None:
    """Go back, where nothing that is evidence is lost; refuse otherwise."""
    ${downgrades if downgrades else "pass"}
