# SPDX-License-Identifier: Apache-2.0
"""What a bundle is of, signed by its ledger: so that nothing can be cut off the end of a line.

A gap inside a line shows by itself; a line that merely stops earlier does not. The first record of
a bundle therefore carries an envelope by the ledger's statement key over how many entries each line
has at one tree size, and the checkpoint of that very size. Its payload type is its own: it can be
passed off neither as a statement nor as a checkpoint.

Both keys are those of the genesis in the bundle, so without a trust file a bundle vouches for
itself only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from app.core.admission.rules.genesis import key_of
from app.core.admission.state import Standing
from app.core.errors import FairtrialError, IntegrityBroken
from app.core.identity import HeadSha, Origin, Repository, Sha256Hex, instant_of, micros_of
from app.core.log.checkpoint import open_checkpoint
from app.core.log.leaf import head_line, ledger_line, repository_line
from app.core.log.note import NoteVerifier
from app.core.signing.envelope import Envelope, verify_signature
from app.core.statement.encoding import encode
from app.core.statement.entry import Entry
from app.core.statement.genesis import GenesisPredicate
from app.core.verdict.bundle_records import HeadPayload, LineLengths

PAYLOAD_TYPE: Final = "application/vnd.fairtrial.bundle-head+json"
"""DSSE payload type of a bundle's head."""


@dataclass(frozen=True, slots=True)
class BundleHead:
    """What a bundle is of.

    Attributes:
        genesis: digest of the ledger's genesis statement.
        size: tree size; every entry lies below it.
        root: of the tree of that size, in hex.
        log_time_us: log time of that size.
        lengths: entries on each of ``lines`` at that size.
    """

    origin: Origin
    genesis: Sha256Hex
    repository: Repository
    head: HeadSha
    size: int
    root: Sha256Hex
    log_time_us: int
    lengths: tuple[int, int, int]

    @property
    def lines(self) -> tuple[str, str, str]:
        """The three lines."""
        return (
            ledger_line(),
            repository_line(self.repository),
            head_line(self.repository, self.head),
        )


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A head and what its ledger signed for it.

    Attributes:
        envelope: by the statement key, around the head's payload.
        checkpoint: the signed note of the same tree, as text.
    """

    head: BundleHead
    envelope: Envelope
    checkpoint: str


def head_at(standing: Standing, *, size: int, root: Sha256Hex, log_time_us: int) -> BundleHead:
    """Return what the bundle of ``standing`` is of.

    Raises:
        IntegrityBroken: ``bundle-head``, there is no ledger or no head to bundle.
    """
    ledger, repository, head = standing.ledger, standing.repository, standing.head
    if ledger.genesis is None or ledger.genesis_digest is None or head is None:
        _broken("a ledger that has begun and one exact head are needed")
    return BundleHead(
        origin=ledger.genesis.ledger.origin,
        genesis=ledger.genesis_digest,
        repository=head.repository,
        head=head.head,
        size=size,
        root=root,
        log_time_us=log_time_us,
        lengths=(ledger.length, repository.length, head.length),
    )


def payload_of(head: BundleHead) -> bytes:
    """Return the JCS bytes that the ledger signs."""
    ledger, repository, of_head = head.lengths
    payload = HeadPayload(
        origin=head.origin,
        genesis=head.genesis,
        repository=head.repository,
        head=head.head,
        size=head.size,
        root=head.root,
        log_time=instant_of(head.log_time_us),
        lines=LineLengths(ledger=ledger, repository=repository, head=of_head),
    )
    return encode(payload)


def head_of_payload(payload: HeadPayload) -> BundleHead:
    """Return the head that a payload says."""
    lines = payload.lines
    return BundleHead(
        origin=payload.origin,
        genesis=payload.genesis,
        repository=payload.repository,
        head=payload.head,
        size=payload.size,
        root=payload.root,
        log_time_us=micros_of(payload.log_time),
        lengths=(lines.ledger, lines.repository, lines.head),
    )


def refuse_unsigned(signed: SignedHead, entries: Sequence[Entry]) -> None:
    """Hold a head against the entries, and its signatures against the genesis among them.

    Args:
        signed: the head.
        entries: of the three lines, without gaps.

    Raises:
        IntegrityBroken: ``line-incomplete``, a line has fewer entries than were signed for;
            ``bundle-head``, it has more, or the head is signed in another form;
            ``bundle-origin``, it is of another ledger than the genesis;
            ``bundle-checkpoint``, the note is not this ledger's, or of another tree;
            ``bundle-log-time``, the log time is not that of the size.
        NotAuthenticated: the statement key did not sign it.
    """
    head = signed.head
    found = Counter(entry.leaf.line for entry in entries)
    for line, said in zip(head.lines, head.lengths, strict=True):
        if found[line] < said:
            raise missing_entry(line, found[line])
        if found[line] > said:
            _broken("a line holds more entries than the ledger signed for")
    genesis = genesis_of(head, entries)
    statement_key = key_of(genesis.statement_key)
    verify_signature(signed.envelope, statement_key.key_id, statement_key)
    if signed.envelope.payload_type != PAYLOAD_TYPE or len(signed.envelope.signatures) != 1:
        _broken(f"expected one signature over the payload type {PAYLOAD_TYPE}")
    _refuse_other_tree(signed, genesis)
    _refuse_other_time(head, entries[-1])


def missing_entry(line: str, seq: int) -> IntegrityBroken:
    """Return the error that names the first entry which is not there."""
    message = f"The line {line} is incomplete: the entry with seq {seq} is not in this bundle."
    return IntegrityBroken(message, code="line-incomplete")


def genesis_of(head: BundleHead, entries: Sequence[Entry]) -> GenesisPredicate:
    """Return the genesis that a head names: the first entry.

    Raises:
        IntegrityBroken: ``line-incomplete``, there is no entry; ``bundle-origin``.
    """
    if not entries:
        raise missing_entry(head.lines[0], 0)
    first = entries[0]
    genesis = None if first.parsed is None else first.parsed.predicate
    named = (head.origin, head.genesis)
    if (
        not isinstance(genesis, GenesisPredicate)
        or (genesis.ledger.origin, first.leaf.statement) != named
    ):
        message = "The bundle's first entry is not the genesis that its head names."
        raise IntegrityBroken(message, code="bundle-origin")
    return genesis


def _refuse_other_tree(signed: SignedHead, genesis: GenesisPredicate) -> None:
    head = signed.head
    try:
        log = NoteVerifier(head.origin, key_of(genesis.checkpoint_key))
        found = open_checkpoint(signed.checkpoint.encode(), log, origin=head.origin)
    except FairtrialError as error:
        message = f"The bundle's checkpoint is not one of this ledger: {error.detail}"
        raise IntegrityBroken(message, code="bundle-checkpoint") from error
    if (found.size, found.root.hex()) != (head.size, head.root):
        message = "The bundle's checkpoint is of another tree than its head."
        raise IntegrityBroken(message, code="bundle-checkpoint")


def _refuse_other_time(head: BundleHead, newest: Entry) -> None:
    at_us = micros_of(newest.leaf.at)
    is_last = newest.index == head.size - 1
    if head.log_time_us < at_us or (is_last and head.log_time_us != at_us):
        message = "The bundle's log time is not that of its tree size."
        raise IntegrityBroken(message, code="bundle-log-time")


def _broken(what: str) -> NoReturn:
    raise IntegrityBroken(f"The head of this bundle does not hold: {what}.", code="bundle-head")
