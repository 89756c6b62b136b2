# SPDX-License-Identifier: Apache-2.0
"""The checkpoint file: what is in it survives a crash at any byte, and only moves by a swap."""

import asyncio
import os
from pathlib import Path

import pytest

from app.core.errors import FairtrialError, IntegrityBroken
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.note import NoteSigner
from app.service.ports import StoreUnavailable
from app.storage.anchor_file import FILE, SLOT_BYTES, AnchorFile, published_checkpoint
from tests.drafts import ORIGIN, signing_key

SIGNER = NoteSigner(ORIGIN, signing_key("checkpoint"))


def note(size: int) -> bytes:
    return sign_checkpoint(Checkpoint(ORIGIN, size, bytes([size]) * 32), [SIGNER])


@pytest.fixture
async def anchor(tmp_path: Path) -> AnchorFile:
    one = AnchorFile(tmp_path)
    assert await one.read() is None
    assert await one.swap(None, note(1))
    return one


async def test_swaps_move_it_on_and_a_wrong_expectation_moves_nothing(
    anchor: AnchorFile, tmp_path: Path
) -> None:
    for size in range(1, 6):
        assert await anchor.read() == note(size)
        assert not await anchor.swap(note(9), note(8))
        assert not await anchor.swap(None, note(8))
        assert await anchor.swap(note(size), note(size + 1))
    assert not (tmp_path / f"{FILE}.new").exists()
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    assert (tmp_path / FILE).stat().st_size == 2 * SLOT_BYTES


@pytest.mark.parametrize("at", [0, 100, SLOT_BYTES - 1])
async def test_r01_slot_torn_while_it_was_written_leaves_the_one_before(
    anchor: AnchorFile, tmp_path: Path, at: int
) -> None:
    await anchor.swap(note(1), note(2))
    data = bytearray((tmp_path / FILE).read_bytes())
    data[SLOT_BYTES + at] ^= 1
    (tmp_path / FILE).write_bytes(data)
    assert await anchor.read() == note(1)
    assert await anchor.swap(note(1), note(3))
    assert await anchor.read() == note(3)


async def test_both_slots_spoilt_or_a_cut_file_is_damage(
    anchor: AnchorFile, tmp_path: Path
) -> None:
    for content in (bytes(2 * SLOT_BYTES), b"", b"text"):
        (tmp_path / FILE).write_bytes(content)
        with pytest.raises(IntegrityBroken) as refused:
            await anchor.read()
        assert refused.value.code == "anchor"


async def test_file_that_went_away_is_never_made_anew(anchor: AnchorFile, tmp_path: Path) -> None:
    (tmp_path / FILE).unlink()
    assert not await anchor.swap(note(1), note(2))
    assert await anchor.read() is None


async def test_place_that_cannot_be_written_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    anchor = AnchorFile(tmp_path)
    with pytest.raises(StoreUnavailable):
        await anchor.read()
    with pytest.raises(StoreUnavailable):
        await anchor.swap(note(1), note(2))
    with pytest.raises(StoreUnavailable):
        await AnchorFile(tmp_path / "none").swap(None, note(1))


async def test_r02_full_disk_under_the_file_spoils_nothing(
    anchor: AnchorFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdatasync", full)
    with pytest.raises(StoreUnavailable):
        await anchor.swap(note(1), note(2))


async def test_note_that_does_not_fit_is_refused(anchor: AnchorFile) -> None:
    with pytest.raises(IntegrityBroken):
        await anchor.swap(note(1), bytes(SLOT_BYTES))
    assert await anchor.read() == note(1)


async def test_processes_that_swap_at_once_have_one_winner(
    anchor: AnchorFile, tmp_path: Path
) -> None:
    others = [AnchorFile(tmp_path) for _ in range(8)]
    won = await asyncio.gather(*(one.swap(note(1), note(2 + n)) for n, one in enumerate(others)))
    assert won.count(True) == 1
    assert await anchor.read() == note(2 + won.index(True))


async def test_published_checkpoint_is_read_from_a_note_or_from_an_anchor(
    anchor: AnchorFile, tmp_path: Path
) -> None:
    assert published_checkpoint(tmp_path / FILE).size == 1
    pasted = tmp_path / "pasted"
    pasted.write_bytes(note(5))
    assert published_checkpoint(pasted).size == 5
    pasted.write_bytes(b"nothing")
    with pytest.raises(FairtrialError):
        published_checkpoint(pasted)
