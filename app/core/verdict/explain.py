# SPDX-License-Identifier: Apache-2.0
"""From a verdict document to the sentences a person reads.

Everything here is derived from codes in the document; nothing is added to it. No sentence names a
cause of what was observed, and under every FAIL ``CAUSE_NOT_ESTABLISHED`` is printed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from app.core.errors import UnknownThing
from app.core.reason import Reason
from app.core.statement.verdict import Judgement, StudyRecord, VerdictDocument
from app.core.verdict.exit_code import exit_code_of, nothing_measured
from app.core.verdict.gate_reasons import GATE_REASONS
from app.core.verdict.reason_text import ReasonText
from app.core.verdict.result_reasons import RESULT_REASONS
from app.core.verdict.slot_reasons import SLOT_REASONS
from app.core.verdict.version_reasons import VERSION_REASONS
from app.core.verdict.word_reasons import WORD_REASONS

__all__ = [
    "CAUSE_NOT_ESTABLISHED",
    "NEITHER",
    "REASON_TEXTS",
    "action_sentence_of",
    "cause_line_of",
    "exit_code_of",
    "explain",
    "nothing_measured",
    "sentence_of",
    "sentences_of",
    "study_sentence_of",
]

CAUSE_NOT_ESTABLISHED: Final = "cause: not established"
"""Stands under every FAIL: a protocol shows that a gate failed, never why."""

NEITHER: Final = "Nothing was measured: neither a pass nor a regression."

REASON_TEXTS: Final[Mapping[Reason, ReasonText]] = {
    **SLOT_REASONS,
    **GATE_REASONS,
    **RESULT_REASONS,
    **WORD_REASONS,
    **VERSION_REASONS,
}
"""The words for every code of ``app.core.reason``."""

_SHORT: Final = 12
_AS: Final = {role: role for role in ("maintainer", "author", "runner", "reviewer", "nobody")} | {
    "named": "named by a hold"
}


def explain(code: str) -> ReasonText:
    """Return the words for ``code``.

    Raises:
        UnknownThing: ``unknown-reason``, this version has no such code.
    """
    try:
        return REASON_TEXTS[Reason(code)]
    except ValueError as error:
        message = "This version knows no reason of that name; see the list of reason codes."
        raise UnknownThing(message, code="unknown-reason") from error


def sentence_of(document: VerdictDocument) -> str:
    """Return what the word rests on, in a sentence or two: the headline under the word."""
    return " ".join(sentences_of(document))


def sentences_of(document: VerdictDocument) -> list[str]:
    """Return the sentences of the headline one by one, so that what several claims share shows."""
    first = document.reasons[0]
    if first.code == Reason.SCOPE_FAILED:
        parts = [_failed(document)]
    elif first.code == Reason.ALL_SCOPES_PASS:
        names = _listed([required.scope for required in document.required])
        parts = [f"{names}: every required scope passes on this exact head."]
    elif first.code == Reason.SCOPE_NOT_PASS:
        parts = [_not_established(document)]
    elif first.code == Reason.HOLD_IN_FORCE:
        parts = [_held(document)]
    else:
        parts = [explain(first.code).sentence]
    if document.word == "NOT_QUALIFIED" and document.conflicting:
        parts.append("Another study passes what fails here; that lifts nothing.")
    if nothing_measured(document) and NEITHER not in parts:
        parts.append(NEITHER)
    parts += [study_sentence_of(study) for study in document.studies if _about_another(study)]
    return parts


def action_sentence_of(document: VerdictDocument) -> str:
    """Return who acts next, and what the author has to do now."""
    action = document.next_action
    who = action.role if action.person is None else f"{action.person} ({_AS[action.role]})"
    what = "" if action.what is None else f": {action.what.rstrip('.')}"
    return f"Next action: {who}{what}. Author action now: {document.author_action_now.rstrip('.')}."


def study_sentence_of(study: StudyRecord) -> str:
    """Return what one study establishes, about the commit that it tested."""
    commit = "a commit that was not published" if study.tested is None else study.tested[:_SHORT]
    about = "this head" if study.tests_head else f"{commit}, which is not this head"
    if study.sealed:
        return f"Study {study.ordinal} tests {about} and is sealed until it closes."
    states = _listed([f"{scope.scope} {scope.state}" for scope in study.scopes])
    cause = f"; {CAUSE_NOT_ESTABLISHED}" if _fails(study) else ""
    return f"Study {study.ordinal} is evidence about {about}: {states}{cause}."


def cause_line_of(judgement: Judgement) -> str | None:
    """Return the line under a judgement: a FAIL has one, no other state needs one."""
    return CAUSE_NOT_ESTABLISHED if judgement.state == "FAIL" else None


def _failed(document: VerdictDocument) -> str:
    """Name the failing scopes and the studies they fail in."""
    ordinals = {study.study: study.ordinal for study in document.studies}
    found = [
        f"{reason.scope} fails in study {ordinals[reason.study]}"
        for reason in document.reasons
        if reason.code == Reason.SCOPE_FAILED and reason.study is not None
    ]
    return f"On this head {_listed(found)}; {CAUSE_NOT_ESTABLISHED}."


def _held(document: VerdictDocument) -> str:
    """Say why the newest hold in force was placed, by whom, and what has to happen."""
    hold = [one for one in document.holds if one.in_force][-1]
    until = hold.until.rstrip(".")
    return f"{hold.said.holder} holds this: {hold.why.rstrip('.')}. Until: {until}."


def _not_established(document: VerdictDocument) -> str:
    """Name the first scope that keeps the word, its state, and why it is in it."""
    scope = document.reasons[0].scope
    found = next(required for required in document.required if required.scope == scope)
    sentence = explain(found.reason).sentence
    return f"{found.scope} is not established: {found.state}. {sentence}"


def _about_another(study: StudyRecord) -> bool:
    return not study.tests_head and not study.sealed


def _fails(study: StudyRecord) -> bool:
    return any(scope.state == "FAIL" for scope in study.scopes)


def _listed(names: Sequence[str]) -> str:
    """Join ``a``, ``a and b``, ``a, b and c``; with none, say so."""
    if not names:
        return "no scope"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
