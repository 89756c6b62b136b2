# SPDX-License-Identifier: Apache-2.0
"""An envelope says nothing until one named key has verified it."""

import base64
import json

import pytest

from app.core.canonical import parse_strict
from app.core.errors import FairtrialError, MalformedDocument, NotAuthenticated, SchemaViolation
from app.core.signing.envelope import (
    MAX_SIGNATURES,
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    is_canonical,
    pae,
    parse_envelope,
    refuse_payload_type,
    sign,
    to_json,
    verify_signature,
)
from app.core.signing.keys import ed25519_signing_key, p256_signing_key

ED = ed25519_signing_key(bytes([1]) * 32)
EC = p256_signing_key(bytes([2]) * 32)
PAYLOAD = b'{"a":1}'


def document(**changes: object) -> bytes:
    """Return the JSON of a good envelope, with members replaced, or removed by None."""
    members: dict[str, object] = {
        "payload": base64.b64encode(PAYLOAD).decode(),
        "payloadType": PAYLOAD_TYPE,
        "signatures": [signature(ED.key_id)],
    }
    members.update(changes)
    return json.dumps({k: v for k, v in members.items() if v is not None}).encode()


def signature(key_id: str, **changes: object) -> dict[str, object]:
    members = {"keyid": key_id, "sig": base64.b64encode(bytes(64)).decode(), **changes}
    return {k: v for k, v in members.items() if v is not None}


def refusal(data: bytes) -> FairtrialError:
    with pytest.raises(FairtrialError) as caught:
        parse_envelope(data)
    return caught.value


def test_pae_counts_bytes() -> None:
    assert pae("é", b"\xff") == b"DSSEv1 2 \xc3\xa9 1 \xff"
    assert pae("", b"") == b"DSSEv1 0  0 "


def test_envelope_comes_back_and_each_signature_verifies() -> None:
    envelope = sign(PAYLOAD, [ED, EC])
    assert parse_envelope(to_json(envelope)) == envelope
    assert envelope.keyids == (ED.key_id, EC.key_id)
    for key in (ED, EC):
        verify_signature(envelope, key.key_id, key.public)
    refuse_payload_type(envelope)


def test_s01_changed_type_without_a_new_signature_is_a_bad_signature() -> None:
    signed = sign(PAYLOAD, [ED])
    changed = Envelope("application/json", signed.payload, signed.signatures)
    with pytest.raises(NotAuthenticated) as caught:
        verify_signature(changed, ED.key_id, ED.public)
    assert caught.value.code == "bad-signature"


@pytest.mark.parametrize(
    "payload_type",
    ["application/json", "application/vnd.in-toto+JSON", PAYLOAD_TYPE + " ", ""],
)
def test_s01_signed_type_that_is_not_taken_is_unprocessable(payload_type: str) -> None:
    envelope = sign(PAYLOAD, [ED], payload_type=payload_type)
    verify_signature(envelope, ED.key_id, ED.public)
    with pytest.raises(SchemaViolation) as caught:
        refuse_payload_type(envelope)
    assert caught.value.code == "payload-type"


def test_changed_payload_is_a_bad_signature() -> None:
    signed = sign(PAYLOAD, [ED])
    changed = Envelope(signed.payload_type, b'{"a":2}', signed.signatures)
    with pytest.raises(NotAuthenticated) as caught:
        verify_signature(changed, ED.key_id, ED.public)
    assert caught.value.code == "bad-signature"


def test_s02_signature_under_another_keyid_is_not_tried() -> None:
    envelope = sign(PAYLOAD, [ED])
    stolen = Envelope(PAYLOAD_TYPE, PAYLOAD, (Signature(EC.key_id, envelope.signatures[0].sig),))
    for refused, keyid, key in (
        (envelope, EC.key_id, EC.public),
        (envelope, ED.key_id, EC.public),
        (stolen, EC.key_id, ED.public),
    ):
        with pytest.raises(NotAuthenticated) as caught:
            verify_signature(refused, keyid, key)
        assert caught.value.code == "unknown-key"


@pytest.mark.parametrize("keyid", [None, ""])
def test_s02_signature_without_keyid_is_not_authenticated(keyid: str | None) -> None:
    error = refusal(document(signatures=[signature(ED.key_id, keyid=keyid)]))
    assert isinstance(error, NotAuthenticated)


