# SPDX-License-Identifier: Apache-2.0
"""``fairtrial policy``: which claims a repository makes, and what each of them requires."""

from __future__ import annotations

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, RepositoryOption, Url
from app.cli.output import emit
from app.cli.session import (
    Fill,
    appended,
    connect,
    envelope_of,
    read_object,
    repository_named,
)
from app.cli.stored import predicate_of, rows_of
from app.core.errors import UnknownThing
from app.runner.client import Client
from app.runner.failures import Document, Refused

commands = typer.Typer(no_args_is_help=True, help="Set and show a repository's policy.")

_HEADER = ("ledger", "signer", "annotations", "supersedes")


@commands.command(
    "set", epilog="Example: fairtrial policy set policy.json --key keys/maintainer.pem"
)
def set_(
    file: InputFile, *, key: KeyFile = None, url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Put a policy in force from now on.

    Without a member "supersedes" it supersedes the policy in force; where that one says the same,
    nothing is written.
    """
    document = read_object(file)
    with connect(url) as client:
        envelope = envelope_of(
            "policy", document, client=client, key=key, fill=over_the_newest(client)
        )
        answer = client.append("policy", envelope)
    appended(answer, as_json=as_json)


@commands.command(epilog="Example: fairtrial policy show --repository git.example/owner/name")
def show(
    *, repository: RepositoryOption = None, url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Print the policy in force."""
    with connect(url) as client:
        newest = _newest(client, repository_named(repository))
        if newest is None:
            message = "This repository has no policy yet: fairtrial policy set policy.json"
            raise UnknownThing(message, code="no-policy")
        predicate = predicate_of(client, newest)
    claims = rows_of(predicate, "claims")
    lines = [f"policy {newest}", f"tracked branch: {predicate['tracked_branch'] or 'none'}"]
    for claim in claims:
        lines.append(f"claim {claim['name']}: {claim['question']}")
        lines += [f"  {need['scope']}: {need['protocols']}" for need in rows_of(claim, "required")]
    emit({"statement": newest, "predicate": predicate}, lines, as_json=as_json)


def over_the_newest(client: Client) -> Fill:
    """Return what fills in a policy's "supersedes"."""

    def filled(members: Document) -> Document:
        if "supersedes" in members:
            return members
        return {**members, "supersedes": _supersedes(client, members)}

    return filled


def _newest(client: Client, repository: str) -> str | None:
    try:
        found = client.read_document(f"/v1/repos/{repository}")
    except Refused as refused:
        if refused.status == 404:
            return None
        raise
    policies = rows_of(found, "policies")
    return str(policies[-1]["statement"]) if policies else None


def _supersedes(client: Client, members: Document) -> str | None:
    """Return what a policy supersedes; the newest's own word where it says the same again."""
    newest = _newest(client, str(members.get("repository")))
    if newest is None:
        return None
    stored = predicate_of(client, newest)
    same = _content(stored) == _content(members)
    before = stored["supersedes"]
    return newest if not same else None if before is None else str(before)


def _content(members: Document) -> Document:
    return {name: value for name, value in members.items() if name not in _HEADER}
