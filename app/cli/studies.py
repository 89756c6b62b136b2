# SPDX-License-Identifier: Apache-2.0
"""``fairtrial study open``: apply a locked protocol to one exact head."""

from __future__ import annotations

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.session import Fill, appended, connect, envelope_of, read_object
from app.cli.stored import object_of, predicate_of, rows_of
from app.runner.client import Client
from app.runner.failures import Document

commands = typer.Typer(no_args_is_help=True, help="Open studies, follow and end them.")

_HEADER = ("ledger", "signer", "annotations", "ordinal")


@commands.command(
    "open", epilog="Example: fairtrial study open study.json --key keys/maintainer.pem"
)
def open_(
    file: InputFile, *, key: KeyFile = None, url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Open a study for one exact head; that fixes its planned slots for ever.

    Without a member "ordinal" it gets the next one on its head; where a study there says the same
    already, nothing is written. schemas/examples/study/good-example.json is a whole study:
    its "predicate" with your own repository, head, protocol and runners is one, and may leave out
    "ledger", "signer" and "ordinal".
    """
    document = read_object(file)
    with connect(url) as client:
        envelope = envelope_of("study", document, client=client, key=key, fill=numbered(client))
        answer = client.append("study", envelope)
    appended(answer, as_json=as_json)


def numbered(client: Client) -> Fill:
    """Return what fills in a study's "ordinal"."""

    def filled(members: Document) -> Document:
        if "ordinal" in members:
            return members
        return {**members, "ordinal": _ordinal(client, members)}

    return filled


def _ordinal(client: Client, members: Document) -> int:
    """Return the next ordinal on the head, or that of a study which says the same already."""
    content = _content(members)
    head = str(object_of(members.get("head")).get("commit"))
    taken = 0
    for page in client.pages("/v1/studies"):
        for row in rows_of(page, "studies"):
            if (row["repository"], row["head"]) != (members.get("repository"), head):
                continue
            stored = predicate_of(client, str(row["study"]))
            number = row["ordinal"]
            taken = max(taken, number if isinstance(number, int) else 0)
            if _content(stored) == content:
                return taken
    return taken + 1


def _content(members: Document) -> Document:
    return {name: value for name, value in members.items() if name not in _HEADER}
