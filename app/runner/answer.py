# SPDX-License-Identifier: Apache-2.0
"""One answer of a service, read no further and waited for no longer than it is worth.

A body may be packed a thousandfold, or never end: so it is read in pieces, and counted unpacked.
"""

from __future__ import annotations

import time
from typing import Final

import httpx

TIMEOUT_S: Final = 60.0
"""How long nothing at all may come."""
MOST_BYTES: Final = 1 << 30
"""No answer is read further than this, or than its reader says."""
SLOWEST_BYTES_PER_S: Final = 1_000
"""An answer that comes more slowly than this, once it took ``TIMEOUT_S``, is none."""
_OF_TRANSFER: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""What a header says of the bytes on the way and not of those that were read."""


def read_answer(client: httpx.Client, request: httpx.Request, at_most: int) -> httpx.Response:
    """Send a request, and return the answer, its body cut after ``at_most`` bytes and one more.

    Raises:
        RequestError: there is none, or it comes so slowly that it would never end.
    """
    answer = client.send(request, stream=True)
    try:
        body = _body(answer, at_most)
    finally:
        answer.close()
    return httpx.Response(
        answer.status_code,
        headers=[pair for pair in answer.headers.multi_items() if pair[0] not in _OF_TRANSFER],
        content=body,
        request=answer.request,
    )


def _body(answer: httpx.Response, at_most: int) -> bytes:
    begun, parts, size = time.monotonic(), [], 0
    for part in answer.iter_bytes():
        parts.append(part)
        size += len(part)
        if size > at_most:
            break
        if time.monotonic() - begun > TIMEOUT_S + size / SLOWEST_BYTES_PER_S:
            message = "the answer comes too slowly"
            raise httpx.ReadTimeout(message, request=answer.request)
    return b"".join(parts)[: at_most + 1]
