# SPDX-License-Identifier: Apache-2.0
"""Weak keys, other algorithms and second signatures are refused."""

import base64

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa, x25519

from app.core.digest import sha256_hex
from app.core.errors import MalformedDocument, Unprocessable
from app.core.signing.keys import (
    P256_ORDER,
    KeyAlgorithm,
    SigningKey,
    ed25519_public_key,
    ed25519_signing_key,
    p256_signing_key,
    parse_public_key,
    parse_signing_key,
    public_key_from_der,
    refuse_weak,
)

ED = ed25519_signing_key(bytes([1]) * 32)
EC = p256_signing_key(bytes([2]) * 32)
BOTH = pytest.mark.parametrize("key", [ED, EC], ids=["ed25519", "p256"])


def private_pem(
    key: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey,
    form: serialization.PrivateFormat,
    *,
    password: bytes | None = None,
) -> bytes:
    lock: serialization.KeySerializationEncryption = (
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password)
    )
    return key.private_bytes(serialization.Encoding.PEM, form, lock)


def spki_pem(key: ec.EllipticCurvePublicKey | rsa.RSAPublicKey | x25519.X25519PublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


RSA_KEY = rsa.RSAPublicNumbers(65537, 2**2048 - 1).public_key()
# A FIDO key: cryptography reads the Ed25519 key inside, whose signatures are over other bytes.
SECURITY_KEY = b"sk-ssh-ed25519@openssh.com " + base64.b64encode(
    b"".join(
        len(part).to_bytes(4, "big") + part
        for part in (b"sk-ssh-ed25519@openssh.com", ED.public.raw, b"ssh:")
    )
)
P384_KEY = ec.derive_private_key(7, ec.SECP384R1())


@BOTH
def test_key_comes_back_from_every_text(key: SigningKey) -> None:
    public = key.public
    for text in (public.to_pem(), public.to_openssh(), public.to_openssh() + " me@example\n"):
        assert parse_public_key(text) == public
        assert parse_public_key(text.encode()) == public
    assert public_key_from_der(public.der) == public
    assert parse_signing_key(key.to_pem().encode()) == key


@BOTH
def test_key_id_is_the_digest_of_the_der_form(key: SigningKey) -> None:
    body = "".join(key.public.to_pem().splitlines()[1:-1])
    assert key.key_id == sha256_hex(base64.b64decode(body))


def test_compressed_point_has_the_same_key_id() -> None:
    point = ec.derive_private_key(5, ec.SECP256R1()).public_key()
    compressed = bytes.fromhex("3039301306072a8648ce3d020106082a8648ce3d030107032200")
    compressed += point.public_bytes(
        serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint
    )
    key = public_key_from_der(compressed)
    assert key == parse_public_key(spki_pem(point))
    assert key.der != compressed
    assert len(key.raw) == 65


@BOTH
def test_signature_fits_its_message_and_key_only(key: SigningKey) -> None:
    signature = key.sign(b"message")
    other = ED if key is EC else EC
    assert key.public.verify(signature, b"message")
    assert not key.public.verify(signature, b"another message")
    assert not other.public.verify(signature, b"message")
    assert not key.public.verify(b"", b"message")
    assert not key.public.verify(signature + b"\0", b"message")
    assert not key.public.verify(signature[:-1], b"message")


@BOTH
def test_signing_draws_no_random_number(key: SigningKey) -> None:
    assert key.sign(b"message") == key.sign(b"message")


@BOTH
def test_secret_shows_nowhere(key: SigningKey) -> None:
    assert key.seed.hex() not in repr(key)
    assert "PrivateKey" not in repr(key)


def test_seed_gives_the_key_again() -> None:
    assert ed25519_signing_key(ED.seed) == ED
    assert EC.seed == bytes([2]) * 31 + bytes([3])


@pytest.mark.parametrize("edge", [0, P256_ORDER - 1, P256_ORDER, 2**256 - 1])
def test_every_seed_gives_a_p256_key(edge: int) -> None:
    assert p256_signing_key(edge.to_bytes(32, "big")).public.algorithm is KeyAlgorithm.ECDSA_P256


@pytest.mark.parametrize(
    ("private", "form"),
    [
        (ed25519.Ed25519PrivateKey.from_private_bytes(ED.seed), serialization.PrivateFormat.PKCS8),
        (
            ed25519.Ed25519PrivateKey.from_private_bytes(ED.seed),
            serialization.PrivateFormat.OpenSSH,
        ),
        (ec.derive_private_key(9, ec.SECP256R1()), serialization.PrivateFormat.PKCS8),
        (ec.derive_private_key(9, ec.SECP256R1()), serialization.PrivateFormat.OpenSSH),
        (
            ec.derive_private_key(9, ec.SECP256R1()),
            serialization.PrivateFormat.TraditionalOpenSSL,
        ),
    ],
)
def test_private_key_is_read_from_every_form(
    private: ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey,
    form: serialization.PrivateFormat,
) -> None:
    key = parse_signing_key(private_pem(private, form))
    assert key.public.verify(key.sign(b"m"), b"m")


def test_locked_private_key_needs_its_password() -> None:
    private = ed25519.Ed25519PrivateKey.from_private_bytes(ED.seed)
    data = private_pem(private, serialization.PrivateFormat.PKCS8, password=b"open")
    assert parse_signing_key(data, password=b"open") == ED
    for password in (None, b"wrong"):
        with pytest.raises(MalformedDocument) as caught:
            parse_signing_key(data, password=password)
        assert caught.value.code == "malformed-key"


@pytest.mark.parametrize("data", [b"", b"not a key", b"-----BEGIN OPENSSH PRIVATE KEY-----\nAA"])
def test_text_that_is_no_private_key_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_signing_key(data)
    assert caught.value.code == "malformed-key"


def test_private_key_of_another_curve_is_refused() -> None:
    with pytest.raises(Unprocessable) as caught:
        parse_signing_key(private_pem(P384_KEY, serialization.PrivateFormat.PKCS8))
    assert caught.value.code == "unsupported-key"


def test_private_key_of_an_unknown_kind_is_refused() -> None:
    data = x25519.X25519PrivateKey.from_private_bytes(bytes([3]) * 32).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with pytest.raises(Unprocessable) as caught:
        parse_signing_key(data)
    assert caught.value.code == "unsupported-key"


def test_private_key_of_an_unknown_identifier_is_refused() -> None:
    der = bytes.fromhex("302e020100300506032b657304220420") + bytes(32)
    pem = b"-----BEGIN PRIVATE KEY-----\n%b\n-----END PRIVATE KEY-----\n" % base64.b64encode(der)
    with pytest.raises(Unprocessable) as caught:
        parse_signing_key(pem)
    assert caught.value.code == "unsupported-key"


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"ssh-ed25519",
        b"ssh-ed25519 AAAA",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
        ED.to_pem().encode(),
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ED.public.to_pem().encode() * 50,
        ED.public.to_openssh().encode() + b"\n" + EC.public.to_openssh().encode(),
        ED.public.to_pem().encode() + EC.public.to_pem().encode(),
        b"\xff" * 40,
    ],
)
def test_text_that_is_no_single_public_key_is_refused(text: bytes) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_public_key(text)
    assert caught.value.code == "malformed-key"


