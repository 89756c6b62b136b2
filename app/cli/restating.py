# SPDX-License-Identifier: Apache-2.0
"""The same again, after it was ended: the ledger answers with the old place, and nothing stands.

Signing is deterministic, so that a second run of a command is the same statement. Where that one
was cleared or superseded in between, calling it placed would be untrue.
"""

from __future__ import annotations

from app.cli.stored import predicate_of, rows_of
from app.core.errors import Conflict
from app.runner.client import Client
from app.runner.failures import Document


def refuse_ended(client: Client, answer: Document, *, code: str) -> None:
    """Refuse to call a hold or a decision made that stood before and has ended since.

    Args:
        client: of the service that answered.
        answer: what it said to the statement.
        code: of the refusal.

    Raises:
        Conflict: with ``code``.
    """
    index, size = answer["index"], answer["size"]
    if not isinstance(index, int) or index + 1 == size:
        return  # it is the newest entry of all
    stated = answer["statement"]
    for page in client.pages("/v1/log/entries", cursor=index + 1):
        for row in rows_of(page, "entries"):
            if (row["kind"], row["line"]) != (answer["kind"], answer["line"]):
                continue
            said = predicate_of(client, str(row["statement"]))
            if stated in (said.get("clears"), said["supersedes"]):
                message = (
                    f"This very {answer['kind']} stood at index {index} and was ended at index "
                    f"{row['index']}; nothing was written. Say it anew with --supersedes {stated}"
                )
                raise Conflict(message, code=code)
