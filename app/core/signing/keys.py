# SPDX-License-Identifier: Apache-2.0
"""Public and private keys: Ed25519 (RFC 8032) and ECDSA P-256 with SHA-256 (FIPS 186-5), no other.

A key is what its DER SubjectPublicKeyInfo (RFC 5280, 4.1) says; its id is the SHA-256 of those
bytes, whatever text it came in (PEM or one OpenSSH line). A P-256 point is re-encoded uncompressed
first, so that one key has one id. The algorithm comes from the key alone, never from a message.

An ECDSA signature is DER (SEC 1, C.5), minimal, with 1 <= r, s < n. Both s and n - s are taken:
OpenSSL makes either, and a second signature makes no second statement here, since a statement's
identity is the digest of its payload. Signing is deterministic for both algorithms (RFC 6979 for
ECDSA).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from app.core.digest import sha256_hex
from app.core.errors import MalformedDocument, Unprocessable
from app.core.signing.ed25519 import KEY_BYTES, is_sound_key, is_strict_point, is_strict_signature

P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Order n of the P-256 base point."""

MAX_KEY_TEXT_BYTES = 4096
"""Longest text that is read as a key."""

_PEM_BEGIN = b"-----BEGIN PUBLIC KEY-----"
_OPENSSH_LINE = re.compile(rb"(?P<type>(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+) [A-Za-z0-9+/=]+(?: .*)?")

# The library reads a FIDO key (sk-...) as the plain key inside it, whose signatures are over other
# bytes than the message; a certificate would bring rules of its own. Neither is taken.
_OPENSSH_TYPES = frozenset({b"ssh-ed25519", b"ecdsa-sha2-nistp256"})

_PublicHandle: TypeAlias = ed25519.Ed25519PublicKey | ec.EllipticCurvePublicKey
_PrivateHandle: TypeAlias = ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey


class KeyAlgorithm(StrEnum):
    """The two algorithms, by the name a key statement gives them."""

    ED25519 = "ed25519"
    ECDSA_P256 = "ecdsa-p256"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key that verifies; two are equal when their DER is.

    Attributes:
        algorithm: decided by the key's own DER.
        der: SubjectPublicKeyInfo.
        key_id: SHA-256 of ``der``, in hex.
    """

    algorithm: KeyAlgorithm
    der: bytes = field(repr=False)
    key_id: str
    _handle: _PublicHandle = field(repr=False, compare=False)
    _is_strict: bool = field(default=True, repr=False, compare=False)

    @property
    def raw(self) -> bytes:
        """The 32 bytes of an Ed25519 key (RFC 8032), or the 65 of an uncompressed P-256 point."""
        if isinstance(self._handle, ed25519.Ed25519PublicKey):
            return self._handle.public_bytes_raw()
        return self._handle.public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint
        )

    def to_pem(self) -> str:
        """Return the PEM text of the key, ending in a newline."""
        return self._handle.public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        ).decode("ascii")

    def to_openssh(self) -> str:
        """Return the one line of the key as OpenSSH writes it, without a comment."""
        return self._handle.public_bytes(
            serialization.Encoding.OpenSSH, serialization.PublicFormat.OpenSSH
        ).decode("ascii")

    def verify(self, signature: bytes, message: bytes) -> bool:
        """Tell whether ``signature`` over ``message`` is this key's, by the strict rules."""
        try:
            if isinstance(self._handle, ed25519.Ed25519PublicKey):
                if not (self._is_strict and is_strict_signature(signature)):
                    return False
                # libsodium takes half of OpenSSL's time; the cofactorless equation is the same.
                crypto_sign_open(signature + message, self.der[-KEY_BYTES:])
            else:
                r, s = decode_dss_signature(signature)
                in_range = 0 < r < P256_ORDER and 0 < s < P256_ORDER
                if not in_range or encode_dss_signature(r, s) != signature:
                    return False
                self._handle.verify(signature, message, ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, BadSignatureError, ValueError):
            return False
        return True


def parse_public_key(text: bytes | str) -> PublicKey:
    """Read a public key from PEM (``BEGIN PUBLIC KEY``) or from one OpenSSH line.

    Whether the key is weak is asked by ``refuse_weak``, at registration.

    Raises:
        MalformedDocument: ``malformed-key``, no key of either form.
        Unprocessable: ``unsupported-key``, a key of another algorithm or curve.
    """
    data = (text.encode() if isinstance(text, str) else text).strip()
    if len(data) > MAX_KEY_TEXT_BYTES:
        raise _malformed_key()
    if data.startswith(_PEM_BEGIN) and data.count(b"-----BEGIN ") == 1:
        return _read(serialization.load_pem_public_key, data)
    line = _OPENSSH_LINE.fullmatch(data)
    if line is None:
        raise _malformed_key()
    if line["type"] not in _OPENSSH_TYPES:
        raise _unsupported_key()
    return _read(serialization.load_ssh_public_key, data)


def public_key_from_der(der: bytes) -> PublicKey:
    """Read a public key from DER SubjectPublicKeyInfo.

    Raises:
        MalformedDocument: ``malformed-key``.
        Unprocessable: ``unsupported-key``.
    """
    return _read(serialization.load_der_public_key, der)


