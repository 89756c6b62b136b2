# SPDX-License-Identifier: Apache-2.0
"""The top of a head's page: the word of each claim, why, and who acts next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from app.core.statement.verdict import Base, HoldRecord, VerdictDocument
from app.core.verdict.explain import action_sentence_of, sentences_of
from app.pages.facts import HeadFacts
from app.pages.views.counted import skipped_text
from app.pages.views.people import beside_the_word, why_decided
from app.pages.views.reasons import ReasonView, listed, reason_views

WORD_CLASSES: Final = {
    "QUALIFIED": "is-qualified",
    "NOT_QUALIFIED": "is-refused",
    "HOLD": "is-held",
}
"""Class of a word; only the first is green."""

NO_CLAIM: Final = "no claim: the repository has no policy"


@dataclass(frozen=True, slots=True)
class ClaimView:
    """One claim's word and what stands behind it, without what every claim of the head shares.

    Attributes:
        beside: what people decided, beside the word; empty: nothing.
        why_decided: the reasons they gave, and what follows.
        sentence: the headline; empty where every claim shares it.
        action: who acts next; empty where every claim shares it.
        passes: the required scopes that pass under a word that is not green.
        codes: reasons that are told once for every claim, by code.
        reasons: the others, told here.
    """

    name: str
    question: str
    word: str
    tone: str
    conflicting: bool
    beside: str
    why_decided: tuple[str, ...]
    sentence: str
    action: str
    passes: str
    codes: tuple[ReasonView, ...]
    reasons: tuple[ReasonView, ...]


@dataclass(frozen=True, slots=True)
class SharedView:
    """What holds for every claim of a head that has several, said once."""

    sentence: str
    action: str
    reasons: tuple[ReasonView, ...]


@dataclass(frozen=True, slots=True)
class TopView:
    """The first thing that is read.

    Attributes:
        shared: None: there is one claim, and it says everything itself.
    """

    claims: tuple[ClaimView, ...]
    shared: SharedView | None


def top_view(facts: HeadFacts) -> TopView:
    """Return every claim's word and why, and once what all of them share."""
    documents = [verdict.document for verdict in facts.verdicts]
    if len(documents) == 1:
        return TopView((_claim(facts, documents[0], SharedView("", "", ())),), None)
    sentences = _in_all([sentences_of(each) for each in documents])
    actions = _in_all([[action_sentence_of(each)] for each in documents])
    reasons = _in_all([list(reason_views(each)) for each in documents])
    shared = SharedView(" ".join(sentences), " ".join(actions), tuple(reasons))
    return TopView(tuple(_claim(facts, each, shared) for each in documents), shared)


_T = TypeVar("_T")


def _in_all(lists: Sequence[Sequence[_T]]) -> list[_T]:
    """Return what stands in every list, in the order of the first."""
    first, *others = lists
    return [one for one in first if all(one in other for other in others)]


def _claim(facts: HeadFacts, document: VerdictDocument, shared: SharedView) -> ClaimView:
    own = [one for one in sentences_of(document) if one not in shared.sentence]
    action = action_sentence_of(document)
    views = reason_views(document)
    return ClaimView(
        name=document.claim or NO_CLAIM,
        question=document.question or "no question stated",
        word=document.word,
        tone=WORD_CLASSES[document.word],
        conflicting=document.conflicting,
        beside=beside_the_word(document),
        why_decided=tuple(why_decided(document)),
        sentence=" ".join(own),
        action="" if action == shared.action else action,
        passes="" if document.word == "QUALIFIED" else _passes(facts, document),
        codes=tuple(one for one in views if one in shared.reasons),
        reasons=tuple(one for one in views if one not in shared.reasons),
    )


def _passes(facts: HeadFacts, document: VerdictDocument) -> str:
    """Return the required scopes that pass, each with what it left untested."""
    names = []
    for one in document.required:
        if one.state == "PASS":
            behind = [study for study in facts.studies if study.record.study in one.studies]
            skipped = skipped_text(facts, behind, one.scope)
            names.append(f"{one.scope} ({skipped})" if skipped else str(one.scope))
    return listed(names)


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
