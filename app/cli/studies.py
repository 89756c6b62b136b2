# SPDX-License-Identifier: Apache-2.0
"""``fairtrial study``: apply a locked protocol to one exact head, and see how far it is."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import emit
from app.cli.session import Fill, appended, connect, envelope_of, read_object
from app.cli.stored import object_of, predicate_of, rows_of
from app.runner.client import Client, Document

commands = typer.Typer(no_args_is_help=True, help="Open studies and see how far they are.")

StudyArgument = Annotated[
    str, typer.Argument(help="Statement digest of the study.", metavar="STUDY")
]
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


@commands.command(epilog="Example: fairtrial study status STUDY --json")
def status(study: StudyArgument, *, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print a study's state and what became of every planned slot."""
    with connect(url) as client:
        progress = client.read_document(f"/v1/studies/{study}")
        slots = rows_of(client.read_document(f"/v1/studies/{study}/slots"), "slots")
    flow = object_of(progress["flow"])
    parts = [f"{name} {count}" for name, count in flow.items() if name != "planned" and count]
    lines = [
        f"{progress['state']}  {progress['repository']} {progress['head']}",
        f"closes at {progress['closes_at']}",
        f"planned {flow.get('planned')} = {' + '.join(parts)}",
        *(f"{slot['slot']}  {slot['state']}" for slot in slots),
    ]
    emit({**progress, "slots": slots}, lines, as_json=as_json)


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
