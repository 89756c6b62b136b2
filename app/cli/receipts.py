# SPDX-License-Identifier: Apache-2.0
"""``fairtrial receipt``: push what filled a slot, good or bad, and show what was pushed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import emit
from app.cli.session import appended, connect, envelope_of, read_object
from app.cli.stored import object_of, rows_of, statement_of
from app.core.canonical import JsonValue, canonical, parse_strict
from app.core.errors import UnknownThing
from app.core.statement.kinds import predicate_type
from app.core.statement.parse import parse_capture
from app.core.statement.sanitize import refuse_unsanitary
from app.runner.compose import capture_ref, receipt_body
from app.runner.failures import Document

if TYPE_CHECKING:
    from app.runner.client import Client

_CAPTURE_PREFIX: Final = "urn:fairtrial:capture:"

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
    """Push a receipt with a capture of any kind; FILE is its predicate, statement or envelope.

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
    """Say what a receipt says, and what became of its slot once the study is closed.

    With --json the whole statement as it was signed stands under "statement".
    """
    with connect(url) as client:
        statement = statement_of(client, digest)
        told = object_of(statement["predicate"])
        if statement["predicateType"] != predicate_type("receipt"):
            raise UnknownThing("The statement of this digest is no receipt.", code="unknown-thing")
        progress = client.read_document(f"/v1/studies/{told['study']}")
        slot = _slot(client, told)
    capture = object_of(told["capture"])
    sealed = progress["sealed"] is True
    result: Document = {
        "receipt": digest,
        "repository": progress["repository"],
        "head": progress["head"],
        "study": told["study"],
        "study_state": progress["state"],
        "slot": told["slot"],
        "attempt": told["attempt"],
        "late": any(digest in _digests(one, "late") for one in rows_of(slot, "attempts")),
        "capture": capture,
        "capture_kind": _kind_of(str(capture["schema"])),
        "sealed": sealed,
        "state": None if sealed else slot["state"],
        "statement": statement,
    }
    emit(result, _lines(result), as_json=as_json)


def _lines(told: Document) -> list[str]:
    capture = object_of(told["capture"])
    sealed = f"sealed until closure; the study is {told['study_state']}"
    late = "late: kept, shown, never scored" if told["late"] else "in time"
    return [
        f"receipt  {told['receipt']}",
        f"slot     {told['slot']}, attempt {told['attempt']}, {late}",
        f"state    {sealed if told['sealed'] else told['state']}",
        f"capture  {told['capture_kind']}, {capture['size']} bytes, {capture['sha256']}",
        f"study    {told['study']}",
        f"head     {told['head']} of {told['repository']}",
    ]


def _kind_of(schema: str) -> str:
    """Return the kind that a capture's schema names: ``urn:fairtrial:capture:<kind>:v1``."""
    return schema.removeprefix(_CAPTURE_PREFIX).rpartition(":")[0]


def _slot(client: Client, told: Document) -> Document:
    found = client.read_document(f"/v1/studies/{told['study']}/slots")
    return next(one for one in rows_of(found, "slots") if one["slot"] == told["slot"])


def _digests(attempt: Document, name: str) -> list[JsonValue]:
    found = attempt[name]
    return found if isinstance(found, list) else []


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
