# SPDX-License-Identifier: Apache-2.0
"""Lives a bundle through again: every entry is admitted, as the ledger must have admitted it.

In this order for each entry: its line, its signatures, may it stand here, and what the ledger
itself says is derived again and compared: a closure by its admission, a verdict to the byte. So
nothing that no ledger would have let in is ever scored.

Behind an entry of an unknown kind nobody here can say what may follow: a kind of a later version
may have granted keys or ended studies. From there on entries are only held against their lines and
such signatures as can be verified, and the word is HOLD whatever they say.

Not asked is the root of the older tree that a key statement names: a bundle need not hold the
entry that would show it.
"""

from __future__ import annotations

from collections.abc import Mapping

from app.core.admission.apply import apply
from app.core.admission.state import Standing, empty_standing
from app.core.errors import IntegrityBroken
from app.core.identity import Sha256Hex
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.verdict import VerdictPredicate
from app.core.verdict.bundle_file import Bundle
from app.core.verdict.bundle_head import missing_entry
from app.core.verdict.fold import head_of
from app.core.verdict.readmit import (
    admit_again,
    capture_for,
    missing_capture,
    refuse_other_line,
    verified_signers,
)
from app.core.verdict.sealed import bundled_captures, sealed_of, unsealed


def replay(bundle: Bundle, captures: Mapping[Sha256Hex, Capture]) -> Standing:
    """Return the standing after every entry, each admitted before it is applied.

    Args:
        bundle: as read.
        captures: its captures, each the one that a receipt names.

    Raises:
        IntegrityBroken: ``line-foreign``; ``not-admitted``, an entry that no ledger lets in;
            ``closure`` or ``verdict``, the ledger said something else than what follows;
            ``line-incomplete``, a verdict has read more entries than there are;
            ``capture-missing``; ``bundle-records``, sealed outcomes or captures that do not belong
            here, or in another order.
        NotAuthenticated: a signature does not verify.
        NotAllowed: ``key-ended``, a key had no grant in force where it signed.
        SchemaViolation: ``payload-type``.
    """
    standing = empty_standing(bundle.head.repository, bundle.head.head)
    for one in bundle.entries:
        refuse_other_line(one.entry)
        signers = verified_signers(one.entry, one.envelope, standing)
        capture = capture_for(one.entry, captures)
        if not _is_unknown(standing):
            _refuse_unread(one.entry, standing, bundle.head.lines)
            admit_again(one.entry, signers, standing, captures)
        standing = _after(bundle, one.entry, standing, capture)
    _refuse_missing(standing, bundle.head.log_time_us, captures)
    if not _is_unknown(standing):
        _refuse_other_records(bundle, standing)
    return standing


def _is_unknown(standing: Standing) -> bool:
    """Tell whether an entry on any line is of a kind that this reader does not know."""
    lines = (standing.ledger, standing.repository, head_of(standing))
    return any(line.unknown for line in lines)


def _refuse_unread(entry: Entry, standing: Standing, names: tuple[str, str, str]) -> None:
    """Refuse a verdict that has read more entries than the bundle has before it."""
    verdict = None if entry.parsed is None else entry.parsed.predicate
    if not isinstance(verdict, VerdictPredicate):
        return
    as_of = verdict.document.as_of
    read = (as_of.ledger, as_of.repository, as_of.head)
    lines = (standing.ledger, standing.repository, head_of(standing))
    for name, line, said in zip(names, lines, read, strict=True):
        found = line.length
        if found < said:
            raise missing_entry(name, found)


def _after(bundle: Bundle, entry: Entry, standing: Standing, capture: Capture | None) -> Standing:
    """Return the standing after an entry; of a sealed capture the bundle says what it makes."""
    after = apply(standing, entry, capture)
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if not isinstance(predicate, ReceiptPredicate) or capture is not None:
        return after
    sealed = bundle.sealed.get(entry.leaf.statement)
    if sealed is None:
        raise missing_capture(predicate.capture.sha256)
    return unsealed(after, predicate, sealed)


def _refuse_other_records(bundle: Bundle, standing: Standing) -> None:
    """Refuse sealed outcomes and captures that are not exactly those of the receipts, in order."""
    log_time_us = bundle.head.log_time_us
    sealed = list(sealed_of(standing, log_time_us).items())
    captures = bundled_captures(standing, log_time_us)
    if list(bundle.sealed.items()) != sealed or tuple(bundle.captures) != captures:
        message = (
            "Expected a sealed outcome for each receipt of an open study, a capture for each of a "
            "closed one, in the order of the entries, and nothing else."
        )
        raise IntegrityBroken(message, code="bundle-records")


def _refuse_missing(
    standing: Standing, log_time_us: int, captures: Mapping[Sha256Hex, Capture]
) -> None:
    """Refuse a closed study whose captures are not all there.

    Otherwise a sealed outcome could stand for a capture that everybody may see.
    """
    for sha256 in bundled_captures(standing, log_time_us):
        if sha256 not in captures:
            raise missing_capture(sha256)
