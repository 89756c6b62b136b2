# SPDX-License-Identifier: Apache-2.0
"""How to check the page without trusting it, and the lines to paste in the change's thread."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from app.pages.facts import HeadFacts, Verdict
from app.pages.views.claims import NO_CLAIM
from app.pages.views.links import bundle_path, head_page, verdict_path
from app.pages.views.reasons import reason_text


@dataclass(frozen=True, slots=True)
class Link:
    """What stands on this service beside the page."""

    text: str
    href: str


def raw_links(facts: HeadFacts) -> tuple[Link, ...]:
    """Return where the bundle, the document of each claim, and the badge are served."""
    place = head_page(facts.repository, facts.head)
    claims = [verdict.document.claim for verdict in facts.verdicts]
    return (
        Link("Bundle (JSON lines)", bundle_path(facts.repository, facts.head)),
        *(
            Link(
                f"Verdict of {claim or NO_CLAIM} (JSON)",
                verdict_path(facts.repository, facts.head, claim),
            )
            for claim in claims
        ),
        Link("Badge (SVG)", f"{place}/badge.svg"),
    )


def commands(facts: HeadFacts) -> str:
    """Return shell lines; ``LEDGER`` is this service's address, which no request can choose."""
    bundle = bundle_path(facts.repository, facts.head)
    lines = [
        "LEDGER=...   # the address of this service, without a slash at its end",
        f'curl -fsS "$LEDGER{bundle}" -o bundle.jsonl',
        "# every check, offline; fairtrial.toml names the ledger that you trust",
        f"fairtrial verify bundle.jsonl --head {facts.head} --trust fairtrial.toml",
        "# and against what an earlier look has left; the first look ends with 41",
        f"fairtrial verify {facts.head} --pin pin.json \\",
        f'  --repository {facts.repository} --url "$LEDGER"',
    ]
    for verdict in facts.verdicts:
        claim = verdict.document.claim
        served = verdict_path(facts.repository, facts.head, claim)
        lines += [
            f"# {claim or NO_CLAIM}: recomputed offline, then as served; both are",
            f"# {verdict.digest}",
            f"fairtrial score bundle.jsonl --claim {shlex.quote(claim or '')} | sha256sum",
            f'curl -fsS "$LEDGER{served}" | sha256sum',
        ]
    return "\n".join(lines)


def paste(facts: HeadFacts) -> str:
    """Return the lines for the thread: head, words, where they stand, and the checkpoint."""
    document = facts.document
    as_of = document.as_of
    words = [_word(verdict) for verdict in facts.verdicts]
    lengths = f"ledger {as_of.ledger}, repository {as_of.repository}, head {as_of.head}"
    return "\n".join(
        [
            f"{facts.repository}@{facts.head}",
            *words,
            f"as of {as_of.log_time}; line lengths: {lengths}",
            f"genesis {facts.standing.ledger.genesis_digest or 'not recorded'}",
            facts.checkpoint.rstrip("\n"),
        ]
    )


def _word(verdict: Verdict) -> str:
    document = verdict.document
    reasons = "; ".join(dict.fromkeys(reason_text(one, document) for one in document.reasons))
    return f"{document.claim or NO_CLAIM}: {document.word} ({reasons}) sha256 {verdict.digest}"
