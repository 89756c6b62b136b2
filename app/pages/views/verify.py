# SPDX-License-Identifier: Apache-2.0
"""How to check the page without trusting it, and the lines to paste in the change's thread."""

from __future__ import annotations

from app.pages.facts import HeadFacts, Verdict
from app.pages.views.claims import NO_CLAIM
from app.pages.views.links import bundle_path


def commands(facts: HeadFacts) -> str:
    """Return shell lines; ``LEDGER`` is this service's address, which no request can choose."""
    bundle = bundle_path(facts.repository, facts.head)
    head = bundle.removesuffix("/bundle")
    lines = [
        "LEDGER=...   # the address of this service, without a slash at its end",
        f'curl -fsS "$LEDGER{bundle}" -o bundle.jsonl',
        "fairtrial score bundle.jsonl   # recomputes every word below, offline",
    ]
    for verdict in facts.verdicts:
        claim = verdict.document.claim or ""
        lines.append(f'curl -fsS "$LEDGER{head}?claim={claim}" | sha256sum   # {verdict.digest}')
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
    codes = ", ".join(dict.fromkeys(reason.code for reason in document.reasons))
    return f"{document.claim or NO_CLAIM}: {document.word} ({codes}) sha256 {verdict.digest}"
