# SPDX-License-Identifier: Apache-2.0
"""The page of one exact head as one value, in the order in which it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.pages.facts import HeadFacts, StudyFacts
from app.pages.views import (
    captures,
    claims,
    controls,
    established,
    gates,
    identities,
    links,
    people,
    scopes,
    slots,
    streams,
    verify,
)
from app.pages.views.table import Table
from app.pages.views.witnessed import witnessed_text

_DECIDING: Final = frozenset({"primary", "secondary"})
_MOST_NAMED: Final = 9


@dataclass(frozen=True, slots=True)
class StudyView:
    """One study's part of the page.

    Attributes:
        gates_text: what the gates say that are asked of what is tested; empty: nothing yet.
        not_claimed: what the protocol does not claim.
        ended: why the study was ended early; empty: it was not.
        plots_note: said instead of or beside the plots.
    """

    name: str
    href: str
    protocol_href: str
    summary: str
    gates_text: str
    not_claimed: str
    ended: str
    sum_text: str
    sealed: bool
    flow: Table
    gate_plots: list[gates.GatePlot]
    stream_plots: list[streams.StreamsPlot]
    plots_note: str
    captures: list[Table]
    controls: Table
    attempts: Table
    pins: Table
    conditions: Table
    receipts: Table
    ranks: Table


@dataclass(frozen=True, slots=True)
class HeadView:
    """Everything the template prints."""

    title: str
    repository: str
    repository_href: str
    head: str
    change: str | None
    change_href: str | None
    top: claims.TopView
    attempt: str
    holds: str
    holds_table: Table | None
    reviews: Table | None
    decisions: Table | None
    base: str
    replays: tuple[str, ...]
    scopes: Table
    gates: Table
    studies: list[StudyView]
    not_established: list[established.NotEstablished]
    links: tuple[verify.Link, ...]
    commands: str
    witnessed: str
    paste: str


def head_view(facts: HeadFacts) -> HeadView:
    """Return the view of a head."""
    document = facts.document
    held = people.holds_of(facts.verdicts)
    decided = people.decisions_of(facts.verdicts)
    change = document.change
    return HeadView(
        title=f"{document.word} {facts.repository}@{facts.head[:12]}",
        repository=facts.repository,
        repository_href=links.repository_page(facts.repository),
        head=facts.head,
        change=change,
        change_href=None if change is None else links.change_page(facts.repository, change),
        top=claims.top_view(facts),
        attempt=claims.attempt_text(document),
        holds=claims.holds_text(document, held),
        holds_table=people.holds_table(held) if held else None,
        reviews=people.reviews_table(document.reviews) if document.reviews else None,
        decisions=people.decisions_table(decided) if decided else None,
        base=claims.base_text(document.base),
        replays=tuple(
            f"{study.name} retells: {study.state.predicate.replay.source.rstrip('.')}"
            for study in facts.studies
            if study.state.predicate.replay is not None
        ),
        scopes=scopes.scope_matrix(facts),
        gates=gates.gate_table(facts),
        studies=[study_view(study, facts) for study in facts.studies],
        not_established=established.not_established(facts),
        links=verify.raw_links(facts),
        commands=verify.commands(facts),
        witnessed=witnessed_text(facts.witnesses, facts.checkpoint),
        paste=verify.paste(facts),
    )


def study_view(study: StudyFacts, facts: HeadFacts) -> StudyView:
    """Return the view of one study on the page of its head."""
    record = study.record
    receipts = identities.receipts_of(study)
    drawn = not record.sealed and not facts.captures_left_out
    return StudyView(
        name=study.name,
        href=links.study_page(facts.repository, record.study),
        protocol_href=links.protocol_page(facts.repository, record.protocol.digest),
        summary=summary_text(study),
        gates_text=gates_text(study),
        not_claimed="; ".join(record.not_claimed),
        ended=" ".join(
            one.predicate.what for one in study.state.deviations if one.predicate.ends_study
        ),
        sum_text=slots.sum_text(record.flow),
        sealed=record.sealed,
        flow=slots.flow_table(study),
        gate_plots=gates.gate_plots(study),
        stream_plots=streams.study_streams(study, facts.captures) if drawn else [],
        plots_note=_plots_note(study, facts),
        captures=captures.study_captures(study, facts.captures) if drawn else [],
        controls=controls.controls_table(study),
        attempts=slots.attempt_table(study, facts.repository),
        pins=identities.pins_table(study),
        conditions=identities.conditions_table(study),
        receipts=identities.receipts_identity_table(study, receipts),
        ranks=identities.ranks_table(study, receipts),
    )


def summary_text(study: StudyFacts) -> str:
    """Return in a line what a study is to the word of this head."""
    record = study.record
    counting = {
        "counts": "It counts towards the word." if record.tests_head else "",
        "exploratory": "It is exploratory: shown, never counted.",
        "replay": "It is a replay: shown in full, and it caps the word at HOLD.",
        "void": "It is void: nothing of it was measured, and it does not count.",
    }[record.counting]
    attempt = (
        "no candidate slot was reserved"
        if record.attempt is None
        else f"attempt {record.attempt} on this head"
    )
    tested = "a commit that was not published" if record.tested is None else "another commit"
    about = f"It tested {tested} and establishes nothing about this head."
    parts = (f"{record.state}; {attempt}.", counting, "" if record.tests_head else about)
    return " ".join(filter(None, parts))


def gates_text(study: StudyFacts) -> str:
    """Return the state of each gate that decides, those in one state for one reason together."""
    found: dict[str, list[str]] = {}
    for gate in study.record.judgements:
        if gate.role in _DECIDING:
            found.setdefault(f"{gate.state} ({gate.reason})", []).append(gate.gate)
    return "; ".join(f"{_named(names)} {stands}" for stands, names in found.items())


def _named(gates_: list[str]) -> str:
    return ", ".join(gates_) if len(gates_) <= _MOST_NAMED else f"{len(gates_)} gates"


def _plots_note(study: StudyFacts, facts: HeadFacts) -> str:
    if study.record.sealed:
        return (
            "Sealed until the study closes: neither captures nor anything computed from them is "
            "shown. Slot states and receipts below are public."
        )
    if facts.captures_left_out:
        return (
            "This head has more captures than one page draws stream by stream; the plots of gates "
            "hold every planned unit, and each receipt's own page draws its streams."
        )
    return "Every planned slot and every receipt stands in these plots, whatever became of it."
