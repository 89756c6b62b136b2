# SPDX-License-Identifier: Apache-2.0
"""The scope matrix: every scope there is, side by side; none stands in for another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.identity import Scope
from app.core.statement.verdict import RequiredState, ScopeState, VerdictDocument
from app.core.verdict.explain import CAUSE_NOT_ESTABLISHED, explain
from app.pages.facts import HeadFacts, StudyFacts
from app.pages.views.counted import skipped_text
from app.pages.views.links import reason_page
from app.pages.views.table import Cell, Table, state

NOT_REQUIRED: Final = "not required"
NOT_TESTED: Final = "not tested"
ZERO_MEASURED: Final = "zero measured: neither a pass nor a regression"


def scope_matrix(facts: HeadFacts) -> Table:
    """Return one row per scope: what each claim requires, and what each study says."""
    documents = [verdict.document for verdict in facts.verdicts]
    claims = tuple(f"Claim {document.claim or '(none)'}" for document in documents)
    return Table(
        caption="Scopes. A claim's columns are about this exact head; a study's columns are about "
        "the commit that study tested.",
        headers=("Scope", *claims, *(_heading(study) for study in facts.studies)),
        rows=[
            (
                Cell(scope.value),
                *(_required(facts, document, scope) for document in documents),
                *(_in_study(facts, study, scope) for study in facts.studies),
            )
            for scope in Scope
        ],
    )


def untested(facts: HeadFacts) -> list[str]:
    """Return the scopes that no study on this head has a gate for."""
    tested = {scope.scope for study in facts.studies for scope in study.record.scopes}
    return [scope.value for scope in Scope if scope not in tested]


def _heading(study: StudyFacts) -> str:
    record = study.record
    tested = "a commit not published" if record.tested is None else record.tested[:12]
    about = "this head" if record.tests_head else f"{tested}, not this head"
    return f"Study {record.ordinal}: {about}"


def _required(facts: HeadFacts, document: VerdictDocument, scope: Scope) -> Cell:
    found = next((one for one in document.required if one.scope == scope), None)
    if found is None:
        return Cell(NOT_REQUIRED, tone="quiet")
    behind = [study for study in facts.studies if study.record.study in found.studies]
    return _state(found, behind, skipped_text(facts, behind, scope))


def _in_study(facts: HeadFacts, study: StudyFacts, scope: Scope) -> Cell:
    found = next((one for one in study.record.scopes if one.scope == scope), None)
    if found is None:
        return Cell(NOT_TESTED, tone="quiet")
    return _state(found, [study], skipped_text(facts, [study], scope))


def _state(
    found: RequiredState | ScopeState, behind: Sequence[StudyFacts], skipped: str | None
) -> Cell:
    """Return a scope's cell; ``behind``: the studies it rests on."""
    sentence = explain(found.reason).sentence
    note = f"{found.reason}: {sentence}"
    zero_measured = bool(behind) and all(one.record.measured == 0 for one in behind)
    fails = found.state == "FAIL"
    said = (skipped, CAUSE_NOT_ESTABLISHED if fails else ZERO_MEASURED if zero_measured else None)
    below = "; ".join(filter(None, said)) or None
    return state(found.state, note=note, note_href=reason_page(found.reason), below=below)
