# SPDX-License-Identifier: Apache-2.0
"""The JCS bytes of a shape, straight from its typed form.

RFC 8785 orders members by UTF-16 code units and writes text with the fewest escapes. Every member
name of a shape is ASCII and no shape holds a float or an integer beyond 2^53-1, so that msgspec's
sorted encoding is the same bytes; a test holds it to ``app.core.canonical``.
"""

from __future__ import annotations

from typing import Final

import msgspec

from app.core.statement.header import Shape

_ENCODER: Final = msgspec.json.Encoder(order="sorted")


def encode(shape: Shape) -> bytes:
    """Return the JCS bytes of ``shape``."""
    return _ENCODER.encode(shape)