def test_envelope_without_signature_is_not_authenticated() -> None:
    assert isinstance(refusal(document(signatures=[])), NotAuthenticated)


def test_s03_reordered_and_spaced_envelope_is_the_same_statement() -> None:
    envelope = sign(PAYLOAD, [ED, EC])
    members = json.loads(to_json(envelope))
    spaced = json.dumps(dict(reversed(members.items())), indent=2).encode()
    again = parse_envelope(spaced)
    other_signer = sign(PAYLOAD, [EC])
    assert again == envelope
    assert again.payload_digest == other_signer.payload_digest


@pytest.mark.parametrize("text", ["aGl=", "aGk", "aGk=\n", "-_-_", " aGk="])
def test_s03_payload_or_signature_in_another_base64_is_malformed(text: str) -> None:
    for data, pointer in (
        (document(payload=text), "/payload"),
        (document(signatures=[signature("k", sig=text)]), "/signatures/0/sig"),
    ):
        error = refusal(data)
        assert isinstance(error, MalformedDocument)
        assert error.code == "base64"
        assert [finding.pointer for finding in error.findings] == [pointer]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (document(extra=1), "unknown-member"),
        (document(signatures=[signature("k", cert="x")]), "unknown-member"),
        (document(signatures=[signature("k"), signature("k")]), "duplicate-keyid"),
        (
            document(signatures=[signature(str(i)) for i in range(MAX_SIGNATURES + 1)]),
            "too-many-signatures",
        ),
        (b"[]", "schema-violation"),
        (document(payload=None), "schema-violation"),
        (document(payload=1), "schema-violation"),
        (document(payloadType=None), "schema-violation"),
        (document(signatures=None), "schema-violation"),
        (document(signatures={}), "schema-violation"),
        (document(signatures=["x"]), "schema-violation"),
        (document(signatures=[signature("k", keyid=1)]), "schema-violation"),
        (document(signatures=[signature("k", sig=None)]), "schema-violation"),
    ],
)
def test_s03_envelope_of_another_shape_is_unprocessable(data: bytes, code: str) -> None:
    error = refusal(data)
    assert isinstance(error, SchemaViolation)
    assert error.code == code
    assert len(error.findings) == 1


def test_as_many_signatures_as_are_allowed_are_read() -> None:
    data = document(signatures=[signature(str(i)) for i in range(MAX_SIGNATURES)])
    assert len(parse_envelope(data).signatures) == MAX_SIGNATURES


def test_j01_duplicate_member_of_the_envelope_is_malformed() -> None:
    data = document()[:-1] + b',"payload":""}'
    assert refusal(data).code == "duplicate-member"


def test_s10_duplicate_member_in_a_signed_payload_is_malformed_not_last_wins() -> None:
    envelope = parse_envelope(to_json(sign(b'{"n":1,"n":2}', [ED])))
    verify_signature(envelope, ED.key_id, ED.public)
    with pytest.raises(MalformedDocument) as caught:
        parse_strict(envelope.payload)
    assert caught.value.code == "duplicate-member"


def test_canonical_envelope_is_read_as_any_other() -> None:
    envelope = sign(PAYLOAD, [ED, EC])
    data = to_json(envelope)
    assert is_canonical(data)
    spaced = json.dumps(json.loads(data)).encode()
    assert not is_canonical(spaced)
    assert parse_envelope(data) == parse_envelope(spaced) == envelope


GOOD = to_json(sign(PAYLOAD, [ED]))


@pytest.mark.parametrize(
    "data",
    [
        GOOD + b"\n",
        GOOD.replace(b'{"payload"', b'{"more":"","payload"'),
        GOOD.replace(b'{"payload"', b'{"payload":"","payload"'),
        GOOD.replace(b'"keyid":"', b'"keyid":"","keyid":"'),
        GOOD.replace(b'"keyid":"', b'"keyid":"\\u0000'),
        GOOD.replace(b'"keyid":"', '"keyid":"\u00e9'.encode()),
        GOOD.replace(b'"keyid":"', b'"keyid":"\xff'),
        GOOD.replace(b'"signatures":[', b'"signatures":[1.0,'),
        GOOD[:-1],
        b"",
    ],
)
def test_d01_second_reading_is_never_taken_for_canonical(data: bytes) -> None:
    assert not is_canonical(data)
