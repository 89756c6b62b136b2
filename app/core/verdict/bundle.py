# SPDX-License-Identifier: Apache-2.0
"""From a bundle back to the verdicts, offline: the same fold that the ledger runs.

Every entry is admitted again before it is applied, and what the ledger itself has said is derived
again and compared (``bundle_replay``). An entry of an unknown kind stays in, and holds the word.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import zstandard

from app.core.admission.state import Standing
from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken
from app.core.identity import Sha256Hex
from app.core.statement.capture import Capture
from app.core.statement.parse import parse_capture
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.core.verdict.bundle_file import (
    Bundle,
    BundleEntry,
    bundle_entry,
    read_bundle,
    write_bundle,
)
from app.core.verdict.bundle_head import BundleHead, SignedHead, head_at, payload_of
from app.core.verdict.bundle_replay import replay
from app.core.verdict.fold import give_verdicts, verdict_bytes
from app.core.verdict.sealed import bundled_captures, sealed_of

__all__ = [
    "Bundle",
    "BundleEntry",
    "BundleHead",
    "SignedHead",
    "bundle_entry",
    "bundled_captures",
    "documents_of",
    "head_at",
    "make_bundle",
    "payload_of",
    "read_bundle",
    "replay",
    "score_bundle",
    "standing_of",
    "write_bundle",
]

MAX_WINDOW_BYTES: Final = 64 * 1024 * 1024
"""Most memory that a frame of zstd may ask for."""


def score_bundle(data: bytes) -> dict[str | None, bytes]:
    """Return the verdict document of every claim, to the byte as the ledger serves it.

    Raises:
        MalformedDocument: no bundle.
        IntegrityBroken: something is missing, does not belong, or does not follow; the codes are
            those of ``read_bundle`` and ``replay``, and ``capture-digest``.
        NotAuthenticated: a signature does not verify.
        NotAllowed: a key had no grant in force where it signed.
    """
    return documents_of(read_bundle(data))


def documents_of(bundle: Bundle) -> dict[str | None, bytes]:
    """Return the verdict documents of a bundle that is read, as ``score_bundle`` does."""
    captures = _captures_of(bundle)
    standing = replay(bundle, captures)
    documents = give_verdicts(
        standing, log_time_us=bundle.head.log_time_us, captures=captures.__getitem__
    )
    return {claim: verdict_bytes(document) for claim, document in documents.items()}


def standing_of(bundle: Bundle) -> Standing:
    """Return the three lines of a bundle that is read, each entry admitted again."""
    return replay(bundle, _captures_of(bundle))


def make_bundle(
    signed: SignedHead,
    entries: tuple[BundleEntry, ...],
    standing: Standing,
    zstd_of: Callable[[Sha256Hex], bytes],
) -> Bundle:
    """Return the bundle of ``standing``.

    Args:
        signed: what it is of.
        entries: of the three lines, by index.
        standing: those entries, applied.
        zstd_of: gives the captures that ``bundled_captures`` names.
    """
    log_time_us = signed.head.log_time_us
    digests = bundled_captures(standing, log_time_us)
    return Bundle(
        signed,
        entries,
        sealed=sealed_of(standing, log_time_us),
        captures={digest: zstd_of(digest) for digest in digests},
    )


def _captures_of(bundle: Bundle) -> dict[Sha256Hex, Capture]:
    """Inflate and read every capture; the receipts say how long each one is."""
    predicates = [one.entry.parsed.predicate for one in bundle.entries if one.entry.parsed]
    refs = {p.capture.sha256: p.capture for p in predicates if isinstance(p, ReceiptPredicate)}
    found = {}
    for sha256, zstd in bundle.captures.items():
        if sha256 not in refs:
            raise _capture_error("no receipt of this bundle names it")
        found[sha256] = parse_capture(_inflate(zstd, refs[sha256]))
    return found


def _inflate(zstd: bytes, ref: CaptureRef) -> bytes:
    """Return the capture's bytes: of one frame, and no more than the receipt's signature covers."""
    try:
        declared = zstandard.get_frame_parameters(zstd).content_size
        if ref.size < declared < zstandard.CONTENTSIZE_UNKNOWN:
            raise _capture_error("it is larger than the receipt says")
        data = zstandard.ZstdDecompressor(max_window_size=MAX_WINDOW_BYTES).decompress(
            zstd, max_output_size=ref.size, allow_extra_data=False
        )
    except zstandard.ZstdError as error:
        raise _capture_error("it is not one frame of zstd") from error
    if len(data) != ref.size or sha256_hex(data) != ref.sha256:
        raise _capture_error("its bytes are not those the receipt names")
    return data


def _capture_error(what: str) -> IntegrityBroken:
    message = f"A capture of this bundle cannot be used: {what}."
    return IntegrityBroken(message, code="capture-digest")
