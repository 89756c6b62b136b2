# SPDX-License-Identifier: Apache-2.0
"""Captures in and out: bounds are tested where they are received; here what is stored."""

from dataclasses import replace

import pytest

from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken
from app.core.statement.encoding import encode
from app.service.captures import CaptureReader, deflate, open_blob
from app.service.ports import BlobRow
from app.service.remembered import Remembered
from tests import facts
from tests.fakes import MemoryStore

DATA = encode(facts.capture())
BLOB = BlobRow(sha256_hex(DATA), len(DATA), deflate(DATA))


def test_stored_capture_opens_to_its_bytes() -> None:
    assert open_blob(BLOB) == DATA


@pytest.mark.parametrize(
    "damaged",
    [
        replace(BLOB, sha256="0" * 64),
        replace(BLOB, zstd=BLOB.zstd[:-1]),
        replace(BLOB, zstd=b""),
        replace(BLOB, size=len(DATA) - 1),
    ],
)
def test_damaged_capture_is_named_and_never_served(damaged: BlobRow) -> None:
    with pytest.raises(IntegrityBroken) as broken:
        open_blob(damaged)
    assert broken.value.code == "capture-damaged"


async def test_captures_are_read_once_and_remembered() -> None:
    store = MemoryStore()
    await store.put_blob(BLOB)
    reader = CaptureReader(store)
    first = await reader.captures([BLOB.sha256])
    store.tables.blobs.clear()
    assert await reader.captures([BLOB.sha256]) == first == {BLOB.sha256: facts.capture()}


async def test_missing_capture_is_damage() -> None:
    with pytest.raises(IntegrityBroken) as broken:
        await CaptureReader(MemoryStore()).captures(["0" * 64])
    assert broken.value.code == "capture-missing"


def test_what_was_not_asked_for_longest_is_forgotten_first() -> None:
    kept: Remembered[str, int] = Remembered(10)
    kept.keep("a", 1, size=4)
    kept.keep("b", 2, size=4)
    assert kept.get("a") == 1
    kept.keep("c", 3, size=4)
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (1, None, 3)
    kept.keep("c", 9, size=4)
    assert kept.get("c") == 3
    kept.keep("too large", 4, size=99)
    assert kept.get("too large") is None
    kept.keep("d", 5, size=10)
    assert kept.get("d") == 5
