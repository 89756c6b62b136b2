# SPDX-License-Identifier: Apache-2.0
"""The ledger's two keys in one file, to be kept apart from its backups."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from app.core.canonical import canonical, parse_strict
from app.core.errors import Conflict, FairtrialError, IntegrityBroken
from app.core.log.note import parse_skey
from app.core.signing.keys import parse_signing_key
from app.storage.ledger_keys import LedgerKeys

FORMAT: Final = "fairtrial-ledger-keys:v1"


def write_keys_file(path: Path, keys: LedgerKeys, *, outside: Path) -> None:
    """Write the keys where nothing stands, readable by their owner alone, not into a backup.

    Raises:
        Conflict: ``keys-exist``; ``keys-in-backup``, whoever is given the backup would have them.
    """
    if path.absolute().is_relative_to(outside.absolute()):
        message = "The keys would lie in the backup; name a file elsewhere."
        raise Conflict(message, code="keys-in-backup")
    document = {
        "format": FORMAT,
        "checkpoint": keys.checkpoint.to_skey(),
        "statement": keys.statement.to_pem(),
    }
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        message = "Something stands where the keys would go; they are never written over."
        raise Conflict(message, code="keys-exist") from error
    with os.fdopen(handle, "wb") as file:
        file.write(canonical(document))
        file.flush()
        os.fsync(file.fileno())


def read_keys_file(path: Path) -> LedgerKeys:
    """Read the keys.

    Raises:
        IntegrityBroken: ``keys-file``, they are none; ``equal-keys``.
        OSError: the file cannot be read.
    """
    try:
        document = parse_strict(path.read_bytes())
        members = document if isinstance(document, dict) else {}
        checkpoint = parse_skey(str(members.get("checkpoint")))
        statement = parse_signing_key(str(members.get("statement")).encode())
    except FairtrialError as error:
        message = "The file holds no ledger keys of this form."
        raise IntegrityBroken(message, code="keys-file") from error
    return LedgerKeys(checkpoint, statement)
