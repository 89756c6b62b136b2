# SPDX-License-Identifier: Apache-2.0
"""``fairtrial review`` and ``decide``: what people say about one exact head, beside its word."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from app.cli.key_holders import holders_of
from app.cli.options import DEFAULT_URL, AsJson, KeyFile, RepositoryOption, Url
from app.cli.restating import refuse_ended
from app.cli.session import appended, connect, envelope_of, repository_named, signing_key
from app.cli.stored import object_of, rows_of
from app.core.canonical import JsonValue
from app.core.identity import Scope
from app.runner.client import Client
from app.runner.compose import HeadPlace
from app.runner.failures import Document, Refused

HeadArgument = Annotated[str, typer.Argument(help="Full commit id of the head.", metavar="HEAD")]


class Outcome(StrEnum):
    """What came of a look."""

    COMMENT = "comment"
    ACCEPTED = "accepted"
    CHANGES_REQUESTED = "changes_requested"


class Decided(StrEnum):
    """What was done."""

    MERGED_WITHOUT_PASS = "merged_without_pass"  # noqa: S105  no secret: a pass of a gate
    LANDED_THROUGH = "landed_through"
    WAIVED = "waived"
    DECLINED = "declined"


def review(
    head: HeadArgument,
    *,
    scope: Annotated[Scope, typer.Option(help="What it is about.")],
    did: Annotated[list[str], typer.Option(help="What you did; may be repeated.", metavar="TEXT")],
    did_not: Annotated[
        list[str] | None,
        typer.Option(help="What you did not do; may be repeated.", metavar="TEXT"),
    ] = None,
    outcome: Annotated[Outcome, typer.Option(help="What came of it.")] = Outcome.COMMENT,
    base: Annotated[
        str | None, typer.Option(help="The commit it was read against.", metavar="COMMIT")
    ] = None,
    author: Annotated[bool, typer.Option("--author", help="You wrote the change.")] = False,
    pushed: Annotated[bool, typer.Option("--pushed", help="You pushed this head.")] = False,
    locked: Annotated[bool, typer.Option("--locked", help="You locked a protocol.")] = False,
    ran: Annotated[bool, typer.Option("--ran", help="You ran slots of a study on it.")] = False,
    repository: RepositoryOption = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Put a review on the head's line; a newer one of yours supersedes the one before.

    The same review again changes nothing.
    """
    place = HeadPlace(repository_named(repository), head)
    relation: Document = {"author": author, "pushed": pushed, "locked": locked, "ran": ran}
    members: Document = {
        "base": base,
        "scope": scope.value,
        "outcome": outcome.value,
        "did": [*did],
        "did_not": [*(did_not or ())],
        "evidence": [],
        "relation": relation,
    }
    with connect(url) as client:
        mine = signing_key(key).key_id
        members["supersedes"] = _my_review(client, place, mine, members)
        envelope = envelope_of("review", members, client=client, key=key, place=place)
        answer = client.append("review", envelope)
    appended(answer, as_json=as_json)


def decide(
    head: HeadArgument,
    decided: Annotated[Decided, typer.Argument(help="What was done.")],
    *,
    reason: Annotated[str, typer.Option(help="Why, in one line.", metavar="TEXT")],
    claim: Annotated[str | None, typer.Option(help="About this claim alone.")] = None,
    scope: Annotated[Scope | None, typer.Option(help="The scope that is waived.")] = None,
    through_change: Annotated[
        str | None, typer.Option(help="The change it landed through.", metavar="NUMBER")
    ] = None,
    through_head: Annotated[
        str | None, typer.Option(help="The head it landed through.", metavar="COMMIT")
    ] = None,
    through_claim: Annotated[
        str | None, typer.Option(help="The claim it landed under.", metavar="CLAIM")
    ] = None,
    expires: Annotated[
        str | None,
        typer.Option(help="Until when a waiver is meant to hold.", metavar="INSTANT"),
    ] = None,
    supersedes: Annotated[
        str | None, typer.Option(help="The decision this takes back.", metavar="DIGEST")
    ] = None,
    repository: RepositoryOption = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Put a decision on the head's line; the computed word stays what it is.

    The same again changes nothing; once it was taken back, it takes --supersedes to say it anew.
    """
    place = HeadPlace(repository_named(repository), head)
    through: Document = {"change": through_change, "head": through_head, "claim": through_claim}
    members: Document = {
        "decided": decided.value,
        "claim": claim,
        "scope": None if scope is None else scope.value,
        "through": through if any(through.values()) else None,
        "reason": reason,
        "expires_at": expires,
        "links": [],
        "supersedes": supersedes,
    }
    with connect(url) as client:
        envelope = envelope_of("decision", members, client=client, key=key, place=place)
        answer = client.append("decision", envelope)
        refuse_ended(client, answer, code="decision-moved")
    appended(answer, as_json=as_json)


def _my_review(client: Client, place: HeadPlace, key: str, members: Document) -> JsonValue:
    """Return the review that this one supersedes: my newest of this scope, if it says another.

    Mine are those of every key that I hold.
    """
    held = holders_of(client).keys.get(key)
    mine = [
        one
        for one in _reviews(client, place)
        if held is not None
        and object_of(one["said"])["holder"] == held.seat.holder
        and one["scope"] == members["scope"]
    ]
    digests: list[JsonValue] = [None, *(object_of(one["said"])["statement"] for one in mine)]
    says_so_already = (
        mine
        and object_of(mine[-1]["said"])["key"] == key
        and all(mine[-1][name] == value for name, value in members.items())
    )
    return digests[-2] if says_so_already else digests[-1]


def _reviews(client: Client, place: HeadPlace) -> list[Document]:
    try:
        found = client.read_document(f"/v1/repos/{place.repository}/heads/{place.head}")
    except Refused as refused:
        if refused.code != "unknown-repository":
            raise
        return []  # nothing stands in this repository yet, and nobody has reviewed
    return rows_of(rows_of(found, "verdicts")[0], "reviews")