def test_point_off_the_curve_is_no_key() -> None:
    with pytest.raises(MalformedDocument) as caught:
        public_key_from_der(EC.public.der[:-1] + bytes([EC.public.der[-1] ^ 1]))
    assert caught.value.code == "malformed-key"


@pytest.mark.parametrize(
    "text",
    [
        spki_pem(RSA_KEY),
        spki_pem(P384_KEY.public_key()),
        spki_pem(ec.derive_private_key(7, ec.SECP256K1()).public_key()),
        spki_pem(x25519.X25519PrivateKey.from_private_bytes(bytes([3]) * 32).public_key()),
        P384_KEY.public_key().public_bytes(
            serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        ),
        SECURITY_KEY,
    ],
    ids=["rsa", "p384", "secp256k1", "x25519", "openssh-p384", "openssh-security-key"],
)
def test_s06_key_of_another_algorithm_is_refused(text: bytes) -> None:
    with pytest.raises(Unprocessable) as caught:
        parse_public_key(text)
    assert caught.value.code == "unsupported-key"


def test_der_of_another_algorithm_is_refused() -> None:
    der = RSA_KEY.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    with pytest.raises(Unprocessable):
        public_key_from_der(der)
    unknown = bytes.fromhex("300c300506032b6573030300aabb")  # an identifier nobody knows
    with pytest.raises(Unprocessable):
        public_key_from_der(unknown)


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_ed25519_bytes_of_another_length_are_refused(seed: bytes) -> None:
    for make in (ed25519_signing_key, ed25519_public_key):
        with pytest.raises(MalformedDocument):
            make(seed)


@BOTH
def test_sound_key_may_be_registered(key: SigningKey) -> None:
    refuse_weak(key.public)
