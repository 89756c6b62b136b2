# SPDX-License-Identifier: Apache-2.0
"""Refuses to work on a schema that is not the one this version was written for."""

from __future__ import annotations

from sqlalchemy.exc import SQLAlchemyError

from app.core.errors import IntegrityBroken
from app.service.ports import StoreUnavailable
from app.storage.migrate import current_revision, newest_revision


def refuse_other_schema(url: str) -> None:
    """Compare the database's revision with the one that is needed.

    Raises:
        StoreUnavailable: the database cannot be asked.
        IntegrityBroken: ``schema-version``, it is older (migrate) or newer (use its version).
    """
    try:
        current = current_revision(url)
    except SQLAlchemyError as error:
        raise StoreUnavailable(str(error)) from error
    if current != newest_revision():
        message = (
            "The database has another schema than this version; run `fairtrial admin migrate`."
        )
        raise IntegrityBroken(message, code="schema-version")
