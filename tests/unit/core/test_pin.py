# SPDX-License-Identifier: Apache-2.0
"""A pin that was damaged says so; it never passes for a checkpoint that a log has signed."""

import json
from typing import Any

import pytest

from app.core.canonical import canonical
from app.core.errors import IntegrityBroken
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.note import NoteSigner
from app.core.log.pin import parse_pin, pin_of
from app.core.signing.keys import ed25519_signing_key

ORIGIN = "ledger.example/spark"
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([1]) * 32))
NOTE = sign_checkpoint(Checkpoint(ORIGIN, 7, bytes(32)), [LOG]).decode()
PIN = pin_of("a" * 64, LOG.verifier, NOTE)


def test_a_pin_comes_back() -> None:
    assert parse_pin(PIN.to_bytes()) == PIN
    assert PIN.checkpoint.size == 7


@pytest.mark.parametrize(
    "change",
    [
        {"v": 2},
        {"genesis": "a"},
        {"genesis": 1},
        {"checkpoint_key": None},
        {"checkpoint": NOTE.replace("7", "8", 1)},
        {"checkpoint": "no note"},
        {"more": ""},
    ],
)
def test_r16_a_damaged_pin_is_told_apart_from_a_log_that_misbehaves(change: dict[str, Any]) -> None:
    data = canonical({**json.loads(PIN.to_bytes()), **change})
    with pytest.raises(IntegrityBroken) as caught:
        parse_pin(data)
    assert caught.value.code == "pin"
    assert "says nothing about the log" in caught.value.detail


@pytest.mark.parametrize("data", [b"", b"[]", b"{", PIN.to_bytes()[:-20]])
def test_r16_a_pin_that_is_cut_or_no_document_is_damaged(data: bytes) -> None:
    with pytest.raises(IntegrityBroken) as caught:
        parse_pin(data)
    assert caught.value.code == "pin"
