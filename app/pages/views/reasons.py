# SPDX-License-Identifier: Apache-2.0
"""The reasons of a word, each with what it is about, and no sentence said twice."""

from __future__ import annotations

from dataclasses import dataclass

from app.core.reason import Reason
from app.core.statement.verdict import Reason as ReasonRecord
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.explain import explain
from app.pages.views.links import reason_page


@dataclass(frozen=True, slots=True)
class ReasonView:
    """A reason code, what it is about, and what it means where that is not said already."""

    code: str
    href: str
    about: str
    sentence: str | None


def reason_views(document: VerdictDocument) -> tuple[ReasonView, ...]:
    """Return the reasons below a headline, which says already what the first of them means."""
    said = {document.reasons[0].code}
    views = []
    for reason in document.reasons:
        sentence = None if reason.code in said else explain(reason.code).sentence
        said.add(reason.code)
        views.append(
            ReasonView(reason.code, reason_page(reason.code), _about(reason, document), sentence)
        )
    return tuple(views)


def reason_text(reason: ReasonRecord, document: VerdictDocument) -> str:
    """Return a reason for a list: its code, and for a scope that does not pass where it stands."""
    if reason.code != Reason.SCOPE_NOT_PASS:
        return reason.code
    return f"{reason.code}: {_scope(reason, document)}"


def _about(reason: ReasonRecord, document: VerdictDocument) -> str:
    ordinals = {study.study: study.ordinal for study in document.studies}
    about = []
    if reason.scope is not None:
        about.append(_scope(reason, document))
    if reason.study is not None:
        about.append(f"study {ordinals.get(reason.study, reason.study)}")
    if reason.entry is not None:
        about.append(f"log entry {reason.entry}")
    return ", ".join(about)


def _scope(reason: ReasonRecord, document: VerdictDocument) -> str:
    """Return the scope, and for one that does not pass its state and why."""
    name = str(reason.scope)
    found = next((one for one in document.required if one.scope == reason.scope), None)
    if found is None or reason.code != Reason.SCOPE_NOT_PASS:
        return name
    return f"{name} {found.state} ({found.reason})"
