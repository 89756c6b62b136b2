# SPDX-License-Identifier: Apache-2.0
"""The reasons of a word: one line a code, with all that it is about, and no sentence said twice."""

from __future__ import annotations

from collections.abc import Sequence
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
    by_code: dict[str, list[ReasonRecord]] = {}
    for reason in document.reasons:
        by_code.setdefault(reason.code, []).append(reason)
    first = document.reasons[0].code
    return tuple(
        ReasonView(
            code,
            reason_page(code),
            _about(code, found, document),
            None if code == first else explain(code).sentence,
        )
        for code, found in by_code.items()
    )


def reason_text(reason: ReasonRecord, document: VerdictDocument) -> str:
    """Return a reason for a list: its code, and for a scope that does not pass where it stands."""
    if reason.code != Reason.SCOPE_NOT_PASS:
        return reason.code
    return f"{reason.code}: {reason.scope}{_stands(reason, document)}"


def listed(names: Sequence[str]) -> str:
    """Return names as a person says them: ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def _about(code: str, reasons: Sequence[ReasonRecord], document: VerdictDocument) -> str:
    """Return everything that a code is about, each thing once."""
    if code == Reason.SCOPE_NOT_PASS:
        return _scopes(reasons, document)
    ordinals = {study.study: str(study.ordinal) for study in document.studies}
    if all(one.scope is None and one.entry is None and one.study is not None for one in reasons):
        return _named("study", "studies", [ordinals[one.study] for one in reasons if one.study])
    if all(one.scope is None and one.study is None and one.entry is not None for one in reasons):
        return _named("log entry", "log entries", [str(one.entry) for one in reasons])
    return "; ".join(dict.fromkeys(filter(None, (_one(each, ordinals) for each in reasons))))


def _named(single: str, several: str, names: Sequence[str]) -> str:
    return f"{single if len(names) == 1 else several} {listed(names)}"


def _one(reason: ReasonRecord, ordinals: dict[str, str]) -> str:
    about = [] if reason.scope is None else [str(reason.scope)]
    if reason.study is not None:
        about.append(f"study {ordinals.get(reason.study, reason.study)}")
    if reason.entry is not None:
        about.append(f"log entry {reason.entry}")
    return ", ".join(about)


def _scopes(reasons: Sequence[ReasonRecord], document: VerdictDocument) -> str:
    """Return the scopes that do not pass, those in one state for one reason together."""
    by_state: dict[str, list[str]] = {}
    for reason in reasons:
        by_state.setdefault(_stands(reason, document), []).append(str(reason.scope))
    return "; ".join(f"{listed(names)}{stands}" for stands, names in by_state.items())


def _stands(reason: ReasonRecord, document: VerdictDocument) -> str:
    """Return the state of a scope and why it is in it."""
    found = next((one for one in document.required if one.scope == reason.scope), None)
    return "" if found is None else f" {found.state} ({found.reason})"
