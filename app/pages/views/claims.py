# SPDX-License-Identifier: Apache-2.0
"""The top of a head's page: the word of each claim, why, and who acts next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.core.statement.verdict import Base, HoldRecord, VerdictDocument
from app.core.verdict.explain import action_sentence_of, sentence_of
from app.pages.facts import Verdict
from app.pages.views.people import beside_the_word
from app.pages.views.reasons import ReasonView, reason_views

WORD_CLASSES: Final = {
    "QUALIFIED": "is-qualified",
    "NOT_QUALIFIED": "is-refused",
    "HOLD": "is-held",
}
"""Class of a word; only the first is green."""

NO_CLAIM: Final = "no claim: the repository has no policy"


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim's word and what stands behind it."""

    name: str
    question: str
    word: str
    tone: str
    conflicting: bool
    beside: str
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
        beside=beside_the_word(document),
        sentence=sentence_of(document),
        action=action_sentence_of(document),
        reasons=reason_views(document),
        digest=verdict.digest,
        as_of=document.as_of.log_time,
    )


def attempt_text(document: VerdictDocument) -> str:
    """Return which attempt on this head the newest study is."""
    attempt, opened = document.attempt, len(document.studies)
    if opened == 0:
        return "No study on this head."
    if attempt.n == 0:
        in_any = "" if opened == 1 else " in any of them"
        return f"Study {opened} of {opened}; no candidate slot was reserved{in_any}."
    return f"Attempt {attempt.k} of {attempt.n} on this head."


def holds_text(document: VerdictDocument, holds: Sequence[HoldRecord] = ()) -> str:
    """Return in a line what is known of holds; the table below it has each one."""
    unknown = [r.entry for r in document.reasons if r.code == "UNKNOWN_STATEMENT"]
    if unknown:
        named = ", ".join(f"log entry {one}" for one in unknown if one is not None)
        return f"Not known: {named or 'an entry'} is of a kind this reader does not know."
    held = sum(hold.in_force for hold in holds)
    if held:
        return f"In force: {held}. A hold lowers the word and never raises it."
    if holds:
        return "None in force. Those that ended are listed below."
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
