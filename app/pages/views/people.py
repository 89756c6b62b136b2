# SPDX-License-Identifier: Apache-2.0
"""What people said about a head, beside the computed word: holds, reviews and decisions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.statement.hold import AppliesTo
from app.core.statement.people_records import (
    DecisionRecord,
    HoldRecord,
    ReviewRecord,
    SaidBy,
)
from app.core.statement.place import Link
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.numbers import instant_text
from app.pages.facts import Verdict
from app.pages.views.links import short, statement_page
from app.pages.views.table import Cell, Table

_DECIDED: Final = {
    "merged_without_pass": "merged without a pass",
    "landed_through": "landed through",
    "waived": "waived",
    "declined": "declined",
}
_OUTCOMES: Final = {
    "comment": "COMMENT: neither for nor against",
    "accepted": "ACCEPTED",
    "changes_requested": "CHANGES REQUESTED",
}


def holds_of(verdicts: Sequence[Verdict]) -> list[HoldRecord]:
    """Return the holds of every claim, each once, the newest first."""
    found = {hold.said.entry: hold for one in verdicts for hold in one.document.holds}
    return [found[entry] for entry in sorted(found, reverse=True)]


def decisions_of(verdicts: Sequence[Verdict]) -> list[DecisionRecord]:
    """Return the decisions about every claim, each once, the newest first."""
    found = {one.said.entry: one for verdict in verdicts for one in verdict.document.decisions}
    return [found[entry] for entry in sorted(found, reverse=True)]


def holds_table(holds: Sequence[HoldRecord]) -> Table:
    """Return every hold, those that ended too."""
    return Table(
        caption="Holds, the newest first. A hold keeps the word from being green until a statement "
        "clears it.",
        headers=("Hold", "Applies to", "Why, until", "Tested, not tested", "Next action", "Said"),
        rows=[_hold_row(hold) for hold in holds],
        empty="No hold was placed.",
    )


def reviews_table(reviews: Sequence[ReviewRecord]) -> Table:
    """Return every review of this exact head."""
    return Table(
        caption="Reviews of this exact head. A review changes no word by itself.",
        headers=("Outcome", "Scope", "Did", "Did not", "Independent", "Said"),
        rows=[_review_row(review) for review in reversed(reviews)],
        empty="Nobody has reviewed this head.",
    )


def decisions_table(decisions: Sequence[DecisionRecord]) -> Table:
    """Return every decision; none of them changes the computed word."""
    return Table(
        caption="Decisions of people, beside the computed word. None of them changes it.",
        headers=("Decision", "Claim", "Reason", "Said"),
        rows=[_decision_row(one) for one in decisions],
        empty="Nothing was decided about this head.",
    )


def beside_the_word(document: VerdictDocument) -> str:
    """Return what people decided, to stand beside a word: ``waived by ada``; or nothing."""
    standing = (one for one in document.decisions if not one.superseded)
    return "; ".join(f"{_decided(one)} by {one.said.holder}" for one in standing)


def why_decided(document: VerdictDocument) -> list[str]:
    """Return the reasons that people gave for what stands beside a word, and what follows it."""
    standing = [one for one in document.decisions if not one.superseded]
    return [text for one in standing for text in (one.reason, _links(one.links)) if text]


def reviews_text(reviews: Sequence[ReviewRecord]) -> str:
    """Return in a line which reviews there are, and how many of them count as independent."""
    standing = [_OUTCOMES[one.outcome].partition(":")[0] for one in reviews if not one.superseded]
    named = ", ".join(f"{standing.count(one)} {one}" for one in dict.fromkeys(standing))
    return f"reviews of this head: {named or 'none'}"


def is_waived(document: VerdictDocument) -> bool:
    """Tell whether people waive something that the word waits for."""
    waived = (one.decided == "waived" and not one.superseded for one in document.decisions)
    return document.word != "QUALIFIED" and any(waived)


def _hold_row(hold: HoldRecord) -> tuple[Cell, ...]:
    ended = hold.ended
    state = "in force"
    if ended is not None:
        state = f"{ended.how} by {ended.said.holder} ({instant_text(ended.said.at)})"
    return (
        Cell(state, tone="state state-held" if hold.in_force else "", note=_end_note(hold)),
        Cell(_applies_to(hold.applies_to), note=_links(hold.links)),
        Cell(hold.why, note=f"until: {hold.until}"),
        Cell(f"tested: {_listed(hold.tested)}", note=f"not tested: {_listed(hold.not_tested)}"),
        Cell(
            f"{hold.next_action.person}: {hold.next_action.what}",
            note=f"author action now: {hold.author_action_now}",
        ),
        _said(hold.said),
    )


def _end_note(hold: HoldRecord) -> str | None:
    return None if hold.ended is None else hold.ended.why


def _review_row(review: ReviewRecord) -> tuple[Cell, ...]:
    gone = "superseded by a later review of the same person" if review.superseded else None
    return (
        Cell(_OUTCOMES[review.outcome], note=gone),
        Cell(review.scope.value, note=_base(review)),
        Cell(_listed(review.did), note=_evidence(review)),
        Cell(_listed(review.did_not)),
        Cell("yes" if review.independent else "no", note=_ties(review)),
        _said(review.said),
    )


def _decision_row(one: DecisionRecord) -> tuple[Cell, ...]:
    gone = "taken back or restated by a later decision" if one.superseded else None
    expires = None if one.expires_at is None else f"meant to hold until {one.expires_at}"
    return (
        Cell(_decided(one), note=gone or expires),
        Cell(one.claim or "the head as a whole"),
        Cell(one.reason, note=_links(one.links)),
        _said(one.said),
    )


def _decided(one: DecisionRecord) -> str:
    words = _DECIDED[one.decided]
    if one.scope is not None:
        return f"{one.scope.value} {words}"
    if one.through is None:
        return words
    through = one.through
    parts = [
        f"change {through.change}" if through.change else "",
        f"head {short(through.head)}" if through.head else "",
        f"claim {through.claim}" if through.claim else "",
    ]
    return f"{words} {', '.join(part for part in parts if part)}"


def _applies_to(about: AppliesTo) -> str:
    parts = []
    if about.head is not None:
        parts.append("this head alone")
    if about.changes:
        numbers = ", ".join(about.changes)
        parts.append(f"every head of change{'s' * (len(about.changes) > 1)} {numbers}")
    if not parts:
        parts.append("every head of the repository")
    if about.claim is not None:
        parts.append(f"claim {about.claim}")
    return ", ".join(parts)


def _said(said: SaidBy) -> Cell:
    return Cell(
        f"{said.holder} ({said.role})",
        statement_page(said.statement),
        note=f"log entry {said.entry}, {instant_text(said.at)}",
        below="signed by a key under suspicion" if said.suspect else None,
    )


def _base(review: ReviewRecord) -> str | None:
    return None if review.base is None else f"against {short(review.base)}"


def _evidence(review: ReviewRecord) -> str | None:
    named = [f"{one.what} ({short(one.sha256)})" for one in review.evidence]
    return f"rests on {_listed(named)}" if named else None


def _ties(review: ReviewRecord) -> str | None:
    relation = review.relation
    ties = {
        "wrote the change": relation.author,
        "pushed this head": relation.pushed,
        "locked a protocol": relation.locked,
        "ran slots": relation.ran,
    }
    said = [tie for tie, applies in ties.items() if applies]
    return f"by the reviewer's own word: {_listed(said)}" if said else None


def _links(links: Sequence[Link]) -> str | None:
    named = [
        f"{one.relation.replace('_', ' ')}: {_target(one)}{f' ({one.note})' if one.note else ''}"
        for one in links
    ]
    return "; ".join(named) or None


def _target(link: Link) -> str:
    if link.change is not None:
        return f"change {link.change}"
    return f"head {short(link.head)}" if link.head else f"statement {short(link.statement or '')}"


def _listed(items: Sequence[str]) -> str:
    return "; ".join(one.rstrip(".") for one in items) or "nothing was named"
