# SPDX-License-Identifier: Apache-2.0
"""A note counts only under a known key."""

import base64

import pytest

from app.core.errors import FairtrialError, IntegrityBroken, MalformedDocument
from app.core.log.note import (
    MAX_NOTE_BYTES,
    MAX_SIGNATURES,
    NoteSignature,
    NoteSigner,
    NoteVerifier,
    parse_note,
    parse_skey,
    parse_vkey,
    sign_note,
    verify_note,
)
from app.core.signing.keys import ed25519_signing_key, p256_signing_key

LOG = NoteSigner("ledger.example/log", ed25519_signing_key(bytes([1]) * 32))
WITNESS = NoteSigner("witness.example", ed25519_signing_key(bytes([2]) * 32))
TEXT = "first\n\nlast\n"
SIG = base64.b64encode(bytes(68)).decode()


def test_note_with_an_empty_line_in_its_text_comes_back() -> None:
    note = sign_note(TEXT, [LOG, WITNESS])
    assert parse_note(note.to_bytes()) == note
    assert verify_note(note, [WITNESS.verifier, LOG.verifier]) == (LOG.verifier, WITNESS.verifier)


def test_signature_of_an_unknown_key_is_ignored() -> None:
    note = sign_note(TEXT, [WITNESS, LOG])
    assert verify_note(note, [LOG.verifier]) == (LOG.verifier,)


def test_note_without_a_known_signature_is_refused() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        verify_note(sign_note(TEXT, [WITNESS]), [LOG.verifier])
    assert caught.value.code == "note-unsigned"


def test_known_name_with_another_key_id_is_unknown() -> None:
    other = NoteSigner(LOG.name, WITNESS.key)
    with pytest.raises(IntegrityBroken) as caught:
        verify_note(sign_note(TEXT, [other]), [LOG.verifier])
    assert caught.value.code == "note-unsigned"


def test_known_key_whose_signature_does_not_verify_spoils_the_note() -> None:
    good = sign_note(TEXT, [LOG, WITNESS])
    forged = NoteSignature(WITNESS.name, WITNESS.verifier.key_id, bytes(64))
    note = type(good)(good.text, (good.signatures[0], forged))
    assert verify_note(note, [LOG.verifier]) == (LOG.verifier,)
    with pytest.raises(IntegrityBroken) as caught:
        verify_note(note, [LOG.verifier, WITNESS.verifier])
    assert caught.value.code == "note-signature"


def test_changed_text_does_not_verify() -> None:
    data = sign_note(TEXT, [LOG]).to_bytes().replace(b"first", b"First")
    with pytest.raises(IntegrityBroken):
        verify_note(parse_note(data), [LOG.verifier])


def test_keys_come_back_from_their_texts() -> None:
    assert parse_vkey(LOG.verifier.to_vkey()) == LOG.verifier
    assert parse_skey(LOG.to_skey()) == LOG
    assert LOG.to_skey().startswith("PRIVATE+KEY+ledger.example/log+")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a+b",
        "name+00000000+" + base64.b64encode(b"\1" + bytes(32)).decode(),
        LOG.verifier.to_vkey().upper(),
        LOG.verifier.to_vkey() + "=",
        LOG.verifier.to_vkey().replace("+A", "+C"),
        "x+00000000+" + base64.b64encode(b"\4" + bytes(32)).decode(),
        "x+00000000+" + base64.b64encode(b"\1" + bytes(31)).decode(),
        " +00000000+" + base64.b64encode(b"\1" + bytes(32)).decode(),
        "+00000000+" + base64.b64encode(b"\1" + bytes(32)).decode(),
    ],
)
def test_verifier_key_in_another_form_is_refused(text: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_vkey(text)
    assert caught.value.code in {"note-key", "base64"}
    with pytest.raises(MalformedDocument):
        parse_skey("PRIVATE+KEY+" + text)


def test_signer_key_needs_its_prefix() -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_skey(LOG.to_skey().removeprefix("PRIVATE+KEY+"))
    assert caught.value.code == "note-key"


def test_note_key_of_another_algorithm_is_refused() -> None:
    with pytest.raises(MalformedDocument) as caught:
        NoteVerifier("name", p256_signing_key(b"x").public)
    assert caught.value.code == "note-key"


@pytest.mark.parametrize("text", ["no newline", "tab\there\n", ""])
def test_text_that_no_note_can_carry_is_not_signed(text: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        sign_note(text, [LOG])
    assert caught.value.code == "note"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"text\n",
        b"text\n\n",
        f"text\n\n\u2014 n {SIG}".encode(),
        f"text\n\n\u2014 n {SIG}\n\n".encode(),
        f"text\n\n- n {SIG}\n".encode(),
        f"text\n\n\u2014 {SIG}\n".encode(),
        f"text\n\n\u2014  {SIG}\n".encode(),
        f"text\n\n\u2014 a+b {SIG}\n".encode(),
        f"text\n\n\u2014 a\u00a0b {SIG}\n".encode(),
        f"text\n\n\u2014 n {SIG} x\n".encode(),
        f"text\n\n\u2014 n {SIG}=\n".encode(),
        "text\n\n\u2014 n AAAA\n".encode(),
        "text\n\n\u2014 n AAAAAA==\n".encode(),
        f"te\rxt\n\n\u2014 n {SIG}\n".encode(),
        b"\xff" + f"\n\n\u2014 n {SIG}\n".encode(),
        ("text\n\n" + f"\u2014 n {SIG}\n" * (MAX_SIGNATURES + 1)).encode(),
        b"a" * (MAX_NOTE_BYTES + 1),
    ],
)
def test_bytes_that_are_no_note_are_malformed(data: bytes) -> None:
    with pytest.raises(FairtrialError) as caught:
        parse_note(data)
    assert isinstance(caught.value, MalformedDocument)
    assert caught.value.code in {"note", "note-key", "base64"}


def test_sixteen_signatures_and_more_are_read() -> None:
    data = ("text\n\n" + f"\u2014 n {SIG}\n" * MAX_SIGNATURES).encode()
    assert len(parse_note(data).signatures) == MAX_SIGNATURES
