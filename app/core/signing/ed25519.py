# SPDX-License-Identifier: Apache-2.0
"""Which Ed25519 public keys and signatures are refused before any library is asked.

Libraries disagree on the edges (Chalkias et al., "Taming the many EdDSAs"): a public key of small
order verifies one signature for every message, and points with two encodings make two keys out of
one. RFC 8032 section 5.1.3 decodes a point; the rules here are stricter, are checked in plain
integers, and so do not move when a library is upgraded:

1. y < p, for the public key A and for R: no second encoding of a point.
2. neither A nor R is one of the 8 points of small order, in any of their 8 + 6 encodings.
3. S < L (RFC 8032, 5.1.7): S + L would be a second signature.
4. at registration only: A is on the curve and in the subgroup of order L. A key with a small-order
   component is never made by an honest generator, and is where verifiers with and without the
   cofactor differ. The check costs milliseconds, so it is not repeated for every signature.

The equation itself, without the cofactor, is the library's: it recomputes R and compares its bytes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

KEY_BYTES = 32
SIGNATURE_BYTES = 64

P = 2**255 - 19
"""The field prime (RFC 8032, 5.1)."""

L = 2**252 + 27742317777372353535851937790883648493
"""Order of the prime subgroup."""

_D = -121665 * pow(121666, -1, P) % P
_SQRT_MINUS_1 = pow(2, (P - 1) // 4, P)
_SIGN = 1 << 255

# The four points of order 8 have this y or its negative; the other small orders have 0, 1 and -1.
_Y_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7

LOW_ORDER_ENCODINGS = frozenset(
    (y | sign).to_bytes(KEY_BYTES, "little")
    for y in (0, 1, P - 1, _Y_ORDER_8, P - _Y_ORDER_8, P, P + 1)
    for sign in (0, _SIGN)
)
"""All encodings of the 8 points of small order: 8 canonical, 6 with y >= p or a sign on x = 0."""

_Point: TypeAlias = tuple[int, int, int, int]  # extended coordinates X, Y, Z, T with XY = ZT
_IDENTITY: _Point = (0, 1, 1, 0)


def is_strict_point(encoding: bytes) -> bool:
    """Tell whether 32 bytes obey rules 1 and 2; whether they are on the curve is not asked."""
    y = int.from_bytes(encoding, "little") & (_SIGN - 1)
    return len(encoding) == KEY_BYTES and y < P and encoding not in LOW_ORDER_ENCODINGS


def is_strict_signature(signature: bytes) -> bool:
    """Tell whether a signature has the right length and obeys rules 1 to 3."""
    if len(signature) != SIGNATURE_BYTES:
        return False
    s = int.from_bytes(signature[KEY_BYTES:], "little")
    return s < L and is_strict_point(signature[:KEY_BYTES])


@lru_cache(maxsize=256)
def is_sound_key(encoding: bytes) -> bool:
    """Tell whether a public key may be registered: rules 1, 2 and 4."""
    if not is_strict_point(encoding):
        return False
    point = _decompress(encoding)
    return point is not None and _is_identity(_multiply(point, L))


def _decompress(encoding: bytes) -> _Point | None:
    """Decode a point (RFC 8032, 5.1.3); None when no point of the curve has this y."""
    number = int.from_bytes(encoding, "little")
    sign, y = number >> 255, number & (_SIGN - 1)
    u, v = (y * y - 1) % P, (_D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P != 0:
        x = x * _SQRT_MINUS_1 % P
    if (v * x * x - u) % P != 0:
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def _add(one: _Point, other: _Point) -> _Point:
    """Add two points with the complete formula of RFC 8032, 5.1.4."""
    a = (one[1] - one[0]) * (other[1] - other[0])
    b = (one[1] + one[0]) * (other[1] + other[0])
    c = 2 * one[3] * other[3] * _D
    d = 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def _multiply(point: _Point, scalar: int) -> _Point:
    """Return scalar * point; public values only, so the time it takes tells nothing."""
    result = _IDENTITY
    for bit in f"{scalar:b}":
        result = _add(result, result)
        if bit == "1":
            result = _add(result, point)
    return result


def _is_identity(point: _Point) -> bool:
    x, y, z, _ = point
    return x % P == 0 and (y - z) % P == 0
