# SPDX-License-Identifier: Apache-2.0
"""A bundle: everything the verdicts of one head follow from, as one file of JSON Lines.

In this order: one ``bundle`` record; one ``entry`` per entry of the three lines, by index; one
``sealed`` per receipt whose capture is sealed; one ``capture`` per capture of a closed study, both
in the order in which receipts name them. The same state gives the same bytes, save for how a
capture is compressed. Reading is strict: each line is the JCS form of its record, every statement
is the one its leaf names, no line has a gap or ends before the length that the ledger has signed
for, and log times do not go back. What a reader does not know is kept, and never ignored.

Every entry carries its inclusion proof in the tree of that size, so that a reader who trusts the
checkpoint need not trust the file.

Reading does not ask whether an entry could have been admitted (``replay`` does), nor whose keys
these are: the ledger's are those of the genesis in the bundle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn, TypeVar

import msgspec

from app.core.canonical import parse_canonical
from app.core.digest import from_base64, to_base64
from app.core.errors import FairtrialError, IntegrityBroken, MalformedDocument
from app.core.identity import Sha256Hex, instant_of, micros_of
from app.core.signing.envelope import Envelope, Signature, parse_envelope
from app.core.statement.encoding import encode
from app.core.statement.entry import Entry, read_entry
from app.core.verdict.bundle_head import (
    BundleHead,
    SignedHead,
    head_of_payload,
    missing_entry,
    refuse_unsigned,
)
from app.core.verdict.bundle_proofs import refuse_unproven
from app.core.verdict.bundle_records import (
    AnyRecord,
    BundleRecord,
    CaptureRecord,
    EntryRecord,
    EnvelopeRecord,
    HeadPayload,
    SealedRecord,
    SignatureRecord,
)

MAX_LINE_BYTES: Final = 100_000_000
"""Longest line read: the largest capture in base64, and room."""

_ORDER: Final[tuple[type, ...]] = (BundleRecord, EntryRecord, SealedRecord, CaptureRecord)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class BundleEntry:
    """An entry, the envelope its statement came in, and the path from its leaf to the root."""

    entry: Entry
    envelope: Envelope
    proof: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle as data.

    Attributes:
        entries: by index.
        sealed: by receipt, in the order of their entries.
        captures: zstd of the JCS bytes by their SHA-256, in the order in which receipts name them.
    """

    signed: SignedHead
    entries: tuple[BundleEntry, ...]
    sealed: Mapping[Sha256Hex, SealedRecord] = field(default_factory=dict)
    captures: Mapping[Sha256Hex, bytes] = field(default_factory=dict)

    @property
    def head(self) -> BundleHead:
        """What it is of."""
        return self.signed.head


def bundle_entry(index: int, leaf: bytes, envelope: bytes, proof: tuple[bytes, ...]) -> BundleEntry:
    """Read one stored entry: its leaf record, its envelope's JSON and its inclusion proof.

    Raises:
        IntegrityBroken: ``entry``, they are not what they should be.
        FairtrialError: the envelope is none.
    """
    parsed = parse_envelope(envelope)
    return BundleEntry(read_entry(index, leaf, parsed.payload), parsed, proof)


def write_bundle(bundle: Bundle) -> bytes:
    """Return the bundle's bytes."""
    return b"".join(encode(record) + b"\n" for record in _records_of(bundle))


def read_bundle(data: bytes) -> Bundle:
    """Read a bundle, strictly.

    Raises:
        MalformedDocument: ``bundle``: not of this form; the detail names the line of the file.
        IntegrityBroken: ``line-incomplete``, an entry of a line is not there; ``line-foreign``, an
            entry is of another line or out of order; ``entry``, its bytes are damaged;
            ``bundle-head`` and the others of ``refuse_unsigned``; ``inclusion-proof`` and
            ``reservation-tree`` of ``refuse_unproven``.
        NotAuthenticated: the ledger did not sign the head.
    """
    records = [_record(line, number) for number, line in _numbered(data)]
    first = records[0] if records else None
    if not isinstance(first, BundleRecord):
        _malformed(1, "expected the bundle record first")
    places = [_ORDER.index(type(record)) for record in records]
    if places != sorted(places) or places.count(0) != 1:
        _malformed(1, "expected one bundle record, then entries, sealed outcomes and captures")
    signed = _signed_head(first)
    entries = tuple(_entry(record) for record in _of(records, EntryRecord))
    _refuse_gaps(signed.head, entries)
    refuse_unsigned(signed, [one.entry for one in entries])
    refuse_unproven(signed.head, [(one.entry, one.proof) for one in entries])
    sealed = {record.receipt: record for record in _of(records, SealedRecord)}
    captures = {
        record.sha256: _bytes(record.zstd, "A capture of the bundle")
        for record in _of(records, CaptureRecord)
    }
    if len(entries) + len(sealed) + len(captures) + 1 != len(records):
        _malformed(1, "expected each sealed outcome and each capture once")
    return Bundle(signed, entries, sealed, captures)


