# SPDX-License-Identifier: Apache-2.0
"""Digests, hex and base64 have one spelling."""

import pytest

from app.core.digest import (
    digest_bytes,
    from_base64,
    is_digest,
    salted_digest,
    sha256,
    sha256_hex,
    to_base64,
)
from app.core.errors import MalformedDocument, Unprocessable

SALT = bytes(range(16))


def test_digest_in_hex_and_bytes_is_the_same() -> None:
    assert digest_bytes(sha256_hex(b"a")) == sha256(b"a")


@pytest.mark.parametrize("text", ["", "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n", "\u0660" * 64])
def test_digest_in_another_spelling_is_refused(text: str) -> None:
    assert not is_digest(text)
    with pytest.raises(MalformedDocument) as caught:
        digest_bytes(text)
    assert caught.value.code == "digest"


def test_salted_digest_takes_bytes_as_they_are_and_values_in_jcs() -> None:
    assert salted_digest(SALT, b'{"a":1}') == sha256_hex(SALT + b'{"a":1}')
    assert salted_digest(SALT, {"a": 1}) == salted_digest(SALT, b'{"a":1}')
    assert salted_digest(SALT, "a") == salted_digest(SALT, b'"a"')


def test_short_salt_is_refused() -> None:
    with pytest.raises(Unprocessable) as caught:
        salted_digest(SALT[:15], "GPU-0")
    assert caught.value.code == "short-salt"


@pytest.mark.parametrize("data", [b"", b"h", b"hi", b"hi!", bytes(range(256))])
def test_base64_comes_back(data: bytes) -> None:
    assert from_base64(to_base64(data)) == data


@pytest.mark.parametrize(
    "text",
    [
        "aGl=",
        "aGk",
        "aGk==",
        "aGk=\n",
        " aGk=",
        "aG k=",
        "-_-_",
        "aGk=aGk=",
        "=",
        "a",
        "\u00e9",
        "aQ=",
    ],
)
def test_s03_base64_in_another_spelling_is_refused(text: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        from_base64(text)
    assert caught.value.code == "base64"
