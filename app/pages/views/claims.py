# SPDX-License-Identifier: Apache-2.0
"""The top of a head's page: the word of each claim, why, and who acts next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.core.statement.verdict import Base, Reason, VerdictDocument
from app.core.verdict.explain import action_sentence_of, explain, sentence_of
from app.pages.facts import Verdict
from app.pages.views.links import reason_page

WORD_CLASSES: Final = {
    "QUALIFIED": "is-qualified",
    "NOT_QUALIFIED": "is-refused",
    "HOLD": "is-held",
}
"""Class of a word; only the first is green."""

NO_CLAIM: Final = "no claim: the repository has no policy"


@dataclass(frozen=True, slots=True)
class ReasonView:
    """A reason code in words."""

    code: str
    href: str
    about: str
    sentence: str


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim's word and what stands behind it."""

    name: str
    question: str
    word: str
    tone: str
    conflicting: bool
    sentence: str
    action: str
    reasons: tuple[ReasonView, ...]
    digest: str
    as_of: str


def claim_view(verdict: Verdict) -> ClaimView:
    """Return the view of one claim."""
    document = verdict.document
    return ClaimView(
        name=document.claim or NO_CLAIM,
        question=document.question or "no question stated",
        word=document.word,
        tone=WORD_CLASSES[document.word],
        conflicting=document.conflicting,
        sentence=sentence_of(document),
        action=action_sentence_of(document),
        reasons=tuple(_reason(reason, document) for reason in document.reasons),
        digest=verdict.digest,
        as_of=document.as_of.log_time,
    )


def attempt_text(document: VerdictDocument) -> str:
    """Return which attempt on this head the newest study is."""
    attempt = document.attempt
    if attempt.n == 0:
        opened = len(document.studies)
        return f"Attempt 0 of 0: none of {opened} studies here has reserved a candidate slot."
    return f"Attempt {attempt.k} of {attempt.n} on this head."


def holds_text(document: VerdictDocument) -> str:
    """Return what is known of holds: no kind of statement that this version reads places one."""
    unknown = [r.entry for r in document.reasons if r.code == "UNKNOWN_STATEMENT"]
    if unknown:
        named = ", ".join(f"log entry {one}" for one in unknown if one is not None)
        return f"Not known: {named or 'an entry'} is of a kind this reader does not know."
    return "None. No statement on these lines places a hold."


def base_text(base: Base) -> str:
    """Return what the head stands on, and whether that moved."""
    on = "Base: not recorded" if base.commit is None else f"Base: {base.commit}"
    match base.state:
        case "NOT_TRACKED":
            return f"{on}. The policy tracks no branch, so whether the base moved is not known."
        case "CURRENT":
            return f"{on}, the tip of {base.tracked_branch}: it has not moved."
        case "STALE":
            return f"{on}. It moved: the tip of {base.tracked_branch} is now {base.tip}."
        case "UNKNOWN":
            return (
                f"{on}. The policy tracks {base.tracked_branch}, and its tip or this base is not "
                "known: whether the base moved is not known."
            )


def _reason(reason: Reason, document: VerdictDocument) -> ReasonView:
    ordinals = {study.study: study.ordinal for study in document.studies}
    about = []
    if reason.scope is not None:
        about.append(f"scope {reason.scope}")
    if reason.study is not None:
        about.append(f"study {ordinals.get(reason.study, reason.study)}")
    if reason.entry is not None:
        about.append(f"log entry {reason.entry}")
    return ReasonView(
        code=reason.code,
        href=reason_page(reason.code),
        about=", ".join(about),
        sentence=explain(reason.code).sentence,
    )