def _records_of(bundle: Bundle) -> Iterator[AnyRecord]:
    yield _head_record(bundle.signed)
    for one in bundle.entries:
        leaf = to_base64(one.entry.leaf.to_bytes())
        proof = [to_base64(item) for item in one.proof]
        envelope = _envelope_record(one.envelope)
        yield EntryRecord(index=one.entry.index, leaf=leaf, proof=proof, envelope=envelope)
    yield from bundle.sealed.values()
    for sha256, zstd in bundle.captures.items():
        yield CaptureRecord(sha256=sha256, zstd=to_base64(zstd))


def _head_record(signed: SignedHead) -> BundleRecord:
    head = signed.head
    return BundleRecord(
        version=1,
        origin=head.origin,
        repository=head.repository,
        head=head.head,
        size=head.size,
        log_time=instant_of(head.log_time_us),
        checkpoint=signed.checkpoint,
        envelope=_envelope_record(signed.envelope),
    )


def _envelope_record(envelope: Envelope) -> EnvelopeRecord:
    return EnvelopeRecord(
        payload=to_base64(envelope.payload),
        payloadType=envelope.payload_type,
        signatures=[
            SignatureRecord(keyid=one.keyid, sig=to_base64(one.sig)) for one in envelope.signatures
        ],
    )


def _numbered(data: bytes) -> Iterable[tuple[int, bytes]]:
    lines = data.split(b"\n")
    if lines.pop():
        _malformed(len(lines) + 1, "expected every line to end in a newline")
    return enumerate(lines, start=1)


def _record(line: bytes, number: int) -> AnyRecord:
    if len(line) > MAX_LINE_BYTES:
        _malformed(number, f"expected at most {MAX_LINE_BYTES} bytes")
    try:
        record: AnyRecord = msgspec.convert(parse_canonical(line), AnyRecord)
    except FairtrialError as error:
        raise _not_a_bundle(number, f"expected a record in JCS form ({error.code})") from error
    except msgspec.ValidationError as error:
        detail = "expected a bundle, entry, sealed or capture record of this version"
        raise _not_a_bundle(number, detail) from error
    return record


def _of(records: Iterable[AnyRecord], shape: type[T]) -> Iterator[T]:
    return (record for record in records if isinstance(record, shape))


def _signed_head(record: BundleRecord) -> SignedHead:
    """Return the head as signed; what stands beside the envelope must say the same."""
    envelope = _read_envelope(record.envelope, "The envelope of the bundle's head")
    try:
        payload = msgspec.convert(parse_canonical(envelope.payload), HeadPayload)
    except (FairtrialError, msgspec.ValidationError) as error:
        raise _not_a_bundle(1, "expected a bundle's head in JCS form in its envelope") from error
    signed = SignedHead(head_of_payload(payload), envelope, record.checkpoint)
    if _head_record(signed) != record:
        message = "The first record of this bundle says something else than what is signed in it."
        raise IntegrityBroken(message, code="bundle-head")
    return signed


def _entry(record: EntryRecord) -> BundleEntry:
    what = f"The entry at index {record.index}"
    envelope = _read_envelope(record.envelope, what)
    entry = read_entry(record.index, _bytes(record.leaf, what), envelope.payload)
    return BundleEntry(entry, envelope, tuple(_bytes(item, what) for item in record.proof))


def _read_envelope(sent: EnvelopeRecord, what: str) -> Envelope:
    signatures = tuple(Signature(one.keyid, _bytes(one.sig, what)) for one in sent.signatures)
    return Envelope(sent.payloadType, _bytes(sent.payload, what), signatures)


def _refuse_gaps(head: BundleHead, entries: Iterable[BundleEntry]) -> None:
    """Refuse a line of which an entry is missing, and entries of other lines or out of order."""
    last: dict[str, int] = {}
    lengths = dict.fromkeys(head.lines, 0)
    before, at_us = -1, 0
    for one in entries:
        index, leaf = one.entry.index, one.entry.leaf
        if leaf.line not in lengths or not before < index < head.size:
            message = (
                f"The entry at index {index} has no place here: expected the three lines of this "
                f"head, by index, below {head.size}."
            )
            raise IntegrityBroken(message, code="line-foreign")
        if (leaf.seq, leaf.prev) != (lengths[leaf.line], last.get(leaf.line)):
            raise missing_entry(leaf.line, lengths[leaf.line])
        if micros_of(leaf.at) < at_us:
            message = f"The entry at index {index} has an earlier log time than the one before it."
            raise IntegrityBroken(message, code="bundle-log-time")
        at_us = micros_of(leaf.at)
        last[leaf.line] = before = index
        lengths[leaf.line] += 1


def _bytes(text: str, what: str) -> bytes:
    try:
        return from_base64(text)
    except MalformedDocument as error:
        message = f"{what} cannot be read: {error.detail}"
        raise MalformedDocument(message, code="bundle") from error


def _not_a_bundle(number: int, what: str) -> MalformedDocument:
    return MalformedDocument(f"Line {number} of the bundle: {what}.", code="bundle")


def _malformed(number: int, what: str) -> NoReturn:
    raise _not_a_bundle(number, what)
