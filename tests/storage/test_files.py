# SPDX-License-Identifier: Apache-2.0
"""The ledger's keys on disk, what ships beside the code, and the machine's clock."""

import stat
import time
from pathlib import Path

import pytest

from app.core.errors import Conflict, IntegrityBroken, UnknownThing
from app.core.log.checkpoint import open_checkpoint
from app.core.log.merkle import EMPTY_ROOT
from app.core.signing.envelope import verify_signature
from app.storage import documents
from app.storage.clock import SystemClock
from app.storage.ledger_keys import (
    CHECKPOINT_FILE,
    FOLDER,
    STATEMENT_FILE,
    new_ledger_keys,
    read_ledger_keys,
    write_ledger_keys,
)
from tests.drafts import ORIGIN
from tests.fakes import ledger_keys


def test_keys_come_back_and_only_their_owner_may_read_them(tmp_path: Path) -> None:
    keys = new_ledger_keys(ORIGIN)
    write_ledger_keys(tmp_path, keys)
    assert read_ledger_keys(tmp_path) == keys
    for name in (CHECKPOINT_FILE, STATEMENT_FILE):
        assert stat.S_IMODE((tmp_path / FOLDER / name).stat().st_mode) == 0o600
    assert keys.checkpoint_key_id != keys.statement_key_id
    secret = keys.statement.seed.hex()
    assert secret not in repr(keys)


def test_keys_sign_what_each_of_them_may(tmp_path: Path) -> None:
    keys = ledger_keys()
    note = keys.sign_checkpoint(0, EMPTY_ROOT)
    assert open_checkpoint(note, keys.checkpoint.verifier, origin=ORIGIN).size == 0
    envelope = keys.sign_statement(b"{}")
    verify_signature(envelope, keys.statement_key_id, keys.statement.public)


def test_keys_are_never_written_over(tmp_path: Path) -> None:
    write_ledger_keys(tmp_path, new_ledger_keys(ORIGIN))
    before = read_ledger_keys(tmp_path)
    with pytest.raises(Conflict) as refused:
        write_ledger_keys(tmp_path, new_ledger_keys(ORIGIN))
    assert refused.value.code == "keys-exist"
    assert read_ledger_keys(tmp_path) == before


def test_missing_keys_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownThing) as refused:
        read_ledger_keys(tmp_path)
    assert refused.value.code == "no-ledger-keys"


@pytest.mark.parametrize("name", [CHECKPOINT_FILE, STATEMENT_FILE])
def test_keys_that_others_may_read_or_that_are_none_do_not_start(tmp_path: Path, name: str) -> None:
    write_ledger_keys(tmp_path, new_ledger_keys(ORIGIN))
    path = tmp_path / FOLDER / name
    path.chmod(0o640)
    with pytest.raises(IntegrityBroken) as refused:
        read_ledger_keys(tmp_path)
    assert refused.value.code == "ledger-keys"
    path.chmod(0o600)
    path.write_text("no key")
    with pytest.raises(IntegrityBroken) as refused:
        read_ledger_keys(tmp_path)
    assert refused.value.code == "ledger-keys"


def test_s12_one_key_in_both_files_does_not_start(tmp_path: Path) -> None:
    keys = new_ledger_keys(ORIGIN)
    write_ledger_keys(tmp_path, keys)
    (tmp_path / FOLDER / STATEMENT_FILE).write_text(keys.checkpoint.key.to_pem())
    with pytest.raises(IntegrityBroken) as refused:
        read_ledger_keys(tmp_path)
    assert refused.value.code == "equal-keys"


def test_shipped_folders_are_found_in_a_checkout_and_in_a_wheel(tmp_path: Path) -> None:
    assert documents.folder("migrations").joinpath("env.py").exists()
    assert "receipt.v1.schema.json" in documents.schemas()
    assert all(name.endswith(".json") for name in documents.protocols())
    package = tmp_path / "app"
    (package / "_data" / "schemas").mkdir(parents=True)
    (tmp_path / "protocols").mkdir()
    assert documents.folder("schemas", package=package) == package / "_data" / "schemas"
    assert documents.folder("protocols", package=package) == tmp_path / "protocols"
    with pytest.raises(FileNotFoundError, match="no migrations"):
        documents.folder("migrations", package=package)


def test_clock_counts_microseconds_since_1970() -> None:
    before = time.time()
    assert before - 1 <= SystemClock().now_us() / 1_000_000 <= time.time() + 1
