# SPDX-License-Identifier: Apache-2.0
"""A witness that is asked by many at once never cosigns a smaller tree after a larger one."""

import threading
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.cosignature import Witness, cosignatures_of
from app.core.log.merkle import consistency_proof, root_of
from app.core.log.note import Note, parse_note
from app.core.log.witness import MAX_REQUEST_BYTES, AddCheckpoint
from app.runner.cosigner import Cosigner
from app.runner.witness_state import LastCosigned, WitnessState
from tests.drafts import ORIGIN, signing_key
from tests.logs import LOG
from tests.unit.core.test_witness import LEAVES

NAME = "witness.example/w1"
WITNESS = Witness(NAME, signing_key("w1").public)
AT_S = 1_790_000_000


def request(old: int, new: int) -> bytes:
    """Return a request of the log that the tests' ledger signs."""

    def hash_at(level: int, index: int) -> bytes:
        return root_of(LEAVES[index << level : (index + 1) << level])

    checkpoint = Checkpoint(ORIGIN, new, root_of(LEAVES[:new]))
    note = parse_note(sign_checkpoint(checkpoint, [LOG]))
    return AddCheckpoint(old, consistency_proof(old, new, hash_at), note).to_bytes()


def witness(path: Path) -> Cosigner:
    logs = {ORIGIN: (LOG.verifier,)}
    return Cosigner(NAME, signing_key("w1"), logs, WitnessState(path), lambda: AT_S)


def speak(one: Cosigner) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=one), base_url="http://localhost")


def text_of(body: bytes) -> str:
    return parse_note(body.partition(b"\n\n")[2]).text


async def test_r16_it_cosigns_refuses_and_shows_what_it_cosigned(tmp_path: Path) -> None:
    async with speak(witness(tmp_path / "state.json")) as client:

        async def asked(body: bytes) -> httpx.Response:
            return await client.post("/add-checkpoint", content=body)

        place = f"/{sha256_hex(ORIGIN.encode())}/checkpoint"
        assert (await client.get(place)).status_code == 404
        first = await asked(request(0, 5))
        assert first.status_code == 200
        line = parse_note((text_of(request(0, 5)) + "\n" + first.text).encode())
        (found,) = cosignatures_of(line, [WITNESS])
        assert (found.at_s, first.text.count("\n")) == (AT_S, 1)
        other = await asked(request(4, 7))
        assert (other.status_code, other.text) == (409, "5\n")
        assert other.headers["content-type"] == "text/x.tlog.size"
        assert (await asked(request(5, 13))).status_code == 200
        assert (await asked(request(5, 13))).status_code == 409
        assert (await asked(request(13, 13))).status_code == 200
        shown = await client.get(place)
        note = parse_note(shown.content)
        assert note.text == text_of(request(0, 13))
        assert [one.name for one in note.signatures] == [ORIGIN, NAME]
        assert (await asked(b"old 5\n\n")).status_code == 400
        assert (await asked(b"x" * (MAX_REQUEST_BYTES + 1))).status_code == 400
        unsigned = request(13, 13).replace(b"\n13\n", b"\n12\n")
        assert (await asked(unsigned)).status_code == 403
        unproven = request(5, 13).replace(b"old 5\n", b"old 13\n")
        assert (await asked(unproven)).status_code == 422
        unknown = request(0, 5).replace(ORIGIN.encode(), b"other.example")
        assert (await asked(unknown)).status_code == 404
        assert (await client.get("/add-checkpoint")).status_code == 405
        assert (await client.get("/nothing")).status_code == 404


def test_r16_of_many_requests_at_once_each_size_is_cosigned_in_order(tmp_path: Path) -> None:
    """Requests for one old size race: one wins, and the state never goes back."""
    path = tmp_path / "state.json"
    seen: list[int] = []
    last = 0
    for step in range(1, 7):
        new = last + 2
        answers: list[int] = []
        barrier = threading.Barrier(8)

        def ask(size: int, told: list[int], gate: threading.Barrier, old: int) -> None:
            mine = witness(path)  # another process's view: a lock of its own, the same file
            gate.wait()
            told.append(mine.add_checkpoint(request(old, size)).status)

        sizes = [new - (n % 2) for n in range(8)]
        threads = [
            threading.Thread(target=ask, args=(size, answers, barrier, last)) for size in sizes
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        state = WitnessState(path).last(ORIGIN)
        assert state is not None
        assert sorted(answers).count(200) == 1, step
        assert set(answers) == {200, 409}
        last = state.checkpoint.size
        seen.append(last)
    assert seen == sorted(set(seen))


def test_r16_what_was_answered_is_remembered_by_the_next_process(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    assert witness(path).add_checkpoint(request(0, 5)).status == 200
    assert witness(path).add_checkpoint(request(0, 7)).body == b"5\n"


def test_r16_nothing_is_cosigned_when_it_cannot_be_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "state.json"

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("app.runner.witness_state.replace_file", full)
    with pytest.raises(OSError, match=r"No space"):
        witness(path).add_checkpoint(request(0, 5))
    assert not path.exists()


@pytest.mark.parametrize("spoil", [b"", b"{}", b'{"logs":{"a":"no note"},"v":1}'])
async def test_r16_a_witness_that_forgot_what_it_saw_cosigns_nothing(
    tmp_path: Path, spoil: bytes
) -> None:
    path = tmp_path / "state.json"
    path.write_bytes(spoil)
    with pytest.raises(IntegrityBroken) as caught:
        WitnessState(path).last(ORIGIN)
    assert caught.value.code == "witness-state"
    async with speak(witness(path)) as client:
        assert (await client.post("/add-checkpoint", content=request(0, 5))).status_code == 503
        assert (await client.get("/x/checkpoint")).status_code == 503
    assert path.read_bytes() == spoil


def test_r16_a_state_under_another_name_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    witness(path).add_checkpoint(request(0, 5))
    path.write_bytes(path.read_bytes().replace(b'{"logs":{"ledger', b'{"logs":{"other'))
    with pytest.raises(IntegrityBroken):
        WitnessState(path).last(ORIGIN)


def test_the_state_is_changed_by_what_is_decided_and_by_nothing_else(tmp_path: Path) -> None:
    state = WitnessState(tmp_path / "state.json")
    note = parse_note(request(0, 5).partition(b"\n\n")[2])
    kept: list[LastCosigned | None] = []

    def deciding(after: Note | None) -> Callable[[LastCosigned | None], Note | None]:
        def decide(before: LastCosigned | None) -> Note | None:
            kept.append(before)
            return after

        return decide

    for after in (None, note, None):
        state.change(ORIGIN, deciding(after))
    assert kept == [None, None, LastCosigned(note)]
