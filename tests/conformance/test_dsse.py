# SPDX-License-Identifier: Apache-2.0
"""DSSE v1.0.2: the vector of its protocol page, and envelopes of sigstore and in-toto tools."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from securesystemslib.dsse import Envelope as TheirEnvelope
from securesystemslib.signer._key import SSlibKey

from app.core.errors import NotAuthenticated, SchemaViolation
from app.core.signing.envelope import (
    PAYLOAD_TYPE,
    Envelope,
    Signature,
    pae,
    parse_envelope,
    refuse_payload_type,
    sign,
    to_json,
    verify_signature,
)
from app.core.signing.keys import PublicKey, ed25519_signing_key, public_key_from_der


def blocks(text: str) -> list[str]:
    return re.findall(r"```\w+\n(.*?)\n```", text, re.DOTALL)


def test_the_protocol_page_s_own_vector(vectors_dir: Path) -> None:
    page = (vectors_dir / "dsse" / "protocol.md").read_text()
    encoded = "DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    assert encoded in blocks(page)
    assert pae("http://example.com/HelloWorld", b"hello world") == encoded.encode()

    numbers = {k: int(v) for k, v in re.findall(r"^([XYd]): (\d+)$", page, re.MULTILINE)}
    point = ec.EllipticCurvePublicNumbers(numbers["X"], numbers["Y"], ec.SECP256R1()).public_key()
    key = public_key_from_der(spki(point))
    raw = base64.b64decode(json.loads(blocks(page)[-1])["signatures"][0]["sig"])
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    assert key.verify(der, encoded.encode())
    assert not key.verify(raw, encoded.encode()), "r || s is another signature format"


def spki(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def bundle(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "bundle.sigstore.json").read_bytes())
    return document


def bundle_key(document: dict[str, Any]) -> PublicKey:
    material = document["verificationMaterial"]
    raw = (material.get("certificate") or material["x509CertificateChain"]["certificates"][0])[
        "rawBytes"
    ]
    key = x509.load_der_x509_certificate(base64.b64decode(raw)).public_key()
    assert isinstance(key, ec.EllipticCurvePublicKey)
    return public_key_from_der(spki(key))


def bundle_envelope(document: dict[str, Any], key: PublicKey) -> Envelope:
    """Sigstore leaves keyid out; here it must be there, so the certificate's key is named."""
    dsse = document["dsseEnvelope"]
    [signature] = dsse["signatures"]
    dsse["signatures"] = [{"keyid": key.key_id, "sig": signature["sig"]}]
    return parse_envelope(json.dumps(dsse).encode())


@pytest.mark.parametrize(
    ("name", "verifies"),
    [
        ("happy-path-intoto-in-dsse-v3", True),
        ("rekor2-dsse-happy-path", True),
        ("dsse-invalid-sig_fail", False),
        ("rekor2-dsse-invalid-sig_fail", False),
        # These fail for what the log says about them; their signature is good.
        ("rekor2-dsse-mismatch-envelope_fail", True),
        ("rekor2-dsse-mismatch-sig_fail", True),
    ],
)
def test_sigstore_envelope(vectors_dir: Path, name: str, verifies: bool) -> None:
    document = bundle(vectors_dir / "sigstore-conformance" / name)
    key = bundle_key(document)
    envelope = bundle_envelope(document, key)
    refuse_payload_type(envelope)
    if verifies:
        verify_signature(envelope, key.key_id, key)
        assert parse_envelope(to_json(envelope)) == envelope
    else:
        with pytest.raises(NotAuthenticated) as caught:
            verify_signature(envelope, key.key_id, key)
        assert caught.value.code == "bad-signature"


def test_sigstore_envelope_without_keyid_is_refused_here(vectors_dir: Path) -> None:
    document = bundle(vectors_dir / "sigstore-conformance" / "rekor2-dsse-happy-path")
    with pytest.raises(NotAuthenticated):
        parse_envelope(json.dumps(document["dsseEnvelope"]).encode())


@pytest.mark.parametrize("name", ["build", "fail", "package"])
def test_archivista_envelope_is_read_and_its_other_members_are_refused(
    vectors_dir: Path, name: str
) -> None:
    document = json.loads((vectors_dir / "archivista" / f"{name}.attestation.json").read_bytes())
    kept = [{"keyid": s["keyid"], "sig": s["sig"]} for s in document["signatures"]]
    envelope = parse_envelope(json.dumps({**document, "signatures": kept}).encode())
    assert envelope.payload_type == PAYLOAD_TYPE
    if kept != document["signatures"]:
        with pytest.raises(SchemaViolation) as caught:
            parse_envelope(json.dumps(document).encode())
        assert caught.value.code == "unknown-member"


def test_archivista_policy_has_another_payload_type(vectors_dir: Path) -> None:
    data = (vectors_dir / "archivista" / "policy-signed.json").read_bytes()
    with pytest.raises(SchemaViolation) as caught:
        refuse_payload_type(parse_envelope(data))
    assert caught.value.code == "payload-type"


def test_securesystemslib_verifies_our_envelope() -> None:
    key = ed25519_signing_key(bytes([1]) * 32)
    members = json.loads(to_json(sign(b'{"a":1}', [key])))
    theirs = TheirEnvelope.from_dict(members)
    public = key.public.raw.hex()
    their_key = SSlibKey(key.key_id, "ed25519", "ed25519", {"public": public})
    assert list(theirs.verify([their_key], 1)) == [key.key_id]


def test_signature_made_for_nobody_in_particular_is_not_tried() -> None:
    envelope = Envelope(PAYLOAD_TYPE, b"{}", (Signature("somebody", bytes(64)),))
    assert envelope.keyids == ("somebody",)
