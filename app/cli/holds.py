# SPDX-License-Identifier: Apache-2.0
"""``fairtrial hold``: say why something may not advance, and end that again."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, KeyFile, RepositoryOption, Url
from app.cli.restating import refuse_ended
from app.cli.session import appended, connect, envelope_of, repository_named
from app.cli.stored import predicate_of
from app.runner.failures import Document

commands = typer.Typer(no_args_is_help=True, help="Place and clear holds.")

Texts = Annotated[list[str] | None, typer.Option(help="May be repeated.", metavar="TEXT")]
Why = Annotated[str, typer.Option(help="Why, in one line.", metavar="TEXT")]


@commands.command(
    epilog="Example: fairtrial hold place --change 180 --claim land --why 'the newcomer starved' "
    "--until 'a locked comparison passes' --next ada --what 'lock it' --key keys/reviewer.pem",
)
def place(
    *,
    why: Why,
    until: Annotated[str, typer.Option(help="What has to happen first.", metavar="TEXT")],
    next_: Annotated[str, typer.Option("--next", help="Who acts next.", metavar="PERSON")],
    what: Annotated[str, typer.Option(help="What that person does.", metavar="TEXT")],
    author_action: Annotated[
        str, typer.Option(help="What the author has to do now.", metavar="TEXT")
    ] = "none",
    head: Annotated[
        str | None, typer.Option(help="Hold this exact commit.", metavar="COMMIT")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(help="Hold every head of this change; may be repeated.", metavar="NUMBER"),
    ] = None,
    claim: Annotated[str | None, typer.Option(help="Hold this claim alone.")] = None,
    checked: Annotated[
        str | None, typer.Option(help="The commit you looked at.", metavar="COMMIT")
    ] = None,
    tested: Texts = None,
    not_tested: Texts = None,
    supersedes: Annotated[
        str | None, typer.Option(help="The hold this restates or renews.", metavar="DIGEST")
    ] = None,
    repository: RepositoryOption = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Place a hold on a head, on changes or on the whole repository.

    The same again changes nothing; once it was cleared, it takes --supersedes to place it anew.
    """
    about: Document = {"head": head, "changes": [*(change or ())], "claim": claim}
    step: Document = {"person": next_, "what": what}
    members: Document = {
        "repository": repository_named(repository),
        "action": "place",
        "applies_to": about,
        "checked_head": checked or head,
        "why": why,
        "tested": [*(tested or ())],
        "not_tested": [*(not_tested or ())],
        "until": until,
        "next_action": step,
        "author_action_now": author_action,
        "clears": None,
        "supersedes": supersedes,
        "links": [],
    }
    with connect(url) as client:
        answer = client.append("hold", envelope_of("hold", members, client=client, key=key))
        refuse_ended(client, answer, code="hold-ended")
    appended(answer, as_json=as_json)


@commands.command(
    epilog="Example: fairtrial hold clear HOLD --why 'the comparison passes' "
    "--key keys/maintainer.pem",
)
def clear(
    hold: Annotated[str, typer.Argument(help="Statement digest of the hold.", metavar="HOLD")],
    *,
    why: Why,
    checked: Annotated[
        str | None, typer.Option(help="The commit you looked at.", metavar="COMMIT")
    ] = None,
    tested: Texts = None,
    not_tested: Texts = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """End a hold, if the policy lets your role do so."""
    with connect(url) as client:
        placed = predicate_of(client, hold)
        members: Document = {
            "repository": placed["repository"],
            "action": "clear",
            "applies_to": placed["applies_to"],
            "checked_head": checked,
            "why": why,
            "tested": [*(tested or ())],
            "not_tested": [*(not_tested or ())],
            "until": None,
            "next_action": None,
            "author_action_now": None,
            "clears": hold,
            "supersedes": None,
            "links": [],
        }
        answer = client.append("hold", envelope_of("hold", members, client=client, key=key))
    appended(answer, as_json=as_json)
