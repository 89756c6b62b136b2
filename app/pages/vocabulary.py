# SPDX-License-Identifier: Apache-2.0
"""Pages of words: the glossary, one page per reason code and one per problem type."""

from __future__ import annotations

from functools import cache
from typing import Final

from fastapi import APIRouter, Depends, Response

from app.core.errors import UnknownThing
from app.core.verdict.explain import REASON_TEXTS, explain
from app.edge.deps import only_known_queries
from app.pages.page_route import PageRoute
from app.pages.sections import Section, Sheet, sheet_page
from app.pages.shipped_docs import ProblemRow, problem_rows, sections_of, shipped
from app.pages.views.links import reason_page
from app.pages.views.table import Cell, Table, code

router = APIRouter(
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)

_ACTS: Final = (
    "Acts next when this reason decides and no statement names anybody: {role}. Whether the author "
    "has anything to do is said on the head's page, and is none unless a statement says otherwise."
)


@cache
def _problems() -> dict[str, ProblemRow]:
    """Read the table once; it is part of the installation."""
    return problem_rows(shipped("problems.md"))


@router.get("/reasons")
async def list_reasons() -> Response:
    """List every reason code with its sentence."""
    table = Table(
        caption="Reason codes: why something is in the state it is in.",
        headers=("Code", "Sentence", "Acts next"),
        rows=[
            (code(reason.value, reason_page(reason.value)), Cell(text.sentence), Cell(text.acts))
            for reason, text in REASON_TEXTS.items()
        ],
    )
    return sheet_page(Sheet("Reason codes", (), [Section(tables=[table])]))


@router.get("/reasons/{name}")
async def get_reason(name: str) -> Response:
    """Say what one reason code means, what it does not mean, and what to do."""
    text = explain(name)
    lines = (text.sentence, text.page, _ACTS.format(role=text.acts))
    return sheet_page(Sheet(name, lines, (), [("Reason codes", "/reasons")]))


@router.get("/problems")
async def list_problems() -> Response:
    """List every problem type."""
    table = Table(
        caption="Problem types: why a request was refused.",
        headers=("Code", "Group", "When"),
        rows=[
            (code(row.code, f"/problems/{row.code}"), Cell(row.group), Cell(row.when))
            for row in _problems().values()
        ],
    )
    line = "Every refusal is application/problem+json (RFC 9457); no answer echoes what was sent."
    return sheet_page(Sheet("Problems", [line], [Section(tables=[table])]))


@router.get("/problems/{name}")
async def get_problem(name: str) -> Response:
    """Say when one problem type is answered."""
    row = _problems().get(name)
    if row is None:
        detail = "This version knows no problem of that name; see the list of problems."
        raise UnknownThing(detail, code="unknown-thing")
    lines = (
        f"{row.when[:1].upper()}{row.when[1:]}.",
        f"Group: {row.group}. Programs decide by the code; the detail of an answer is for people.",
        "Nothing was written, except where content was refused for a slot that the same key holds.",
    )
    return sheet_page(Sheet(f"Problem {row.code}", lines, (), [("Problems", "/problems")]))


@router.get("/glossary")
async def get_glossary() -> Response:
    """Show one meaning for each word."""
    sections = sections_of(shipped("glossary.md"))
    return sheet_page(Sheet("Glossary", (), sections))
