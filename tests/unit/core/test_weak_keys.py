# SPDX-License-Identifier: Apache-2.0
"""Which keys and signatures verify nothing: small orders, second encodings, other numbers."""

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)

from app.core.errors import Unprocessable
from app.core.signing.ed25519 import (
    LOW_ORDER_ENCODINGS,
    L,
    P,
    _decompress,
    _is_identity,
    _multiply,
    is_sound_key,
    is_strict_point,
    is_strict_signature,
)
from app.core.signing.keys import (
    P256_ORDER,
    PublicKey,
    ed25519_public_key,
    ed25519_signing_key,
    p256_signing_key,
    refuse_weak,
)

ED = ed25519_signing_key(bytes([1]) * 32)
EC = p256_signing_key(bytes([2]) * 32)


def weak(encoding: bytes) -> PublicKey:
    key = ed25519_public_key(encoding)
    with pytest.raises(Unprocessable) as caught:
        refuse_weak(key)
    assert caught.value.code == "weak-key"
    return key


@pytest.mark.parametrize("encoding", sorted(LOW_ORDER_ENCODINGS), ids=bytes.hex)
def test_s04_each_of_the_8_and_6_low_order_keys_is_weak_and_verifies_nothing(
    encoding: bytes,
) -> None:
    key = weak(encoding)
    # R = A's inverse or the identity with S = 0 is the signature that fits every message.
    for r in LOW_ORDER_ENCODINGS:
        assert not key.verify(r + bytes(32), b"any message")


def test_low_order_encodings_are_8_canonical_and_6_others() -> None:
    mask = (1 << 255) - 1
    numbers = [int.from_bytes(encoding, "little") for encoding in LOW_ORDER_ENCODINGS]
    assert len(numbers) == 14
    for number in numbers:
        point = _decompress((number & mask).to_bytes(32, "little"))
        assert point is not None
        assert _is_identity(_multiply(point, 8))
    canonical_y = [n for n in numbers if n & mask < P]
    signed_zero = [n for n in canonical_y if n >> 255 and n & mask in {1, P - 1}]
    assert len(canonical_y) - len(signed_zero) == 8


@pytest.mark.parametrize("y", range(P, 2**255))
def test_s04_second_encoding_of_a_point_is_weak(y: int) -> None:
    for sign in (0, 1 << 255):
        weak((y | sign).to_bytes(32, "little"))


def test_s04_key_off_the_curve_is_weak() -> None:
    weak((2).to_bytes(32, "little"))


def test_s04_key_with_a_small_order_component_is_weak() -> None:
    # y = 3 and y = 4 have points on the curve; most such points are outside the prime subgroup.
    weak((3).to_bytes(32, "little"))
    weak((3 | 1 << 255).to_bytes(32, "little"))


@pytest.mark.parametrize("length", [0, 31, 33])
def test_point_of_another_length_is_not_strict(length: int) -> None:
    assert not is_strict_point(bytes(length))
    assert not is_sound_key(bytes(length))


def test_s05_signature_plus_the_group_order_is_refused() -> None:
    signature = ED.sign(b"m")
    s = int.from_bytes(signature[32:], "little")
    second = signature[:32] + (s + L).to_bytes(32, "little")
    assert is_strict_signature(signature)
    assert not is_strict_signature(second)
    assert not ED.public.verify(second, b"m")


def test_s05_s_at_the_group_order_is_refused_and_below_it_is_looked_at() -> None:
    r = ED.sign(b"m")[:32]
    assert not is_strict_signature(r + L.to_bytes(32, "little"))
    assert is_strict_signature(r + (L - 1).to_bytes(32, "little"))


def test_s05_small_order_or_second_encoding_of_r_is_refused() -> None:
    s = ED.sign(b"m")[32:]
    for r in (*LOW_ORDER_ENCODINGS, (P + 3).to_bytes(32, "little")):
        assert not is_strict_signature(r + s)


def test_ecdsa_signature_with_the_other_s_is_the_same_signer() -> None:
    r, s = decode_dss_signature(EC.sign(b"m"))
    assert EC.public.verify(encode_dss_signature(r, P256_ORDER - s), b"m")


@pytest.mark.parametrize(
    ("r", "s"), [(0, 1), (1, 0), (P256_ORDER, 1), (1, P256_ORDER), (P256_ORDER - 1, P256_ORDER - 1)]
)
def test_ecdsa_number_out_of_range_is_refused(r: int, s: int) -> None:
    assert not EC.public.verify(encode_dss_signature(r, s), b"m")


def test_ecdsa_signature_in_another_encoding_is_refused() -> None:
    signature = EC.sign(b"m")
    r, s = decode_dss_signature(signature)
    raw = r.to_bytes(32, "big") + s.to_bytes(32, "big")
    long_length = b"\x30\x81" + signature[1:]
    negative = b"\x30\x06\x02\x01\xff\x02\x01\x01"
    for other in (raw, long_length, negative, signature + b"\0"):
        assert not EC.public.verify(other, b"m")


def test_openssl_verifies_what_we_sign(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"message")
    for key in (ED, EC):
        (tmp_path / "key").write_text(key.public.to_pem())
        (tmp_path / "sig").write_bytes(key.sign(b"message"))
        digest = ["-digest", "sha256"] if key is EC else []
        subprocess.run(
            [
                *("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key", "-rawin"),
                *(*digest, "-in", "m", "-sigfile", "sig"),
            ],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
