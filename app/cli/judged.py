# SPDX-License-Identifier: Apache-2.0
"""Every gate of a verdict in words: the sentences of the page, for who reads in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from app.core.statement.judgement import Judgement
from app.core.statement.verdict import StudyRecord, VerdictDocument
from app.core.verdict.explain import cause_line_of, explain
from app.core.verdict.judgement_text import (
    counts_text,
    how_text,
    limit_text,
    observed_text,
    reviews_text,
    room_text,
)
from app.core.verdict.unit_text import aside_text, unit_name


def judged_lines(document: VerdictDocument) -> Iterator[str]:
    """Yield every gate of every closed study, in the document's order."""
    for study in document.studies:
        yield ""
        yield from _study(study)


def _study(study: StudyRecord) -> Iterator[str]:
    if not study.judgements:
        yield f"study {study.ordinal}: no gate is judged"
    for gate in study.judgements:
        yield f"study {study.ordinal}, gate {gate.gate}: {gate.state} ({gate.reason})"
        yield from (f"  {line}" for line in _gate(gate))


def _gate(gate: Judgement) -> Iterator[str]:
    yield f"arm {gate.arm}, {gate.cell}, {gate.scope}, role {gate.role}, kind {gate.kind}"
    yield f"rule: {gate.rule}"
    yield explain(gate.reason).sentence
    cause = cause_line_of(gate)
    if cause is not None:
        yield cause
    yield f"limit {limit_text(gate)}; observed {observed_text(gate)}; margin {room_text(gate)}"
    yield counts_text(gate)
    how = how_text(gate)
    if how:
        yield how
    if gate.reviews is not UNSET:
        yield reviews_text(gate.reviews)
    for one in gate.observations:
        aside = aside_text(gate, one)
        if aside:
            yield f"{unit_name(one)}: {aside}"
