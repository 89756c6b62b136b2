# SPDX-License-Identifier: Apache-2.0
"""A log that forks, shrinks, or serves tiles that are not its entries is caught from outside."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken
from app.core.log.following import Followed, parse_followed
from app.core.log.merkle import Frontier, leaf_hash
from app.core.log.note import NoteSigner
from app.core.log.tile import encode_entries
from app.core.verdict.trust import TrustedLedger
from app.runner.client import Client
from app.runner.failures import Refused, Unreachable
from app.runner.kept_files import replace_file
from app.runner.monitor import Look, NotTheTrustedLog, RolledBack, look_at
from tests.drafts import ORIGIN, signing_key
from tests.factories import begun
from tests.logs import LOG, ServedLog, record, records

STEPS = begun().steps
GENESIS = STEPS[0].digest
TRUST = (TrustedLedger(ORIGIN, GENESIS, LOG.verifier),)


def served(size: int, **given: Any) -> ServedLog:  # noqa: ANN401 - any member
    return ServedLog(records(size, first=GENESIS), genesis=STEPS[0].draft.json, **given)


def look(
    log: ServedLog,
    state: Followed | None = None,
    *,
    trust: tuple[TrustedLedger, ...] | None = TRUST,
    kept: list[Followed] | None = None,
) -> Look:
    with Client("http://localhost", transport=log.transport(), pause=lambda _s: None) as client:
        keep = (kept if kept is not None else []).append
        return look_at(client, state or Followed(), trust=trust, keep=keep)


@pytest.mark.parametrize("size", [1, 2, 13, 255, 256, 257, 511, 512, 600])
def test_every_entry_is_hashed_up_to_the_signed_root(size: int) -> None:
    log = served(size)
    found = look(log)
    assert (found.before, found.vouched) == (0, True)
    assert found.pin.checkpoint.root == log.root()
    assert found.state.frontier.root() == log.root()


@pytest.mark.parametrize(("old", "new"), [(1, 2), (13, 13), (200, 256), (256, 257), (255, 600)])
def test_the_next_look_asks_for_new_tiles_only_and_is_consistent(old: int, new: int) -> None:
    state = look(served(old)).state
    log = served(new)
    found = look(log, parse_followed(state.to_bytes()))
    assert (found.before, found.pin.checkpoint.size) == (old, new)
    bundles = [path for path in log.asked if path.startswith("/log/tile/entries/")]
    assert len(bundles) == ((new + 255) // 256 - old // 256) * (old != new)
    # The right edges of both trees, and each new tile once.
    tiles = [path for path in log.asked if "/tile/" in path and path not in bundles]
    assert len(tiles) == len(set(tiles)) <= 2 + (new + 255) // 256 - old // 256


def test_r16_a_log_that_tells_another_story_is_inconsistent() -> None:
    state = look(served(300)).state
    forked = served(400)
    forked.entries[17] = record(17, kind="forged")
    with pytest.raises(IntegrityBroken) as caught:
        look(forked, state)
    assert caught.value.code == "consistency-proof"
    same = served(300)
    same.entries[17] = record(17, kind="forged")
    with pytest.raises(IntegrityBroken) as caught:
        look(same, state)
    assert caught.value.code == "consistency-proof"


def test_r06_a_log_that_shrank_is_rolled_back() -> None:
    state = look(served(300)).state
    with pytest.raises(RolledBack):
        look(served(299), state)


def test_r07_a_tile_that_is_not_its_entries_names_the_index() -> None:
    log = served(300)
    log.hashes = [*log.leaves()]
    log.hashes[270] = leaf_hash(b"flipped")
    with pytest.raises(IntegrityBroken) as caught:
        look(log)
    assert caught.value.code == "tile"
    assert "index 270:" in caught.value.detail


def test_r14_log_time_that_goes_back_is_named() -> None:
    log = served(20)
    log.entries[9] = record(9, at_us=1)
    with pytest.raises(IntegrityBroken) as caught:
        look(log)
    assert (caught.value.code, "index 9 " in caught.value.detail) == ("followed-leaf", True)


def test_a_record_that_is_none_is_named() -> None:
    log = served(20)
    log.entries[9] = b"{}"
    with pytest.raises(IntegrityBroken) as caught:
        look(log)
    assert "index 9 " in caught.value.detail


@pytest.mark.parametrize("left_out", [1, 20])
def test_a_bundle_with_fewer_entries_than_its_width_is_damage(left_out: int) -> None:
    with pytest.raises(IntegrityBroken) as caught:
        look(served(20, left_out=left_out))
    assert caught.value.code == "tile"


def broken_at(size: int, path: str) -> ServedLog:
    """Return a log of which one file is lost."""
    gone = httpx.Response(404)
    return served(size, alter=lambda asked, answer: gone if asked.endswith(path) else answer)


def test_a_look_that_was_interrupted_goes_on_where_it_was() -> None:
    kept: list[Followed] = []
    with pytest.raises(IntegrityBroken):
        look(broken_at(900, "entries/002"), kept=kept)
    assert [one.frontier.size for one in kept] == [256, 512]
    assert kept[-1].pin is None
    log = served(900)
    found = look(log, parse_followed(kept[-1].to_bytes()))
    assert found.pin.checkpoint.size == 900
    assert "/log/tile/entries/001" not in log.asked


def test_r06_a_log_smaller_than_what_was_hashed_already_is_rolled_back() -> None:
    kept: list[Followed] = []
    with pytest.raises(IntegrityBroken):
        look(broken_at(900, "entries/002"), kept=kept)
    with pytest.raises(RolledBack) as caught:
        look(served(400), kept[-1])
    assert (caught.value.seen, caught.value.shown) == (512, 400)


def test_r16_a_look_at_another_history_leaves_nothing_behind() -> None:
    kept: list[Followed] = []
    seen = look(served(20)).state
    fork = served(30)
    fork.entries[4] = record(4, statement="f" * 64)
    fork.entries[25] = record(25, statement="e" * 64)
    with pytest.raises(IntegrityBroken):
        look(fork, seen, kept=kept)
    assert kept == []


# ---- whose log ----


def test_s16_the_first_look_without_trust_is_vouched_for_by_nobody() -> None:
    first = look(served(20), trust=None)
    assert not first.vouched
    second = look(served(30), first.state, trust=None)
    assert second.vouched
    assert second.pin.genesis == GENESIS


@pytest.mark.parametrize("change", ["origin", "genesis"])
def test_s16_another_log_than_the_trusted_one_is_refused(change: str) -> None:
    trust = replace(TRUST[0], origin="other.example")
    if change == "genesis":
        trust = replace(TRUST[0], genesis="0" * 64)
    with pytest.raises(NotTheTrustedLog):
        look(served(20), trust=(trust,))


def test_s16_a_log_signed_by_another_key_is_refused() -> None:
    forger = NoteSigner(ORIGIN, signing_key("forger"))
    with pytest.raises(IntegrityBroken) as caught:
        look(served(20, signer=forger))
    assert caught.value.code == "note-unsigned"
    state = look(served(20)).state
    forged = replace(TRUST[0], log=forger.verifier)
    with pytest.raises(NotTheTrustedLog):
        look(served(20, signer=forger), state, trust=(forged,))


@pytest.mark.parametrize("genesis", [b"no envelope", STEPS[1].draft.json])
def test_s16_a_genesis_that_cannot_be_read_names_no_key(genesis: bytes) -> None:
    log = served(20)
    log.genesis = genesis
    with pytest.raises(IntegrityBroken) as caught:
        look(log, trust=None)
    assert caught.value.code == "entry"


def test_s16_another_genesis_than_the_one_the_log_names_names_no_key() -> None:
    log = served(20)
    log.entries[0] = record(0, kind="genesis", statement="0" * 64)
    with pytest.raises(IntegrityBroken) as caught:
        look(log, trust=None)
    assert caught.value.code == "entry"


@pytest.mark.parametrize("broken", [b"", b"no records", encode_entries([b"{}"])])
def test_s16_a_first_bundle_without_a_record_names_no_key(broken: bytes) -> None:
    answer = httpx.Response(200, content=broken)
    log = served(20, alter=lambda path, true: answer if "/entries/" in path else true)
    with pytest.raises(IntegrityBroken) as caught:
        look(log, trust=None)
    assert (caught.value.code, "index 0:" in caught.value.detail) == ("entry", True)


def test_s16_a_genesis_that_is_not_served_names_no_key_and_a_busy_service_is_asked_again() -> None:
    status = 404
    log = served(
        20, alter=lambda path, true: true if "/log/" in path else httpx.Response(status, json={})
    )
    with pytest.raises(IntegrityBroken) as caught:
        look(log, trust=None)
    assert (caught.value.code, "does not serve" in caught.value.detail) == ("entry", True)
    status = 429
    with pytest.raises(Refused):
        look(log, trust=None)


def test_an_answer_that_comes_too_slowly_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runner.answer.TIMEOUT_S", -1e9)
    with pytest.raises(Unreachable, match="ReadTimeout"):
        look(served(20))


def test_every_look_ends_at_a_checkpoint() -> None:
    with pytest.raises(IntegrityBroken):
        _ = Look(Followed(), 0, vouched=False).pin


# ---- the state file ----


@pytest.mark.parametrize("proves_itself", [True, False])
@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"size": "1"},
        {"size": 1},
        {"nodes": ["AAAA"]},
        {"nodes": 1},
        {"at": 1},
        {"pin": "{}"},
        {"more": 1},
    ],
)
def test_r16_a_damaged_state_file_is_told_apart_from_a_log_that_misbehaves(
    change: dict[str, Any], proves_itself: bool
) -> None:
    record = {**json.loads(look(served(20)).state.to_bytes()), **change}
    if proves_itself:
        del record["sha256"]
        record["sha256"] = sha256_hex(canonical(record))
    with pytest.raises(IntegrityBroken) as caught:
        parse_followed(canonical(record))
    assert caught.value.code == "pin"


def test_r16_no_turned_bit_of_a_state_file_passes_for_a_log_that_misbehaves() -> None:
    data = replace(look(served(20)).state, frontier=Frontier(700, (bytes(32),) * 6)).to_bytes()
    for at in range(len(data) - 1):
        for bit in (1, 16):
            turned = data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]
            with pytest.raises(IntegrityBroken) as caught:
                parse_followed(turned)
            assert caught.value.code == "pin"


def test_r16_a_state_whose_tree_is_not_the_pinned_one_is_damaged() -> None:
    state = look(served(16)).state
    turned = replace(state, frontier=look(served(17)).state.frontier)
    assert parse_followed(turned.to_bytes()) == turned
    other = replace(state.frontier, nodes=(bytes(32),))
    for frontier in (other, look(served(8)).state.frontier):
        with pytest.raises(IntegrityBroken) as caught:
            parse_followed(replace(state, frontier=frontier).to_bytes())
        assert caught.value.code == "pin"


def test_a_kept_file_is_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    path = tmp_path / "state"
    replace_file(path, b"old")
    replace_file(path, b"new")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"new", [path])
    with pytest.raises(OSError, match=r"."):
        replace_file(tmp_path / "missing" / "state", b"")
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(OSError, match=r"."):
        replace_file(folder, b"a file is not put in the place of a folder")
    assert sorted(tmp_path.iterdir()) == [folder, path]
