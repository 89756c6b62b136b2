# SPDX-License-Identifier: Apache-2.0
"""The ledger's two keys as files under the data folder, readable by its owner alone.

``keys/checkpoint.skey`` is a signed-note signer key (it carries the origin), ``keys/statement.pem``
PKCS #8. Two keys, because whoever could sign both a checkpoint and a statement with one key could
pass one off as the other (threat S12).
"""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from app.core.errors import Conflict, FairtrialError, IntegrityBroken, UnknownThing
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.note import NoteSigner, parse_skey
from app.core.signing.envelope import Envelope, sign
from app.core.signing.keys import SigningKey, ed25519_signing_key, parse_signing_key
from app.core.verdict.bundle_head import PAYLOAD_TYPE

FOLDER: Final = "keys"
CHECKPOINT_FILE: Final = "checkpoint.skey"
STATEMENT_FILE: Final = "statement.pem"
IGNORE_FILE: Final = ".gitignore"
_PRIVATE: Final = 0o600


@dataclass(frozen=True, slots=True)
class LedgerKeys:
    """Both keys, and the signing that is done with each of them."""

    checkpoint: NoteSigner
    statement: SigningKey = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse one key in both places."""
        if self.checkpoint.key.key_id == self.statement.key_id:
            message = "The checkpoint key and the statement key are the same; the ledger needs two."
            raise IntegrityBroken(message, code="equal-keys")

    @property
    def origin(self) -> str:
        """The log's name."""
        return self.checkpoint.name

    @property
    def checkpoint_key_id(self) -> str:
        """Key id of the checkpoint key."""
        return self.checkpoint.key.key_id

    @property
    def statement_key_id(self) -> str:
        """Key id of the statement key."""
        return self.statement.key_id

    def sign_checkpoint(self, size: int, root: bytes) -> bytes:
        """Return the signed note of a tree head."""
        return sign_checkpoint(Checkpoint(self.origin, size, root), (self.checkpoint,))

    def sign_statement(self, payload: bytes) -> Envelope:
        """Return the envelope around a statement of the ledger's own."""
        return sign(payload, (self.statement,))

    def sign_bundle_head(self, payload: bytes) -> Envelope:
        """Return the envelope around the head of a bundle."""
        return sign(payload, (self.statement,), payload_type=PAYLOAD_TYPE)


def new_ledger_keys(origin: str) -> LedgerKeys:
    """Make two keys; nothing is written."""
    seeds = (secrets.token_bytes(32), secrets.token_bytes(32))
    checkpoint, statement = map(ed25519_signing_key, seeds)
    return LedgerKeys(NoteSigner(origin, checkpoint), statement)


def write_ledger_keys(data_dir: Path, keys: LedgerKeys) -> None:
    """Write both keys where none stand, in a folder that git leaves alone from then on.

    Raises:
        Conflict: ``keys-exist``.
    """
    folder = data_dir / FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    ignore = data_dir / IGNORE_FILE
    if not ignore.exists():
        # Before the keys: no `git add` may find them without it.
        ignore.write_text("*\n", encoding="ascii")
    _write(folder / CHECKPOINT_FILE, keys.checkpoint.to_skey() + "\n")
    _write(folder / STATEMENT_FILE, keys.statement.to_pem())


def read_ledger_keys(data_dir: Path) -> LedgerKeys:
    """Read both keys.

    Raises:
        UnknownThing: ``no-ledger-keys``, they are not there.
        IntegrityBroken: ``ledger-keys``, others may read them or they are no keys; ``equal-keys``.
    """
    folder = data_dir / FOLDER
    try:
        checkpoint = parse_skey(_read(folder / CHECKPOINT_FILE).strip())
        statement = parse_signing_key(_read(folder / STATEMENT_FILE).encode())
    except FileNotFoundError as error:
        message = "The ledger's keys are not in the data folder; `fairtrial init` makes them."
        raise UnknownThing(message, code="no-ledger-keys") from error
    except IntegrityBroken:
        raise
    except (FairtrialError, UnicodeDecodeError) as error:
        message = "A file of the ledger's keys cannot be read as a key; restore it from a backup."
        raise IntegrityBroken(message, code="ledger-keys") from error
    return LedgerKeys(checkpoint, statement)


def _write(path: Path, text: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE)
    except FileExistsError as error:
        message = "The data folder holds ledger keys already; they are never written over."
        raise Conflict(message, code="keys-exist") from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> str:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        message = (
            "Others than its owner may read a file of the ledger's keys; set its mode to 0600."
        )
        raise IntegrityBroken(message, code="ledger-keys")
    return path.read_text(encoding="ascii")
