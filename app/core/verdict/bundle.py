# SPDX-License-Identifier: Apache-2.0
"""From a bundle back to the verdicts, offline: the same fold that the ledger runs.

Every entry is held against its signature and its line before it is applied, and every verdict that
the ledger appended against the number of entries it says it read: an entry that is missing at the
end of a line shows there. An entry of an unknown kind stays in, and holds the word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

import zstandard

from app.core.admission.apply import apply
from app.core.admission.line import line_of
from app.core.admission.state import Standing, empty_standing
from app.core.digest import sha256_hex
from app.core.errors import IntegrityBroken, NotAllowed, NotAuthenticated
from app.core.identity import Sha256Hex
from app.core.log.leaf import ledger_line
from app.core.signing.envelope import verify_signature
from app.core.statement.capture import StreamsCapture
from app.core.statement.entry import Entry
from app.core.statement.parse import parse_capture
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.core.statement.study import StudyPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle_file import (
    Bundle,
    BundleEntry,
    BundleHead,
    bundle_entry,
    missing_entry,
    read_bundle,
    write_bundle,
)
from app.core.verdict.fold import give_verdicts, head_of, verdict_bytes
from app.core.verdict.sealed import bundled_captures, sealed_of, studies_of, with_sealed

__all__ = [
    "Bundle",
    "BundleEntry",
    "BundleHead",
    "bundle_entry",
    "bundled_captures",
    "make_bundle",
    "read_bundle",
    "replay",
    "score_bundle",
    "write_bundle",
]

GENESIS: Final = "genesis"


def score_bundle(data: bytes) -> dict[str | None, bytes]:
    """Return the verdict document of every claim, to the byte as the ledger serves it.

    Raises:
        MalformedDocument: no bundle.
        IntegrityBroken: ``line-incomplete`` names the line and the seq that is not there;
            ``line-foreign``, ``entry``, ``bundle-origin``, ``bundle-log-time``,
            ``bundle-closure``, ``capture-missing``, ``capture-digest``.
        NotAuthenticated: a signature does not verify.
        NotAllowed: a key had no grant in force where it signed.
    """
    bundle = read_bundle(data)
    captures = _captures_of(bundle)
    standing = replay(bundle, captures)

    def capture_of(sha256: Sha256Hex) -> StreamsCapture:
        return captures[sha256]

    documents = give_verdicts(standing, log_time_us=bundle.head.log_time_us, captures=capture_of)
    return {claim: verdict_bytes(document) for claim, document in documents.items()}


def make_bundle(
    head: BundleHead,
    entries: tuple[BundleEntry, ...],
    standing: Standing,
    zstd_of: Callable[[Sha256Hex], bytes],
) -> Bundle:
    """Return the bundle of ``standing``.

    Args:
        head: what it is of.
        entries: of the three lines, by index.
        standing: those entries, applied.
        zstd_of: gives the captures that ``bundled_captures`` names.
    """
    digests = bundled_captures(standing, head.log_time_us)
    return Bundle(
        head,
        entries,
        sealed=sealed_of(standing, head.log_time_us),
        captures={digest: zstd_of(digest) for digest in digests},
    )


def replay(bundle: Bundle, captures: Mapping[Sha256Hex, StreamsCapture]) -> Standing:
    """Return the standing after every entry, each checked before it is applied."""
    _refuse_short_lines(bundle)
    standing = empty_standing(bundle.head.repository, bundle.head.head)
    for one in bundle.entries:
        entry = one.entry
        _refuse_other_line(entry)
        after = apply(standing, entry, _capture_for(entry, captures))
        _refuse_signature(one, after if entry.leaf.kind == GENESIS else standing)
        _refuse_unread_study(entry, after, bundle.head)
        standing = after
    _refuse_head(bundle.head, standing)
    head = with_sealed(head_of(standing), bundle.sealed, captures)
    standing = replace(standing, head=head)
    _refuse_unproven(standing, bundle.head.log_time_us, captures)
    return standing


def _captures_of(bundle: Bundle) -> dict[Sha256Hex, StreamsCapture]:
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
    """Return the capture's bytes, reading no more of them than the receipt's signature covers."""
    try:
        with zstandard.ZstdDecompressor().stream_reader(zstd) as reader:
            data = reader.read(ref.size + 1)
    except zstandard.ZstdError as error:
        raise _capture_error("it is not zstd") from error
    if len(data) != ref.size or sha256_hex(data) != ref.sha256:
        raise _capture_error("its bytes are not those the receipt names")
    return data


def _capture_for(
    entry: Entry, captures: Mapping[Sha256Hex, StreamsCapture]
) -> StreamsCapture | None:
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if isinstance(predicate, ReceiptPredicate):
        return captures.get(predicate.capture.sha256)
    return None


def _refuse_other_line(entry: Entry) -> None:
    if entry.parsed is not None and line_of(entry.parsed) != entry.leaf.line:
        message = f"The statement at index {entry.index} belongs on another line than its leaf's."
        raise IntegrityBroken(message, code="line-foreign")


def _refuse_signature(one: BundleEntry, standing: Standing) -> None:
    """Verify the signature of the key that the leaf names, and that its grant held there.

    No statement enters a ledger before its key, so a key that is not known was left out. Behind an
    entry of the ledger's line that this reader does not know, a key may have been granted in a way
    it does not know either; the word is HOLD then, whatever the key.
    """
    keyring, leaf, index = standing.ledger.keyring, one.entry.leaf, one.entry.index
    try:
        key = keyring.key(leaf.key)
    except NotAuthenticated:
        if standing.ledger.unknown:
            return
        raise missing_entry(ledger_line(), standing.ledger.length) from None
    verify_signature(one.envelope, leaf.key, key)
    grant = keyring.grants.get(leaf.key)
    if grant is not None and leaf.kind != GENESIS and not grant.holds_at(index):
        message = f"The key that signed the entry at index {index} had no grant in force there."
        raise NotAllowed(message, code="key-ended")


def _refuse_short_lines(bundle: Bundle) -> None:
    """Hold what each verdict of the ledger says it read against the entries before it."""
    lines = bundle.head.lines
    found = Counter[str]()
    for one in bundle.entries:
        parsed = one.entry.parsed
        if parsed is not None and isinstance(parsed.predicate, VerdictPredicate):
            said = parsed.predicate.document.as_of
            for line, read in zip(lines, (said.ledger, said.repository, said.head), strict=True):
                if read != found[line]:
                    raise missing_entry(line, min(read, found[line]))
        found[one.entry.leaf.line] += 1


def _refuse_unread_study(entry: Entry, standing: Standing, head: BundleHead) -> None:
    """Refuse a study whose lock is not on the repository's line."""
    parsed = entry.parsed
    opens = parsed is not None and isinstance(parsed.predicate, StudyPredicate)
    if opens and head_of(standing).study(entry.leaf.statement) is None:
        raise missing_entry(head.lines[1], standing.repository.length)


