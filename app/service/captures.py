# SPDX-License-Identifier: Apache-2.0
"""Captures on their way in and out: inflated within bounds, kept in our own compression, checked.

What a sender compressed is never stored: a zstd stream has room beside its content (skippable
frames, a second frame) that no reader of the content would ever see, the sanitizer included.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping
from typing import Final

import zstandard

from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken, MalformedDocument, TooLarge
from app.core.statement.capture import Capture
from app.core.statement.parse import parse_capture
from app.service.ports import BlobReads, BlobRow
from app.service.remembered import Remembered

MAX_CAPTURE_BYTES: Final = 64 * 1024 * 1024
"""Largest capture, inflated."""

INLINE_BYTES: Final = 32 * 1024
"""Compressed captures up to this go in with their batch, larger ones ahead of it."""

_LEVEL: Final = 1
"""What fills a capture is mostly numbers; higher levels cost five times as much for nothing."""
_REMEMBERED_BYTES: Final = 32 * 1024 * 1024


class _Contexts(threading.local):
    """One thread's own: a context takes as long to make as a small capture takes to inflate."""

    def __init__(self) -> None:
        self.inflater = zstandard.ZstdDecompressor(max_window_size=MAX_CAPTURE_BYTES)
        self.deflater = zstandard.ZstdCompressor(level=_LEVEL)


_CONTEXTS: Final = _Contexts()


def inflate(data: bytes, *, size: int) -> bytes:
    """Return what one zstd frame holds, which may be ``size`` bytes at most.

    What the frame says of itself is looked at before anything is made room for.

    Raises:
        MalformedDocument: ``zstd``: no frame, or something behind it.
        TooLarge: ``capture-size``: it holds more than was signed for.
    """
    limit = min(size, MAX_CAPTURE_BYTES)
    try:
        declared = zstandard.get_frame_parameters(data).content_size
        if limit < declared < zstandard.CONTENTSIZE_UNKNOWN:
            message = "The capture is larger than the receipt says; sign its true size."
            raise TooLarge(message, code="capture-size")
        return _CONTEXTS.inflater.decompress(data, max_output_size=limit, allow_extra_data=False)
    except zstandard.ZstdError as error:
        message = (
            "Expected the capture as one zstd frame, nothing before or behind it, "
            "that holds as many bytes as the receipt says."
        )
        raise MalformedDocument(message, code="zstd", pointer="/capture") from error


def deflate(data: bytes) -> bytes:
    """Return ``data`` as one zstd frame of our own."""
    return _CONTEXTS.deflater.compress(data)


def open_blob(blob: BlobRow) -> bytes:
    """Return a stored capture's JCS bytes.

    Raises:
        IntegrityBroken: ``capture-damaged``, they are not the bytes of that digest.
    """
    try:
        data = inflate(blob.zstd, size=blob.size)
    except (MalformedDocument, TooLarge) as error:
        raise _damaged() from error
    if sha256_hex(data) != blob.sha256:
        raise _damaged()
    return data


class CaptureReader:
    """Reads captures by digest and remembers the newest few, parsed."""

    def __init__(self, store: BlobReads, *, parsed: Remembered[str, Capture] | None = None) -> None:
        """Read from ``store``; remember in ``parsed``, whose sizes are those of the JSON."""
        self._store = store
        self._parsed = Remembered(_REMEMBERED_BYTES) if parsed is None else parsed

    def through(self, store: BlobReads) -> CaptureReader:
        """Return a reader with the same memory that reads from ``store``."""
        return CaptureReader(store, parsed=self._parsed)

    async def captures(self, digests: Collection[str]) -> Mapping[str, Capture]:
        """Return all of ``digests``, each checked against its digest.

        Raises:
            IntegrityBroken: ``capture-missing`` or ``capture-damaged``.
        """
        known = {digest: self._parsed.get(digest) for digest in digests}
        found = {digest: capture for digest, capture in known.items() if capture is not None}
        wanted = known.keys() - found.keys()
        for digest, blob in (await self.stored(wanted)).items():
            found[digest] = parse_capture(open_blob(blob))
            self._parsed.keep(digest, found[digest], size=blob.size)
        return found

    def keep(self, digest: str, capture: Capture, *, size: int) -> None:
        """Remember a capture that was just stored: its study will soon be judged by it."""
        self._parsed.keep(digest, capture, size=size)

    async def stored(self, digests: Collection[str]) -> Mapping[str, BlobRow]:
        """Return all of ``digests`` as they are stored.

        Raises:
            IntegrityBroken: ``capture-missing``.
        """
        blobs = await self._store.blobs(digests) if digests else {}
        if len(blobs) != len(set(digests)):
            message = "A receipt names a capture that is not in the store."
            raise IntegrityBroken(message, code="capture-missing")
        return blobs


def _damaged() -> IntegrityBroken:
    message = "A stored capture is not the bytes that its receipt was signed over."
    return IntegrityBroken(message, code="capture-damaged")
