# SPDX-License-Identifier: Apache-2.0
"""A cosignature of another checkpoint, witness or time is none."""

from dataclasses import replace

import pytest

from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.cosignature import (
    MAX_TIMESTAMP,
    Witness,
    cosign,
    cosignatures_of,
    parse_witness,
    witness_of,
)
from app.core.log.note import Note, NoteSigner, parse_note
from app.core.signing.keys import ed25519_signing_key, p256_signing_key

ORIGIN = "ledger.example/spark"
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([1]) * 32))
NAME = "witness.example/w1"
KEY = ed25519_signing_key(bytes([7]) * 32)
WITNESS = Witness(NAME, KEY.public)
AT_S = 1_790_000_000
SIGNED = parse_note(sign_checkpoint(Checkpoint(ORIGIN, 7, bytes(32)), [LOG]))
LINE = cosign(SIGNED.text, NAME, KEY, at_s=AT_S)


def under(*lines: object) -> Note:
    return Note(SIGNED.text, (*SIGNED.signatures, *lines))  # type: ignore[arg-type]  # lines of a note


def test_a_cosignature_says_who_saw_the_checkpoint_and_when() -> None:
    note = parse_note(under(LINE).to_bytes())
    (found,) = cosignatures_of(note, [WITNESS])
    assert (found.witness, found.at_s, found.line) == (WITNESS, AT_S, LINE)


def test_what_is_signed_is_the_header_the_time_and_the_text() -> None:
    """As C2SP tlog-cosignature writes it, checked by hand."""
    message = f"cosignature/v1\ntime {AT_S}\n{SIGNED.text}".encode()
    assert LINE.signature[:8] == AT_S.to_bytes(8, "big")
    assert KEY.public.verify(LINE.signature[8:], message)


def test_lines_of_anybody_else_are_ignored() -> None:
    stranger = cosign(SIGNED.text, "other.example", KEY, at_s=AT_S)
    assert cosignatures_of(under(stranger), [WITNESS]) == ()
    assert cosignatures_of(under(LINE), []) == ()


def test_a_witness_counts_once_however_often_it_signed() -> None:
    again = cosign(SIGNED.text, NAME, KEY, at_s=AT_S + 1)
    assert len(cosignatures_of(under(LINE, again), [WITNESS])) == 1


@pytest.mark.parametrize("change", ["time", "signature", "short", "text", "far"])
def test_a_cosignature_of_a_known_witness_that_does_not_verify_spoils_the_note(change: str) -> None:
    line, text = LINE, SIGNED.text
    match change:
        case "time":
            line = replace(line, signature=(AT_S + 1).to_bytes(8, "big") + line.signature[8:])
        case "signature":
            line = replace(line, signature=line.signature[:-1] + b"\0")
        case "short":
            line = replace(line, signature=line.signature[:-1])
        case "far":
            line = cosign(text, NAME, KEY, at_s=MAX_TIMESTAMP + 1)
        case _:
            text = text.replace("7", "8", 1)
    with pytest.raises(IntegrityBroken) as caught:
        cosignatures_of(Note(text, (line,)), [WITNESS])
    assert caught.value.code == "note-signature"


def test_a_witness_key_comes_back_from_its_text() -> None:
    assert parse_witness(WITNESS.to_vkey()) == WITNESS


@pytest.mark.parametrize(
    "vkey",
    [
        "",
        LOG.verifier.to_vkey(),
        WITNESS.to_vkey().replace(NAME, "witness.example/w2"),
        WITNESS.to_vkey() + "=",
        WITNESS.to_vkey().replace(NAME, "a b"),
        "+" + WITNESS.to_vkey().split("+", 1)[1],
    ],
)
def test_a_key_that_is_no_witness_s_is_refused(vkey: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_witness(vkey)
    assert caught.value.code in {"note-key", "base64"}


def test_a_witness_signs_with_ed25519() -> None:
    with pytest.raises(MalformedDocument) as caught:
        witness_of(NAME, p256_signing_key(b"x").public)
    assert caught.value.code == "note-key"