def _refuse_head(head: BundleHead, standing: Standing) -> None:
    genesis = standing.ledger.genesis
    if genesis is None:
        raise missing_entry(head.lines[0], 0)
    if genesis.ledger.origin != head.origin:
        message = "The bundle names another origin than the genesis in it."
        raise IntegrityBroken(message, code="bundle-origin")
    lines = (standing.ledger, standing.repository, head_of(standing))
    if head.log_time_us < max(line.last_at_us for line in lines):
        message = "The bundle's log time is before its newest entry."
        raise IntegrityBroken(message, code="bundle-log-time")


def _refuse_unproven(
    standing: Standing, log_time_us: int, captures: Mapping[Sha256Hex, StreamsCapture]
) -> None:
    """Refuse a closed study whose captures are not all there, and a closure without a closed study.

    Otherwise a sealed outcome could stand for a capture that everybody may see.
    """
    for study, closed in studies_of(standing, log_time_us):
        if study.closure_index is not None and not closed:
            message = "A study that the ledger has closed is open by the entries of this bundle."
            raise IntegrityBroken(message, code="bundle-closure")
    for sha256 in bundled_captures(standing, log_time_us):
        if sha256 not in captures:
            message = f"The capture {sha256} of a closed study is not in this bundle."
            raise IntegrityBroken(message, code="capture-missing")


def _capture_error(what: str) -> IntegrityBroken:
    message = f"A capture of this bundle cannot be used: {what}."
    return IntegrityBroken(message, code="capture-digest")
