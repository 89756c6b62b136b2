# SPDX-License-Identifier: Apache-2.0
"""Checks a bundle from its bytes to its words, without a network, against what a reader brings.

In this order: (1) the file's form, (2) its lines without a gap, (3) its head and (4) checkpoint as
signed, (5) every entry's inclusion; then what the reader asks for, trusts and remembers (whose log
this is, witnesses, an earlier look, lines from a thread: ``verify_outside``); then (6) every entry
admitted again with its signatures, grants, challenges and accounting, (7) captures, (8) closures
and verdicts derived again and equal to the byte; last, whether anything is left that this reader
does not know.

Without anything to trust all of it is checked too, and the outcome is ``untrusted``: a bundle
vouches for itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from app.core.errors import FairtrialError, IntegrityBroken, NotAllowed, NotAuthenticated
from app.core.log.pin import Pin, pin_of
from app.core.reason import Reason
from app.core.statement.parse import parse_verdict_document
from app.core.verdict.bundle import documents_of
from app.core.verdict.bundle_file import Bundle, read_bundle
from app.core.verdict.verification import (
    Verification,
    VerificationCheck,
    VerificationOutcome,
    failed,
    held,
    not_reached,
)
from app.core.verdict.verify_outside import Brought, log_of, outside_checks

_FILE: Final = ("form", "lines", "head", "checkpoint", "inclusion")
_OUTSIDE: Final = ("subject", "trust", "witnesses", "pin", "pasted")
_INSIDE: Final = ("entries", "captures", "verdicts")
_LAST: Final = ("claims",)

_CHECK_OF_CODE: Final = {
    "line-incomplete": "lines",
    "line-foreign": "lines",
    "bundle-log-time": "lines",
    "bundle-head": "head",
    "bundle-origin": "head",
    "bundle-checkpoint": "checkpoint",
    "inclusion-proof": "inclusion",
    "reservation-tree": "inclusion",
    "key-tree": "inclusion",
    "capture-digest": "captures",
    "capture-missing": "captures",
    "bundle-records": "captures",
    "closure": "verdicts",
    "verdict": "verdicts",
}
_UNPROVEN: Final = frozenset({"lines", "head", "checkpoint", "inclusion"})
"""Checks of which a failure means a gap, or a proof of something else."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the reader wants to know about; nothing given: whatever the bundle is of.

    Attributes:
        head: a commit id, or the beginning of one.
        claim: empty: the one document where no policy names a claim.
        brought: what it is held against.
    """

    repository: str | None = None
    head: str = ""
    claim: str | None = None
    brought: Brought = field(default_factory=Brought)


def verify_bundle(data: bytes, asked: Asked) -> Verification:
    """Check a bundle against what is asked of it; what is wrong with it is in the report."""
    if not data.strip():
        empty = failed("form", VerificationOutcome.NO_MATCH, "no-match", "The bundle is empty.")
        after = (*_FILE[1:], *_OUTSIDE, *_INSIDE, *_LAST)
        return Verification((empty, *map(not_reached, after)), None, {})
    try:
        bundle = read_bundle(data)
    except FairtrialError as error:
        rest = (*_OUTSIDE, *_INSIDE, *_LAST)
        checks = (*_broken(_FILE, error, default="form"), *map(not_reached, rest))
        return Verification(checks, None, {})
    outside = (_subject(bundle, asked), *outside_checks(bundle, asked.brought))
    try:
        documents = documents_of(bundle)
    except FairtrialError as error:
        inside = _unfinished(error)
        checks = (*_read(bundle), *outside, *inside, *map(not_reached, _LAST))
        return Verification(checks, bundle, {})
    checks = (*_read(bundle), *outside, *_judged(bundle, documents), _claims(documents, asked))
    return Verification(checks, bundle, documents)


def pin_after(found: Verification, before: Pin | None) -> Pin | None:
    """Return the pin to keep from now on, None when the one before stays as it is.

    Nothing is remembered of a bundle in which anything failed, save that nobody vouches for it yet:
    the first look is what later ones are held against. A pin moves only to a larger size that was
    shown to continue it.
    """
    failures = [one for one in found.checks if one.state == "failed"]
    first_look = before is None and all(one.code == "untrusted" for one in failures)
    if found.bundle is None or (failures and not first_look):
        return None
    if before is not None:
        shown = any(one.name == "pin" and one.state == "ok" for one in found.checks)
        if not shown or found.bundle.head.size <= before.checkpoint.size:
            return None
    bundle = found.bundle
    return pin_of(bundle.head.genesis, log_of(bundle), bundle.signed.checkpoint)


def _read(bundle: Bundle) -> tuple[VerificationCheck, ...]:
    head = bundle.head
    lengths = dict(zip(head.lines, head.lengths, strict=True))
    return (
        held("form", f"{len(bundle.entries)} entries, each record in its one form."),
        held("lines", "; ".join(f"{line}: {n} without a gap" for line, n in lengths.items()) + "."),
        held("head", f"Signed by the statement key of genesis {head.genesis}."),
        held("checkpoint", f"Signed by the log's key: size {head.size}, root {head.root}."),
        held("inclusion", "Every entry stands under that root, at its own index."),
    )


def _judged(bundle: Bundle, documents: dict[str | None, bytes]) -> tuple[VerificationCheck, ...]:
    said = sum(1 for one in bundle.entries if one.entry.leaf.kind == "verdict")
    return (
        held("entries", "Each signature verifies and each entry is admitted at its own index."),
        held("captures", f"{len(bundle.captures)} captures are those their receipts name."),
        held(
            "verdicts",
            f"{said} signed and {len(documents)} current verdicts follow, to the byte.",
        ),
    )


def _subject(bundle: Bundle, asked: Asked) -> VerificationCheck:
    head = bundle.head
    detail = f"{head.repository}@{head.head} as of {head.size} entries."
    if asked.repository not in {None, head.repository} or not head.head.startswith(asked.head):
        unlike = f"This bundle is about another head than the one asked about: {detail}"
        return failed("subject", VerificationOutcome.UNPROVEN, "other-subject", unlike)
    return held("subject", detail)


def _claims(documents: dict[str | None, bytes], asked: Asked) -> VerificationCheck:
    if asked.claim is not None and (asked.claim or None) not in documents:
        detail = "No policy of this bundle names the claim that was asked for."
        return failed("claims", VerificationOutcome.NO_MATCH, "no-match", detail)
    read = [parse_verdict_document(document) for document in documents.values()]
    if any(one.code == Reason.UNKNOWN_STATEMENT for each in read for one in each.reasons):
        detail = "A statement of a kind or version that this reader does not know stands there."
        return failed("claims", VerificationOutcome.NO_MATCH, "unknown-statement", detail)
    return held("claims", "; ".join(f"{one.claim or 'no claim'}: {one.word}" for one in read) + ".")


def _broken(
    names: tuple[str, ...], error: FairtrialError, *, default: str
) -> tuple[VerificationCheck, ...]:
    """Return the checks up to the one that failed, which is the one its code belongs to."""
    name = _CHECK_OF_CODE.get(error.code, default)
    if isinstance(error, NotAuthenticated):
        name = "head"
    place = names.index(name)
    return (
        *(held(one, "Nothing wrong was met.") for one in names[:place]),
        failed(name, _outcome_of(error, name), error.code, error.detail),
        *map(not_reached, names[place + 1 :]),
    )


def _unfinished(error: FairtrialError) -> tuple[VerificationCheck, ...]:
    """Return the checks that go entry by entry together: one failed, none was finished."""
    name = _CHECK_OF_CODE.get(error.code, "entries")
    failure = name if name in _INSIDE else "entries"
    return tuple(
        failed(one, _outcome_of(error, name), error.code, error.detail)
        if one == failure
        else not_reached(one)
        for one in _INSIDE
    )


def _outcome_of(error: FairtrialError, name: str) -> VerificationOutcome:
    if isinstance(error, NotAuthenticated):
        return VerificationOutcome.BAD_SIGNATURE
    if isinstance(error, NotAllowed):
        return VerificationOutcome.UNTRUSTED
    if isinstance(error, IntegrityBroken) and name in _UNPROVEN:
        return VerificationOutcome.UNPROVEN
    return VerificationOutcome.DAMAGED
