# SPDX-License-Identifier: Apache-2.0
"""A study's progress and one receipt: slot states and thin receipts are public, captures sealed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Depends, Response

from app.core.errors import SchemaViolation, SealedUntilClosure, UnknownThing
from app.core.identity import instant_of
from app.core.protocol.plan import cell_of
from app.core.statement.capture import Capture, StreamsCapture
from app.core.statement.parse import parse_capture
from app.core.statement.receipt import ReceiptPredicate
from app.core.study.state import StudyState
from app.core.verdict.numbers import NOT_RECORDED, instant_text
from app.edge.deps import Digest, LedgerDep, RepositoryDep, only_known_queries
from app.pages.facts import StudyFacts, head_facts
from app.pages.ledger_pages import payload_section
from app.pages.page_route import PageRoute
from app.pages.sections import Section, Sheet, sheet_page
from app.pages.views import links
from app.pages.views.captures import capture_tables, kind_text, study_captures
from app.pages.views.head import summary_text
from app.pages.views.identities import (
    absent_word,
    conditions_table,
    pins_table,
    ranks_of,
    receipt_table,
)
from app.pages.views.slots import attempt_table, flow_table, grid_tables, sum_text
from app.pages.views.streams import capture_streams
from app.pages.views.table import Cell, Table, code, number
from app.service.answers import FoundStatement
from app.service.ledger import Ledger

router = APIRouter(
    prefix="/r/{host}/{owner}/{name}",
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)


@router.get("/studies/{digest}")
async def get_study(repository: RepositoryDep, digest: Digest, ledger: LedgerDep) -> Response:
    """Show how far a study is."""
    found = await ledger.study(digest)
    _refuse_other(found.repository, repository)
    facts = await head_facts(ledger, repository, found.head)
    study = next(one for one in facts.studies if one.record.study == digest)
    record, predicate = study.record, study.state.predicate
    sections = [
        Section("Slots", [f"Slots: {sum_text(record.flow)}."], grid_tables(study)),
        Section("Flow", tables=[flow_table(study)]),
        Section("Attempts", tables=[attempt_table(study, repository)]),
        _captures_section(study, facts.captures, left_out=facts.captures_left_out),
        Section("Deviations", tables=[_deviations(study)]),
        Section("Pins", tables=[pins_table(study), conditions_table(study), _people(study)]),
    ]
    lines = [
        f"{summary_text(study)} It was opened on head {found.head}.",
        f"Opened {instant_text(record.opened_at)}.",
        f"Closes {instant_text(record.closes_at)} at the latest.",
    ]
    if record.sealed:
        lines.append("Sealed until it closes: nothing computed from its captures is shown.")
    if predicate.replay is not None:
        lines.append(f"Replay of {predicate.replay.source}")
    crumbs = [
        (repository, links.repository_page(repository)),
        (f"head {links.short(found.head)}", links.head_page(repository, found.head)),
        ("protocol", links.protocol_page(repository, record.protocol.digest)),
        ("as signed", links.statement_page(digest)),
    ]
    return sheet_page(Sheet(study.name, lines, sections, crumbs))


@router.get("/receipts/{digest}")
async def get_receipt(repository: RepositoryDep, digest: Digest, ledger: LedgerDep) -> Response:
    """Show one receipt, and its capture once that is no longer sealed."""
    found = await ledger.statement(digest)
    receipt = None if found.entry.parsed is None else found.entry.parsed.predicate
    if not isinstance(receipt, ReceiptPredicate):
        detail = "The statement of this digest is no receipt."
        raise UnknownThing(detail, code="unknown-thing")
    study = await ledger.study(receipt.study)
    _refuse_other(study.repository, repository)
    absent = absent_word(study.study.predicate)
    sections = [
        Section("What it says", tables=[_said(receipt, found)]),
        await _capture_section(ledger, receipt, study.study),
        Section("Identities", tables=[receipt_table(receipt, absent), ranks_of(receipt, absent)]),
        Section("Files that stay with their owner", tables=[_originals(receipt)]),
        Section("The runner's own words", tables=[_claims(receipt)]),
        payload_section(found),
    ]
    line = (
        "A runner's own word about the outcome is a claim and is never scored; states are computed "
        "from the capture by the locked fault table."
    )
    crumbs = [
        (repository, links.repository_page(repository)),
        (f"head {links.short(study.head)}", links.head_page(repository, study.head)),
        ("study", links.study_page(repository, receipt.study)),
    ]
    heading = f"Receipt for {receipt.slot}, attempt {receipt.attempt}"
    return sheet_page(Sheet(heading, [line], sections, crumbs))


def _captures_section(
    study: StudyFacts, captures: Mapping[str, Capture], *, left_out: bool
) -> Section:
    heading = "Captures"
    if study.record.sealed:
        return Section(heading, ["Sealed until the study closes."])
    if left_out:
        return Section(heading, ["There are more than one page shows; each receipt has its own."])
    tables = study_captures(study, captures)
    plotted = "Streams are drawn on the head's page and on that of each receipt."
    return Section(heading, [plotted], tables)


def _refuse_other(owner: str, repository: str) -> None:
    """Refuse a thing of another repository: the repository is the unit of tenancy."""
    if owner != repository:
        detail = "Nothing of this name belongs to this repository."
        raise UnknownThing(detail, code="unknown-thing")


async def _capture_section(ledger: Ledger, receipt: ReceiptPredicate, study: StudyState) -> Section:
    heading = "Capture"
    cell = cell_of(study.document, study.slots[receipt.slot].planned.cell)
    try:
        capture = parse_capture(await ledger.capture(receipt.capture.sha256))
    except SealedUntilClosure as sealed:
        return Section(heading, [f"Sealed until the study closes. {sealed.detail}"])
    except SchemaViolation:
        return Section(heading, ["It follows a schema that this version cannot read."])
    if not isinstance(capture, StreamsCapture):
        return Section(heading, [kind_text(capture)], capture_tables(receipt.slot, cell, capture))
    phases = capture.phases
    line = f"Warm-up {phases.warmup}; measured phase {phases.measured.replace('_', ' ')}."
    tables = capture_tables(receipt.slot, cell, capture)
    return Section(heading, [line], tables, [capture_streams(receipt.slot, capture)])


_BINDING: Final = {
    "seeded": "seeded: prompts that follow from the challenge, as the receipt says; not recomputed",
    "echoed": "echoed: the challenge stands in the receipt and not in the prompts, which is weaker",
}
"""How a capture is tied to the challenge of its slot (threat S17)."""


def _said(receipt: ReceiptPredicate, found: FoundStatement) -> Table:
    rows = (
        ("slot", receipt.slot),
        ("attempt", str(receipt.attempt)),
        ("log entry", str(found.index)),
        ("log time", instant_text(found.leaf.at)),
        ("started, by the client's clock; display only", instant_text(receipt.started_at)),
        ("finished, by the client's clock; display only", instant_text(receipt.finished_at)),
        ("challenge", receipt.challenge),
        ("binding", _BINDING[receipt.binding]),
        ("capture SHA-256", receipt.capture.sha256),
        ("capture size", f"{receipt.capture.size:,} bytes"),
        ("capture schema", receipt.capture.schema),
        ("reservation", receipt.reservation),
        ("written by", f"{receipt.tool.name} {receipt.tool.version}"),
        ("key", receipt.signer),
    )
    return Table(
        caption="The signed statement around one capture.",
        headers=("What", "Value"),
        rows=[(Cell(name), code(value)) for name, value in rows],
    )


def _originals(receipt: ReceiptPredicate) -> Table:
    return Table(
        caption="Whoever is given such a file can check it against these.",
        headers=("Name", "SHA-256", "Size"),
        rows=[
            (Cell(one.name), code(one.sha256), number(f"{one.size:,} bytes"))
            for one in receipt.originals
        ],
        empty="None is named.",
    )


def _claims(receipt: ReceiptPredicate) -> Table:
    said = (("claim", receipt.claims), ("note", receipt.annotations))
    return Table(
        caption="Claims and notes: shown, never scored.",
        headers=("About", "Said", "As"),
        rows=[
            (Cell(name), Cell(text), Cell(what))
            for what, texts in said
            for name, text in texts.items()
        ],
        empty="None.",
    )


def _deviations(study: StudyFacts) -> Table:
    return Table(
        caption="What did not go as locked; it stands beside the computed states.",
        headers=("What happened", "Phase", "Slots", "Put back afterwards", "Ended the study", "At"),
        rows=[
            (
                Cell(one.predicate.what, links.statement_page(one.digest)),
                Cell(one.predicate.phase),
                Cell(", ".join(one.predicate.slots) or "the study as a whole"),
                Cell({True: "yes", False: "no", None: NOT_RECORDED}[one.predicate.restored]),
                Cell("yes" if one.predicate.ends_study else "no"),
                Cell(instant_text(instant_of(one.at_us))),
            )
            for one in study.state.deviations
        ],
        empty="No deviation is recorded.",
    )


def _people(study: StudyFacts) -> Table:
    predicate = study.state.predicate
    owners = predicate.owners
    rows = (
        ("maintainer", owners.maintainer),
        ("author", owners.author),
        ("runner", owners.runner),
        ("keys that may reserve", ", ".join(predicate.runners)),
    )
    return Table(
        caption="Who acts, by role.",
        headers=("Role", "Who"),
        rows=[(Cell(name), code(value)) for name, value in rows],
    )