def ed25519_public_key(raw: bytes) -> PublicKey:
    """Wrap the 32 bytes of an Ed25519 key, sound or not.

    Raises:
        MalformedDocument: ``malformed-key``, not 32 bytes.
    """
    if len(raw) != KEY_BYTES:
        raise _malformed_key()
    return _public_key(ed25519.Ed25519PublicKey.from_public_bytes(raw))


def refuse_weak(key: PublicKey) -> None:
    """Refuse a key that could not be trusted to mean one signer.

    A P-256 key needs no further rule: reading it has put its point on the curve, whose order is
    prime.

    Raises:
        Unprocessable: ``weak-key``.
    """
    if key.algorithm is KeyAlgorithm.ED25519 and not is_sound_key(key.raw):
        message = (
            "This Ed25519 key is of small order, not canonical or outside the prime subgroup; "
            "make a new key."
        )
        raise Unprocessable(message, code="weak-key")


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that signs; its secret shows neither in ``repr`` nor in equality."""

    public: PublicKey
    _handle: _PrivateHandle = field(repr=False, compare=False)

    @property
    def key_id(self) -> str:
        """The id of the public half."""
        return self.public.key_id

    def sign(self, message: bytes) -> bytes:
        """Return the signature over ``message``: 64 bytes of Ed25519, or DER of ECDSA."""
        if isinstance(self._handle, ed25519.Ed25519PrivateKey):
            return self._handle.sign(message)
        return self._handle.sign(message, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))

    def to_pem(self) -> str:
        """Return the unencrypted PKCS #8 PEM text; whoever writes it guards the file."""
        return self._handle.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode("ascii")

    @property
    def seed(self) -> bytes:
        """The 32 secret bytes: an Ed25519 seed, or a P-256 scalar in big-endian order."""
        if isinstance(self._handle, ed25519.Ed25519PrivateKey):
            return self._handle.private_bytes_raw()
        return self._handle.private_numbers().private_value.to_bytes(KEY_BYTES, "big")


def parse_signing_key(data: bytes, *, password: bytes | None = None) -> SigningKey:
    """Read a private key from PEM (PKCS #8 or SEC 1) or from an OpenSSH private key file.

    Raises:
        MalformedDocument: ``malformed-key``, no private key, or the password does not open it.
        Unprocessable: ``unsupported-key``.
    """
    try:
        if b"-----BEGIN OPENSSH PRIVATE KEY-----" in data:
            loaded: object = serialization.load_ssh_private_key(data, password)
        else:
            loaded = serialization.load_pem_private_key(data, password)
    except UnsupportedAlgorithm as error:
        raise _unsupported_key() from error
    except (ValueError, TypeError) as error:
        message = "Expected a private key in PEM or OpenSSH form, and its password if it has one."
        raise MalformedDocument(message, code="malformed-key") from error
    return _signing_key(loaded)


def ed25519_signing_key(seed: bytes) -> SigningKey:
    """Make the Ed25519 key of a 32-byte seed (RFC 8032, 5.1.5).

    Raises:
        MalformedDocument: ``malformed-key``, not 32 bytes.
    """
    if len(seed) != KEY_BYTES:
        raise _malformed_key()
    return _signing_key(ed25519.Ed25519PrivateKey.from_private_bytes(seed))


def p256_signing_key(seed: bytes) -> SigningKey:
    """Make the P-256 key of a seed: its number modulo n - 1, plus 1 (FIPS 186-5, A.2.1)."""
    scalar = int.from_bytes(seed, "big") % (P256_ORDER - 1) + 1
    return _signing_key(ec.derive_private_key(scalar, ec.SECP256R1()))


def _read(load: Callable[[bytes], object], data: bytes) -> PublicKey:
    try:
        loaded = load(data)
    except UnsupportedAlgorithm as error:
        raise _unsupported_key() from error
    except (ValueError, TypeError) as error:
        raise _malformed_key() from error
    return _public_key(loaded)


def _public_key(loaded: object) -> PublicKey:
    match loaded:
        case ed25519.Ed25519PublicKey():
            algorithm = KeyAlgorithm.ED25519
        case ec.EllipticCurvePublicKey(curve=ec.SECP256R1()):
            algorithm = KeyAlgorithm.ECDSA_P256
        case _:
            raise _unsupported_key()
    der = loaded.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    is_strict = algorithm is not KeyAlgorithm.ED25519 or is_strict_point(der[-KEY_BYTES:])
    return PublicKey(algorithm, der, sha256_hex(der), loaded, is_strict)


def _signing_key(loaded: object) -> SigningKey:
    if not isinstance(loaded, ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey):
        raise _unsupported_key()
    return SigningKey(_public_key(loaded.public_key()), loaded)


def _malformed_key() -> MalformedDocument:
    message = "Expected a public key: PEM with BEGIN PUBLIC KEY, or one OpenSSH line."
    return MalformedDocument(message, code="malformed-key")


def _unsupported_key() -> Unprocessable:
    message = "Only Ed25519 and ECDSA P-256 keys are taken; make one with `fairtrial key new`."
    return Unprocessable(message, code="unsupported-key")
