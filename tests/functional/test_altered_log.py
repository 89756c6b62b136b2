# SPDX-License-Identifier: Apache-2.0
"""Threats R06, R07 and R16 from outside: whatever a server alters, the monitor says what and where.

A log of 300 entries was seen; now it has 900, and somebody on the way alters something.
"""

import gzip
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.cosignature import cosign, witness_of
from app.core.log.following import parse_followed
from app.core.log.merkle import leaf_hash
from app.core.log.note import NoteSigner, parse_note
from app.core.log.tile import decode_entries, encode_entries
from tests.drafts import ORIGIN, signing_key
from tests.factories import begun
from tests.functional.altered import Alteration, Reply, at, instead, served_at, truth, turned
from tests.functional.processes import Ended, Here, read
from tests.logs import LOG, ServedLog, record, records

SEEN, NOW = 300, 900
GENESIS = begun().steps[0]
FORGER = NoteSigner(ORIGIN, signing_key("forger"))
STRANGER = NoteSigner("other.example", signing_key("checkpoint"))


@cache
def entries() -> tuple[bytes, ...]:
    return tuple(records(NOW, first=GENESIS.digest))


def served_of(given: Sequence[bytes]) -> ServedLog:
    hashes = [leaf_hash(one) for one in given]
    return ServedLog(list(given), hashes=hashes, genesis=GENESIS.draft.json)


@cache
def log_of(size: int = NOW) -> ServedLog:
    return served_of(entries()[:size])


@cache
def forked(size: int, place: int) -> ServedLog:
    """Return a log with another entry at an index, under the same key."""
    given = [*entries()[:place], record(place, kind="forged"), *entries()[place + 1 : size]]
    return served_of(given)


def signed(size: int, signer: NoteSigner = LOG) -> Reply:
    checkpoint = Checkpoint(signer.name, size, log_of(size).root())
    return Reply(sign_checkpoint(checkpoint, [signer]))


def like(log: ServedLog, *, but: str = "") -> Alteration:
    """Answer everything from another log, but one path from the true one."""
    return lambda path, true: true if path == f"/log/{but}" else truth(log, path)


