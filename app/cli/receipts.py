# SPDX-License-Identifier: Apache-2.0
"""``fairtrial receipt``: push what filled a slot, good or bad, and show what was pushed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import emit
from app.cli.session import appended, connect, envelope_of, read_object
from app.cli.stored import rows_of, statement_of
from app.core.canonical import canonical, parse_strict
from app.core.errors import UnknownThing
from app.core.statement.parse import parse_capture
from app.core.statement.sanitize import refuse_unsanitary
from app.runner.client import Client, Document
from app.runner.compose import capture_ref, receipt_body

commands = typer.Typer(no_args_is_help=True, help="Push receipts with their captures; show them.")


@commands.command(
    epilog="Example: fairtrial receipt push receipt.json --capture capture.json "
    "--key keys/runner.pem",
)
def push(
    file: InputFile,
    *,
    capture: Annotated[
        Path, typer.Option(help="The capture's JSON, in any spelling.", metavar="FILE")
    ],
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Push a receipt; FILE is its predicate, its statement or its envelope.

    A predicate may leave out "capture", which follows from the capture's file, and "reservation",
    "attempt" and "challenge", which the service knows for the slot it names. An example of each
    file: schemas/examples/receipt/good-example.json, whose "predicate" it is, and
    schemas/examples/capture-streams/good-example.json.
    """
    document = read_object(file)
    # Read and sanitized here first: what the ledger would refuse never leaves this machine.
    data = canonical(parse_strict(capture.read_bytes()))
    schema = parse_capture(data).schema
    refuse_unsanitary(data)
    with connect(url) as client:

        def around(members: Document) -> Document:
            ref = capture_ref(data, schema=schema)
            shown: Document = {"sha256": ref.sha256, "size": ref.size, "schema": ref.schema}
            return {"capture": shown, **_place(client, members), **members}

        envelope = envelope_of("receipt", document, client=client, key=key, fill=around)
        answer = client.push_receipt(receipt_body(envelope, data))
    appended(answer, as_json=as_json)


@commands.command(epilog="Example: fairtrial receipt show DIGEST")
def show(
    digest: Annotated[str, typer.Argument(help="Statement digest.", metavar="DIGEST")],
    *,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print a receipt's statement as it was signed."""
    with connect(url) as client:
        statement = statement_of(client, digest)
    emit(statement, [canonical(statement).decode()], as_json=as_json)


def _place(client: Client, members: Document) -> Document:
    """Return where the newest attempt at the receipt's slot stands."""
    if {"reservation", "attempt", "challenge"} <= members.keys():
        return {}
    found = client.read_document(f"/v1/studies/{members.get('study')}/slots")
    for slot in rows_of(found, "slots"):
        attempts = rows_of(slot, "attempts")
        if slot["slot"] == members.get("slot") and attempts:
            newest = attempts[-1]
            return {name: newest[name] for name in ("reservation", "attempt", "challenge")}
    raise UnknownThing("The study has no such slot, or nobody reserved it.", code="not-reserved")
