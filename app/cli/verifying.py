# SPDX-License-Identifier: Apache-2.0
"""``verify``: whether a bundle, or what a service says about a head, holds; one line per check.

On a bundle no socket is opened. On a head the bundle is fetched first, and where an earlier look or
pasted lines are of another size the log is asked for the proof that the two belong together; what
comes back is believed by nobody before it is checked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.exit_code import ExitCode
from app.cli.options import DEFAULT_URL, AsJson, RepositoryOption, Url
from app.cli.output import emit, say
from app.cli.session import connect, read_input, repository_named
from app.cli.stored import hashes_of
from app.cli.trusting import CheckoutOption, TrustOption, keep_pin, read_pin, read_trust
from app.cli.verdicts import ClaimOption
from app.core.digest import sha256_hex
from app.core.identity import instant_of
from app.core.log.pin import Pin
from app.core.statement.parse import parse_verdict_document
from app.core.verdict.bundle_head import BundleHead
from app.core.verdict.verification import Verification, VerificationOutcome
from app.core.verdict.verify import Asked, pin_after, verify_bundle
from app.core.verdict.verify_outside import Brought
from app.runner.failures import Document

if TYPE_CHECKING:
    from app.runner.client import Client

_HEAD: Final = re.compile(r"[0-9a-f]{7,64}")
_CODES: Final = {
    VerificationOutcome.VERIFIED: ExitCode.OK,
    VerificationOutcome.BAD_SIGNATURE: ExitCode.BAD_SIGNATURE,
    VerificationOutcome.UNTRUSTED: ExitCode.UNTRUSTED,
    VerificationOutcome.UNPROVEN: ExitCode.PROOF,
    VerificationOutcome.NO_MATCH: ExitCode.NOTHING_MATCHED,
    VerificationOutcome.INCONSISTENT: ExitCode.INCONSISTENT,
    VerificationOutcome.DAMAGED: ExitCode.DAMAGE,
    VerificationOutcome.ROLLED_BACK: ExitCode.ROLLBACK,
}

PinOption = Annotated[
    Path | None,
    typer.Option("--pin", help="Remember this look here, and hold it to the last.", metavar="FILE"),
]


def verify(
    target: Annotated[
        str, typer.Argument(help="A bundle file, - for stdin, or a head.", metavar="BUNDLE|HEAD")
    ],
    *,
    trust: TrustOption = None,
    checkout: CheckoutOption = None,
    pin: PinOption = None,
    checkpoint_from: Annotated[
        Path | None,
        typer.Option("--checkpoint-from", help="Lines pasted in a thread.", metavar="FILE"),
    ] = None,
    repository: RepositoryOption = None,
    head: Annotated[
        str, typer.Option("--head", help="The head a bundle must be about.", metavar="SHA")
    ] = "",
    claim: ClaimOption = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Check everything a verdict rests on, offline on a bundle; 0 only when all of it holds."""
    trusted = read_trust(trust, checkout)
    before = read_pin(pin)
    pasted = None if checkpoint_from is None else checkpoint_from.read_bytes()
    brought = Brought(trust=trusted, pin=before, pasted=pasted)
    if target == "-" or Path(target).is_file() or not _HEAD.fullmatch(target):
        asked = Asked(repository=repository, head=head, claim=claim, brought=brought)
        found = verify_bundle(read_input(target), asked)
    else:
        found = _verify_head(target, repository_named(repository), claim, brought, url)
    _remember(pin, before, found)
    code = _CODES[found.outcome]
    emit(_document(found, code), _lines(found), as_json=as_json)
    if code:
        raise typer.Exit(code)


def _verify_head(
    head: str, repository: str, claim: str | None, brought: Brought, url: str
) -> Verification:
    with connect(url) as client:
        data = client.read(f"/v1/repos/{repository}/heads/{head}/bundle")
        live = Brought(
            trust=brought.trust,
            pin=brought.pin,
            pasted=brought.pasted,
            is_newest=True,
            consistency=lambda old, new: _consistency(client, old, new),
        )
        return verify_bundle(data, Asked(repository, head, claim, live))


def _consistency(client: Client, old: int, new: int) -> Sequence[bytes] | None:
    if not 0 < old < new:
        return ()
    return hashes_of(client.read_document(f"/v1/log/proof/consistency/{old}/{new}"), "proof")


def _remember(path: Path | None, before: Pin | None, found: Verification) -> None:
    after = pin_after(found, before)
    if path is None or after is None:
        return
    keep_pin(path, after)
    say(f"{path}: the checkpoint of size {after.checkpoint.size} is remembered.")


def _lines(found: Verification) -> list[str]:
    lines = [f"{one.state:<12} {one.name:<11} {one.detail}" for one in found.checks]
    lines += [f"{name}  {digest}  {word}" for name, word, digest in _words(found)]
    return [*lines, found.outcome]


def _document(found: Verification, code: ExitCode) -> Document:
    failure, bundle = found.first_failure, found.bundle
    return {
        "verified": found.outcome is VerificationOutcome.VERIFIED,
        "outcome": str(found.outcome),
        "exit_code": int(code),
        "reason": None if failure is None else failure.code.replace("-", "_"),
        "checks": [
            {"name": one.name, "state": one.state, "detail": one.detail} for one in found.checks
        ],
        "about": None if bundle is None else _about(bundle.head),
        "verdicts": [
            {"claim": name or None, "word": word, "sha256": digest}
            for name, word, digest in _words(found)
        ],
    }


def _about(head: BundleHead) -> Document:
    return {
        "origin": head.origin,
        "genesis": head.genesis,
        "repository": head.repository,
        "head": head.head,
        "size": head.size,
        "root": head.root,
        "log_time": instant_of(head.log_time_us),
    }


def _words(found: Verification) -> list[tuple[str, str, str]]:
    """Return claim, word and digest of each recomputed document."""
    return [
        (claim or "", parse_verdict_document(document).word, sha256_hex(document))
        for claim, document in found.documents.items()
    ]