def bundle(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    return lambda data: encode_entries(change(list(decode_entries(data))))


def swapped(rows: list[bytes]) -> list[bytes]:
    return [*rows[:4], rows[5], rows[4], *rows[6:]]


def gone(path: str) -> Alteration:
    return instead(path, Reply(status=404))


def resized(data: bytes) -> bytes:
    """Return a signed checkpoint that says another size."""
    return data.replace(b"\n900\n", b"\n901\n")


PAGE = Reply(b"<html>Please log in.</html>", headers={"content-type": "text/html"})
PACKED = {"content-encoding": "gzip"}
BOMB = Reply(gzip.compress(bytes(1 << 24)), headers=PACKED)

# name: what is altered, the exit code, the problem, and the words of its sentence
ALTERED: dict[str, tuple[tuple[Alteration, ...], int, str, str]] = {
    "tile": ((at("tile/0/002", turned(32 * 77)),), 45, "tile", "index 589:"),
    "tile-edge": ((at("tile/0/003.p/132", turned(32 * 9)),), 45, "tile", "index 777:"),
    "tile-above": ((at("tile/1/000.p/3", turned(32)),), 45, "tile", "index 256:"),
    "bundle": ((at("tile/entries/002", turned(5000)),), 45, "followed-leaf", "index 531 "),
    "bundle-swapped": (
        (at("tile/entries/002", bundle(swapped)),),
        45,
        "followed-leaf",
        "index 516 ",
    ),
    "bundle-short": (
        (at("tile/entries/001", bundle(lambda rows: rows[:-2])),),
        45,
        "tile",
        "index 510:",
    ),
    "bundle-long": (
        (at("tile/entries/001", bundle(lambda rows: [*rows, b"{}"])),),
        45,
        "tile",
        "index 512:",
    ),
    "bundle-cut": ((at("tile/entries/001", lambda data: data[:-3]),), 45, "tile", "index 256:"),
    "bundle-empty": ((at("tile/entries/001", lambda _: b""),), 45, "tile", "index 256:"),
    "tile-cut": ((at("tile/0/002", lambda data: data[:-1]),), 45, "tile", "index 512:"),
    "tile-empty": ((at("tile/1/000.p/3", lambda _: b""),), 45, "tile", "index 0:"),
    "tile-long": ((at("tile/0/002", lambda data: data + bytes(32)),), 45, "tile", "index 512:"),
    "tile-bomb": ((instead("tile/0/002", BOMB),), 45, "tile", "index 512:"),
    "tile-gone": ((gone("tile/0/002"),), 45, "tile", "index 512:"),
    "bundle-gone": (
        (gone("tile/entries/003.p/132"), gone("tile/entries/003")),
        45,
        "tile",
        "index 768:",
    ),
    "tile-forbidden": ((instead("tile/0/002", Reply(status=403)),), 45, "tile", "index 512:"),
    "tile-failing": ((instead("tile/0/002", Reply(status=500)),), 45, "tile", "index 512:"),
    "tile-page": ((instead("tile/0/002", PAGE),), 45, "tile", "index 512:"),
    "both": ((like(forked(NOW, 600), but="checkpoint"),), 45, "tile", "index 300:"),
    "both-seen": ((like(forked(NOW, 17), but="checkpoint"),), 45, "tile", "index 300:"),
    "fork": ((like(forked(NOW, 17)),), 44, "consistency-proof", "index 0 to 255 "),
    "fork-late": ((like(forked(NOW, 290)),), 44, "consistency-proof", "index 288 to 295 "),
    "fork-same-size": ((like(forked(SEEN, 17)),), 44, "consistency-proof", "index 0 to 299 "),
    "fork-without-tiles": (
        (like(forked(SEEN, 17)), like(log_of(SEEN), but="checkpoint")),
        *(44, "consistency-proof", "index 0 to 299 "),
    ),
    "shrunk": ((like(log_of(200)),), 46, "rolled-back", "from index 200 on"),
    "stale": ((instead("checkpoint", signed(299)),), 46, "rolled-back", "from index 299 on"),
    "empty": ((instead("checkpoint", signed(0)),), 46, "rolled-back", "from index 0 on"),
    "resized": ((at("checkpoint", resized),), 40, "note-signature", "does not verify"),
    "forger": ((instead("checkpoint", signed(NOW, FORGER)),), 40, "note-unsigned", "No known key"),
    "stranger": ((instead("checkpoint", signed(NOW, STRANGER)),), 40, "other-ledger", "its name"),
    "checkpoint-page": ((instead("checkpoint", PAGE),), 45, "note", "Not a signed note"),
    "checkpoint-bytes": ((at("checkpoint", lambda data: b"\xff" + data),), 45, "note", "UTF-8"),
    "checkpoint-long": ((instead("checkpoint", BOMB),), 45, "note", "at most"),
    "checkpoint-gone": ((gone("checkpoint"),), 43, "no-problem-document", "is the address right"),
    "hanging": ((instead("tile/0/002", Reply(hangs=True)),), 5, "unreachable", "ReadTimeout"),
    "hanging-checkpoint": (
        (instead("checkpoint", Reply(hangs=True)),),
        5,
        "unreachable",
        "ReadTimeout",
    ),
    "broken-off": (
        (
            instead(
                "tile/0/002",
                Reply(b"half", headers={"content-length": "8192", "connection": "close"}),
            ),
        ),
        *(5, "unreachable", "ProtocolError"),
    ),
    "no-gzip": (
        (instead("tile/0/002", Reply(b"half", headers=PACKED)),),
        5,
        "unreachable",
        "DecodingError",
    ),
    "round": (
        (instead("tile/0/002", Reply(status=302, headers={"location": "/log/tile/0/002"})),),
        *(5, "unreachable", "TooManyRedirects"),
    ),
    "busy": (
        (instead("tile/0/002", Reply(status=503)),),
        5,
        "no-problem-document",
        "is the address right",
    ),
    "too-many": (
        (instead("tile/0/002", Reply(status=429)),),
        8,
        "no-problem-document",
        "address right",
    ),
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Give up soon: after two tries, and where nothing comes after half a second."""
    monkeypatch.setattr("app.runner.client.TRIES", 2)
    monkeypatch.setattr("app.runner.client.LONGEST_PAUSE_S", 0)
    if name.startswith("hanging"):
        monkeypatch.setattr("app.runner.client.TIMEOUT_S", 0.5)


@pytest.fixture(scope="module")
def trust(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trust") / "fairtrial.toml"
    rows = {"origin": ORIGIN, "genesis": GENESIS.digest, "checkpoint_key": LOG.verifier.to_vkey()}
    path.write_text("\n".join(["[[ledger]]", *(f'{name} = "{one}"' for name, one in rows.items())]))
    return path


@pytest.fixture(scope="module")
def seen(trust: Path) -> bytes:
    """Return the state that a look at the log of 300 entries has left."""
    state = trust.with_name("log.state")
    with served_at(log_of(SEEN)) as url:
        assert look(url, state, trust).code == 0
    return state.read_bytes()


def look(url: str, state: Path, trust: Path) -> Ended:
    return Here()("log", "monitor", url, "--state", str(state), "--trust", str(trust), "--json")


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("name", ALTERED)
def test_r06_r07_r16_whatever_is_altered_is_named_and_what_was_seen_stays(
    name: str, seen: bytes, trust: Path, tmp_path: Path
) -> None:
    alterations, code, problem, words = ALTERED[name]
    state = tmp_path / "log.state"
    state.write_bytes(seen)
    with served_at(log_of(), *alterations) as url:
        ended = look(url, state, trust)
    said = json.loads(ended.out)
    assert (ended.code, said["code"]) == (code, problem), ended.out
    assert words in said["detail"]
    kept, before = parse_followed(state.read_bytes()), parse_followed(seen)
    assert kept.pin == before.pin
    # What is kept beside it was signed: the true log continues it.
    if kept.frontier.size > SEEN:
        with served_at(log_of()) as url:
            again = look(url, state, trust)
        assert (again.code, read(again.out)["new_entries"]) == (0, NOW - SEEN)


def moved(path: str, true: Reply) -> Reply:
    """Answer from where a tile was moved to."""
    return Reply(log_of().answer("/log/tile/0/002")) if path == "/moved" else true


HARMLESS: dict[str, tuple[Alteration, ...]] = {
    "unaltered": (),
    "redirected": (
        instead("tile/0/002", Reply(status=302, headers={"location": "/moved"})),
        moved,
    ),
    "called-a-page": (lambda _path, true: replace(true, headers={"content-type": "text/html"}),),
    "packed": (lambda _path, true: replace(true, body=gzip.compress(true.body), headers=PACKED),),
    # As a log may that has grown since (C2SP tlog-tiles).
    "partial-tiles-let-go": (gone("tile/0/003.p/132"), gone("tile/entries/003.p/132")),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_r16_the_same_bytes_are_one_history_however_they_come(
    name: str, seen: bytes, trust: Path, tmp_path: Path
) -> None:
    state = tmp_path / "log.state"
    state.write_bytes(seen)
    log = ServedLog(records(1100, first=GENESIS.digest), shown=NOW)
    log.hashes = [leaf_hash(one) for one in log.entries]
    with served_at(log, *HARMLESS[name]) as url:
        ended = look(url, state, trust)
    assert (ended.code, read(ended.out)["new_entries"]) == (0, NOW - SEEN)


FIRST: dict[str, tuple[tuple[Alteration, ...], int, str, str]] = {
    "genesis": ((at("tile/entries/000", turned(100)),), 45, "followed-leaf", "index 0 "),
    "empty": ((instead("checkpoint", signed(0)),), 45, "entry", "index 0:"),
    "other-genesis": (
        (like(ServedLog(records(NOW, first="0" * 64))),),
        *(40, "other-ledger", "its name, genesis or key is another"),
    ),
}


@pytest.mark.parametrize("name", FIRST)
def test_s16_a_first_look_at_an_altered_log_leaves_nothing(
    name: str, trust: Path, tmp_path: Path
) -> None:
    alterations, code, problem, words = FIRST[name]
    state = tmp_path / "log.state"
    with served_at(log_of(), *alterations) as url:
        ended = look(url, state, trust)
    said = json.loads(ended.out)
    assert (ended.code, said["code"]) == (code, problem), ended.out
    assert words in said["detail"]
    assert not state.exists()


def test_r16_a_damaged_state_says_nothing_about_the_log(
    seen: bytes, trust: Path, tmp_path: Path
) -> None:
    state = tmp_path / "log.state"
    # A log time an hour ahead would make each entry look older than the one before.
    state.write_bytes(seen.replace(b'"at":"2026', b'"at":"2027'))
    assert state.read_bytes() != seen
    with served_at(log_of()) as url:
        ended = look(url, state, trust)
    said = json.loads(ended.out)
    assert (ended.code, said["code"]) == (45, "pin")
    assert "says nothing about the log" in said["detail"]


def test_r16_a_checkpoint_that_too_few_witnesses_cosigned_is_untrusted(
    trust: Path, tmp_path: Path
) -> None:
    witness = witness_of("witness.example/w1", FORGER.key.public)
    demanding = tmp_path / "fairtrial.toml"
    key = f'[[ledger.witness]]\nkey = "{witness.to_vkey()}"\n'
    demanding.write_text(f"{trust.read_text()}\nquorum = 1\n{key}")
    log, state = log_of(SEEN), tmp_path / "log.state"
    with served_at(log) as url:
        ended = look(url, state, demanding)
    assert (ended.code, read(ended.out)["cosigned"]) == (41, 0)
    text = parse_note(log.checkpoint()).text
    line = cosign(text, witness.name, FORGER.key, at_s=1).to_line().encode()
    with served_at(log, at("checkpoint", lambda data: data + line)) as url:
        ended = look(url, state, demanding)
    assert (ended.code, read(ended.out)["cosigned"]) == (0, 1)
