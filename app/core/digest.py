# SPDX-License-Identifier: Apache-2.0
"""SHA-256 of documents, and the one way bytes are written as text (hex, base64).

The identity of a document is the plain SHA-256 of its bytes; only the tree and the challenge add
prefixes, in ``app.core.log``. Hex is lower case and 64 characters long. Base64 is RFC 4648 section
4: the standard alphabet, padded, and with zero padding bits (section 3.5), since ``aGk=`` and
``aGl=`` otherwise name the same bytes and an envelope would have several spellings.
"""

from __future__ import annotations

import binascii
import hashlib
import re

import pybase64

from app.core.canonical import canonical
from app.core.errors import MalformedDocument, Unprocessable

DIGEST_BYTES = 32
"""Length of a SHA-256 digest."""

MIN_SALT_BYTES = 16
"""Shortest salt that keeps a guessable value (a GPU uuid, a setting) from being found by trial."""

_HEX_DIGEST = re.compile(r"[0-9a-f]{64}")


def sha256(data: bytes) -> bytes:
    """Return the SHA-256 digest of ``data``."""
    return hashlib.sha256(data).digest()


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 digest of ``data`` as 64 lower-case hex characters."""
    return hashlib.sha256(data).hexdigest()


def is_digest(text: str) -> bool:
    """Tell whether ``text`` is a digest in the one spelling used here."""
    return _HEX_DIGEST.fullmatch(text) is not None


def digest_bytes(text: str) -> bytes:
    """Return the 32 bytes of a hex digest.

    Raises:
        MalformedDocument: ``digest``, not 64 lower-case hex characters.
    """
    if not is_digest(text):
        message = "Expected a SHA-256 digest: 64 lower-case hex characters."
        raise MalformedDocument(message, code="digest")
    return bytes.fromhex(text)


def salted_digest(salt: bytes, value: object) -> str:
    """Return SHA-256(salt || value) in hex, for what may be compared but not published.

    Bytes are taken as they are; anything else is taken in its JCS form. One salt serves one study,
    so that equal settings of two ranks show as equal and nothing can be matched across studies.

    Raises:
        Unprocessable: ``short-salt``, fewer than 16 bytes of salt.
        NotCanonical: ``value`` has no JCS form.
    """
    if len(salt) < MIN_SALT_BYTES:
        message = (
            f"A salt has at least {MIN_SALT_BYTES} bytes; anyone could try every value otherwise."
        )
        raise Unprocessable(message, code="short-salt")
    return sha256_hex(salt + (value if isinstance(value, bytes) else canonical(value)))


def to_base64(data: bytes) -> str:
    """Return ``data`` in standard, padded base64."""
    return pybase64.b64encode_as_string(data)


def from_base64(text: str) -> bytes:
    """Return the bytes of ``text``, which must be exactly what ``to_base64`` gives for them.

    Raises:
        MalformedDocument: ``base64``: another alphabet, missing padding, white space or padding
            bits that are not zero.
    """
    try:
        data = pybase64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _not_base64() from error
    # Padding bits are all that is taken in two spellings: they stand in the last group.
    whole = len(data) // 3
    if to_base64(data[whole * 3 :]) != text[whole * 4 :]:
        raise _not_base64()
    return data


def _not_base64() -> MalformedDocument:
    message = "Expected standard base64 (A-Z a-z 0-9 + /) with padding and zero padding bits."
    return MalformedDocument(message, code="base64")
