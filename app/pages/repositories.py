# SPDX-License-Identifier: Apache-2.0
"""A repository with its policy, protocols and heads, and a change with its heads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fastapi import APIRouter, Depends, Response

from app.core.admission.state import RepositoryState
from app.core.identity import instant_of
from app.core.statement.people_records import HoldRecord
from app.core.verdict.numbers import instant_text
from app.core.verdict.said import wide_holds
from app.edge.deps import ChangeName, LedgerDep, RepositoryDep, only_known_queries
from app.pages.facts import read_verdicts
from app.pages.page_route import PageRoute
from app.pages.sections import Section, Sheet, sheet_page
from app.pages.views import links
from app.pages.views.people import holds_table
from app.pages.views.reasons import reason_text
from app.pages.views.table import Cell, Table, code
from app.service.answers import LockedDocument, StudyListing
from app.service.find_change import find_change
from app.service.ledger import Ledger

router = APIRouter(
    prefix="/r/{host}/{owner}/{name}",
    route_class=PageRoute,
    dependencies=[Depends(only_known_queries)],
    include_in_schema=False,
)

_MOST_WORDS: Final = 60
"""For so many heads a list shows the word; a longer one only links to the heads."""


@router.get("")
async def get_repository(repository: RepositoryDep, ledger: LedgerDep) -> Response:
    """Show a repository: what it claims, under which protocols, and its heads."""
    standing = await ledger.standing(repository)
    protocols = await ledger.protocols(repository)
    heads = await ledger.heads(repository)
    sections = [
        Section("Policy", *_policy(standing.repository, repository)),
        Section("Heads", tables=[await _heads_table(ledger, repository, heads)]),
        Section("Protocols", tables=[_protocols_table(protocols, repository)]),
    ]
    return sheet_page(Sheet(repository, (), sections, [("All repositories", "/")]))


@router.get("/changes/{number}")
async def get_change(repository: RepositoryDep, number: ChangeName, ledger: LedgerDep) -> Response:
    """Show the heads of one change together, the newest first."""
    found = await find_change(ledger, repository, number)
    holds = await _holds_over(ledger, repository, number)
    sections = [
        Section("Holds over every head of this change", tables=[holds_table(holds)]),
        Section("Heads", tables=[await _heads_table(ledger, repository, found.heads)]),
        Section("Studies", tables=[_studies_table(found.studies)]),
    ]
    line = "A word is about one exact head. No head inherits the word of another."
    crumbs = [(repository, links.repository_page(repository))]
    return sheet_page(Sheet(f"Change {number} of {repository}", (line,), sections, crumbs))


async def _holds_over(ledger: Ledger, repository: str, number: str) -> list[HoldRecord]:
    """Return the holds that any head of the change stands under, whatever its claim."""
    standing = await ledger.standing(repository)
    return wide_holds(standing.repository, standing.ledger.keyring, frozenset((number,)))


def _policy(state: RepositoryState, repository: str) -> tuple[list[str], list[Table]]:
    policy = state.policy
    if policy is None:
        return ["No policy is in force: nothing says what would qualify a head."], []
    tracked = policy.predicate.tracked_branch
    branch = f"tracks {tracked}" if tracked else "tracks no branch"
    line = (
        f"In force since {instant_text(instant_of(policy.at_us))} (log entry {policy.index}); it "
        f"{branch}. Required scopes of a head are the union of the policies in force since its "
        "first study."
    )
    table = Table(
        caption="Claims of the policy in force.",
        headers=("Claim", "Question", "Required scope", "Protocols that may satisfy it"),
        rows=[
            (
                Cell(claim.name),
                Cell(claim.question),
                Cell(required.scope.value),
                code(
                    links.short(required.protocols[0]),
                    links.protocol_page(repository, required.protocols[0]),
                    note=_others(required.protocols[1:]),
                ),
            )
            for claim in policy.predicate.claims
            for required in claim.required
        ],
    )
    return [line], [table]


def _others(digests: list[str]) -> str | None:
    return f"or {', '.join(links.short(one) for one in digests)}" if digests else None


async def _heads_table(ledger: Ledger, repository: str, heads: tuple[str, ...]) -> Table:
    worded = len(heads) <= _MOST_WORDS
    rows = []
    for head in heads:
        said = await _words(ledger, repository, head) if worded else "on its page"
        rows.append((code(head, links.head_page(repository, head)), Cell(said)))
    return Table(
        caption="Heads, each with the word of every claim.",
        headers=("Head", "Words"),
        rows=rows,
        empty="No head has a line yet. Any head has a page all the same: it says HOLD.",
    )


async def _words(ledger: Ledger, repository: str, head: str) -> str:
    documents = [one.document for one in await read_verdicts(ledger, repository, head)]
    return "; ".join(
        f"{one.claim or 'no claim'}: {one.word}{' CONFLICTING' if one.conflicting else ''} "
        f"({reason_text(one.reasons[0], one)})"
        for one in documents
    )


def _protocols_table(protocols: Iterable[LockedDocument], repository: str) -> Table:
    return Table(
        caption="Locked protocols, in the order they were locked.",
        headers=("Protocol", "Question", "Locked", "Supersedes"),
        rows=[
            (
                Cell(
                    f"{one.predicate.document.name} v{one.predicate.document.version}",
                    links.protocol_page(repository, one.digest),
                ),
                Cell(one.predicate.document.question),
                Cell(instant_text(one.at), note=f"log entry {one.index}"),
                code(one.predicate.supersedes or "nothing"),
            )
            for one in protocols
        ],
        empty="No protocol is locked.",
    )


def _studies_table(studies: Iterable[StudyListing]) -> Table:
    return Table(
        caption="Studies of this change, in the order they were opened.",
        headers=("Study", "Opened", "Head"),
        rows=[
            (
                Cell(
                    f"Study {one.ordinal} on {links.short(one.head)}",
                    links.study_page(one.repository, one.digest),
                ),
                Cell(instant_text(one.at), note=f"log entry {one.index}"),
                code(one.head, links.head_page(one.repository, one.head)),
            )
            for one in studies
        ],
    )
