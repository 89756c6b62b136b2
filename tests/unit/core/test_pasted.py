# SPDX-License-Identifier: Apache-2.0
"""What a thread does to a checkpoint: quotes, wraps, indents; what it cannot do is change it."""

import textwrap

import pytest

from app.core.errors import MalformedDocument
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.note import NoteSigner, parse_note
from app.core.log.pasted import MAX_PASTED_BYTES, pasted_checkpoints
from app.core.signing.keys import ed25519_signing_key

ORIGIN = "ledger.example/spark"
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([1]) * 32))
SECOND = NoteSigner("second.example", ed25519_signing_key(bytes([2]) * 32))
DATA = sign_checkpoint(Checkpoint(ORIGIN, 2090, bytes(range(32))), [LOG, SECOND])
TEXT = DATA.decode()
NOTE = parse_note(DATA)


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        f"As of today:\n\n```\n{TEXT}```\nSo it stands.",
        textwrap.indent(TEXT, "> "),
        textwrap.indent(TEXT, "> > "),
        textwrap.indent(TEXT, "    "),
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("\n\n", "\n"),
        TEXT.replace("\n", "\n\n"),
        TEXT.replace("\u2014 ", "-- "),
        TEXT.replace("\u2014 ", "\u2013\u00a0"),
        "\n".join(textwrap.fill(line, 60) for line in TEXT.split("\n")),
        f"{ORIGIN}\nis a nice log.\n{TEXT}",
    ],
)
def test_a_checkpoint_is_found_again(text: str) -> None:
    assert pasted_checkpoints(text.encode(), origin=ORIGIN) == (NOTE,)


def test_every_checkpoint_is_found() -> None:
    other = sign_checkpoint(Checkpoint(ORIGIN, 3, bytes(32)), [LOG])
    found = pasted_checkpoints(DATA + b"and later\n" + other, origin=ORIGIN)
    assert found == (NOTE, parse_note(other))


@pytest.mark.parametrize(
    "text",
    [
        "",
        ORIGIN,
        f"{ORIGIN}\n07\n",
        f"{ORIGIN}\n7\nshort\n",
        f"{ORIGIN}\n7\n" + "A" * 44 + "\nno signature\n",
        f"{ORIGIN}\n7\n" + "A" * 43 + "=",
        f"{ORIGIN}\n7\n" + "A" * 43 + "=\n\n\u2014 name AAAA\n",
        TEXT.replace(ORIGIN, "other.example"),
    ],
)
def test_what_is_no_checkpoint_is_not_found(text: str) -> None:
    assert pasted_checkpoints(text.encode(), origin=ORIGIN) == ()


@pytest.mark.parametrize("data", [b"\xff", b" " * (MAX_PASTED_BYTES + 1)])
def test_what_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedDocument) as caught:
        pasted_checkpoints(data, origin=ORIGIN)
    assert caught.value.code == "pasted"
