# SPDX-License-Identifier: Apache-2.0
"""What an operator does and is told: fsck, backup, restore, a refused store, a log that goes on."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from app.core.log.checkpoint import parse_checkpoint
from app.storage.serving_lock import serving
from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here
from tests.ports import quiet_port

NAMES = ("--repository", REPOSITORY, "--holder", "ada")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return the data folder of a ledger that was begun."""
    data = tmp_path / "data"
    speak(data).result("init", "--origin", "ledger.example/first", *NAMES)
    return data


def speak(data: Path) -> Here:
    return Here({"FAIRTRIAL_DATA_DIR": str(data)})


def _as_owner(data: Path, *statements: str) -> None:
    with closing(sqlite3.connect(data / "ledger.db", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def test_fsck_of_a_whole_ledger_ends_with_0_and_its_root(folder: Path) -> None:
    ended = speak(folder)("fsck", "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    assert (found["size"], found["damage"], found["unfit"]) == (4, None, None)
    assert "4 of 4 entries" in ended.err
    assert "no damage" in speak(folder).result("fsck").decode()


def test_r07_fsck_of_a_damaged_ledger_ends_with_45_and_the_index(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "ledger.db")) as connection:
        ((sql,),) = connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'leaf_no_update'"
        ).fetchall()
    _as_owner(folder, "DROP TRIGGER leaf_no_update", "UPDATE leaf SET at_us = 7 WHERE idx = 2", sql)
    ended = speak(folder)("fsck", "--json")
    assert ended.code == 45
    damage = json.loads(ended.out)["damage"]
    assert (damage["index"], damage["code"]) == (2, "leaf-row")
    assert b"leaf-row at index 2" in speak(folder)("fsck").out


@pytest.mark.parametrize("place", [0, 47, b"RIGGER leaf_no_update"])
def test_r07_fsck_of_a_file_that_is_no_database_any_more_ends_with_45(
    folder: Path, place: int | bytes
) -> None:
    """Not with 5, as a store that does not answer, nor with a traceback."""
    _as_owner(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
    file = folder / "ledger.db"
    data = bytearray(file.read_bytes())
    data[place if isinstance(place, int) else data.index(place)] ^= 0x80
    file.write_bytes(data)
    ended = speak(folder)("fsck", "--json")
    assert (ended.code, json.loads(ended.out)["code"]) == (45, "store-damaged")


def test_r07_fsck_finds_each_copy_of_a_key_that_turned_over(folder: Path) -> None:
    """A look-up reads one copy of a digest; another stands in the table itself."""
    _as_owner(folder, "PRAGMA wal_checkpoint(TRUNCATE)")
    with closing(sqlite3.connect(folder / "ledger.db")) as connection:
        ((digest,),) = connection.execute("SELECT statement FROM leaf WHERE idx = 1").fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = (folder / "ledger.db").read_bytes()
    places = [at for at in range(len(data)) if data.startswith(digest.encode(), at)]
    assert len(places) >= 4  # two tables, two indexes
    for at in places:
        turned = bytearray(data)
        turned[at] ^= 0x10
        for name in ("ledger.db-wal", "ledger.db-shm"):
            (folder / name).unlink(missing_ok=True)
        (folder / "ledger.db").write_bytes(turned)
        assert speak(folder)("fsck").code == 45, at


def test_r06_store_set_back_is_told_with_46_by_serve_and_fsck(folder: Path, tmp_path: Path) -> None:
    # As if the last two batches were lost: an older copy of the checkpoint file's database.
    other = tmp_path / "other"
    speak(other).result("init", "--origin", "ledger.example/first", *NAMES)
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm"):
        (folder / name).unlink(missing_ok=True)
        if (other / name).exists():
            shutil.copyfile(other / name, folder / name)
    refused = speak(folder)("serve", "--port", str(quiet_port()), "--json")
    assert (refused.code, json.loads(refused.out)["code"]) == (46, "fork")
    ended = speak(folder)("fsck", "--json")
    assert ended.code == 46, ended.err
    assert json.loads(ended.out)["unfit"]["code"] == "fork"
    (folder / "checkpoint").unlink()
    ended = speak(folder)("serve", "--port", str(quiet_port()), "--json")
    assert (ended.code, json.loads(ended.out)["code"]) == (46, "no-anchor")


def test_r08_weakened_store_is_told_with_46_and_the_guard(folder: Path) -> None:
    _as_owner(folder, "DROP TRIGGER tile_no_delete")
    ended = speak(folder)("serve", "--port", str(quiet_port()), "--json")
    assert ended.code == 46
    assert "tile_no_delete" in json.loads(ended.out)["detail"]
    ended = speak(folder)("fsck", "--json")
    assert (ended.code, json.loads(ended.out)["unfit"]["code"]) == (46, "weakened")


def test_init_refuses_over_a_log_and_continues_one_elsewhere(folder: Path, tmp_path: Path) -> None:
    ended = speak(folder)("init", "--origin", "ledger.example/first", *NAMES)
    assert ended.code == 6
    next_folder = tmp_path / "next"
    last = str(folder / "checkpoint")
    same = speak(next_folder)(
        "init", "--origin", "ledger.example/first", *NAMES, "--continues", last
    )
    assert same.code == 6
    made = json.loads(
        speak(next_folder).result(
            "init", "--origin", "ledger.example/second", *NAMES, "--continues", last, "--json"
        )
    )
    fsck = json.loads(speak(folder).result("fsck", "--json"))
    expected = {"origin": "ledger.example/first", "size": 4, "root": fsck["root"]}
    assert made["continues"] == expected
    assert speak(next_folder)("fsck").code == 0
    bad = tmp_path / "bad"
    bad.write_text("nothing")
    ended = speak(tmp_path / "third")(
        "init", "--origin", "ledger.example/third", *NAMES, "--continues", str(bad)
    )
    assert ended.code == 7
    assert not (tmp_path / "third").exists()


def test_r13_backup_and_restore_by_command(folder: Path, tmp_path: Path) -> None:
    keys, copy, fresh = tmp_path / "keys.json", tmp_path / "copy", tmp_path / "fresh"
    made = json.loads(
        speak(folder).result("admin", "backup", str(copy), "--with-keys", str(keys), "--json")
    )
    assert made["size"] == 4
    secret = json.loads(keys.read_text())["checkpoint"]
    assert not any(secret in path.read_text() for path in copy.rglob("*.json*"))
    assert speak(folder)("admin", "backup", str(copy)).code == 6
    ended = speak(fresh)("admin", "restore", str(copy), "--keys", str(keys), "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["root"] == made["root"]
    assert speak(fresh)("fsck").code == 0
    assert speak(fresh)("admin", "restore", str(copy)).code == 6
    (copy / "checkpoints.jsonl").unlink()
    ended = speak(tmp_path / "none")("admin", "restore", str(copy), "--json")
    assert (ended.code, json.loads(ended.out)["code"]) == (45, "backup")


def test_checkpoint_in_the_folder_is_a_note_that_people_can_read(folder: Path) -> None:
    text = (folder / "checkpoint").read_bytes().partition(b"\0")[0].decode()
    assert parse_checkpoint(text.partition("\n\n")[0] + "\n").origin == "ledger.example/first"


def test_r18_sweep_tells_what_no_entry_names_and_deletes_it_when_asked(folder: Path) -> None:
    speak(folder)("fsck")
    stray = f"INSERT INTO blob VALUES ('{'a' * 64}', 3, X'010203')"  # noqa: S608  made of constants
    _as_owner(folder, stray)
    told = json.loads(speak(folder)("admin", "sweep", "--json").out)
    assert told == {"captures": 1, "deleted": None, "digests": ["a" * 64], "stored_bytes": 3}
    url = f"sqlite:///{folder / 'ledger.db'}"
    with serving(url, folder):
        refused = speak(folder)("admin", "sweep", "--delete")
    assert (refused.code, b"a" * 64 in speak(folder)("admin", "sweep").out) == (3, True)
    assert "serves this ledger; stop it first" in refused.err
    _as_owner(folder, "DROP TRIGGER tile_no_delete")
    assert speak(folder)("admin", "sweep", "--delete").code == 46
    guard = "CREATE TRIGGER tile_no_delete BEFORE DELETE ON tile"
    _as_owner(folder, f"{guard} BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END")
    assert json.loads(speak(folder)("admin", "sweep", "--delete", "--json").out)["deleted"] == 1
    assert b"entry names  0, 0 bytes" in speak(folder)("admin", "sweep").out
    assert speak(folder)("fsck").code == 0
