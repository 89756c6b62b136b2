# SPDX-License-Identifier: Apache-2.0
"""``fairtrial key retire`` and ``key revoke``: lay a key down, or take it away.

A holder ends the own key alone; anybody else's takes the admins. To doubt what a key signed before
takes two of them: both at once (``--also``), or one after the other (``--draft``, then
``--request``).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from app.cli.keys import countersigned, statements_of_kind
from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.output import put, say
from app.cli.session import appended, connect, read_object, signing_key
from app.cli.stored import object_of, predicate_of, rows_of
from app.core.canonical import canonical
from app.core.errors import UnknownThing
from app.core.identity import Role
from app.core.signing.envelope import parse_envelope, to_json
from app.core.statement.parse import parse_statement
from app.runner.client import Client, Document
from app.runner.ending import Ending, ending
from app.runner.key_files import read_signing_key
from app.runner.registration import Seat

KeyId = Annotated[
    str | None, typer.Argument(help="The key's id; your own if left out.", metavar="[KEY-ID]")
]
Reason = Annotated[str, typer.Option(help="Why, in one line.", metavar="TEXT")]
Also = Annotated[
    list[Path] | None,
    typer.Option(help="Another admin's key file; may be repeated.", metavar="FILE"),
]
AsDraft = Annotated[
    bool, typer.Option("--draft", help="Print the signed envelope for another admin; send nothing.")
]


def retire(
    key_id: KeyId = None,
    *,
    reason: Reason,
    also: Also = None,
    draft: AsDraft = False,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Lay a key down: it signs nothing from now on, and what it signed stays good."""
    with connect(url) as client:
        envelope = _signed(client, key_id, Ending("retire", reason), key, also or [])
        _finish(client, envelope, draft=draft, as_json=as_json)


def revoke(
    key_id: KeyId = None,
    *,
    reason: Reason = "It may be in wrong hands.",
    suspect_from: Annotated[
        int | None,
        typer.Option(help="Doubt what it signed from this log entry on; takes two admins.", min=0),
    ] = None,
    also: Also = None,
    draft: AsDraft = False,
    request: Annotated[
        str | None,
        typer.Option(help="Sign and send what another admin printed.", metavar="FILE"),
    ] = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take a key away; doubted receipts stay, are shown, and pass nothing."""
    with connect(url) as client:
        if request is not None:
            envelope = parse_envelope(canonical(read_object(request)))
            parse_statement(envelope.payload, expect="key")
            data = to_json(countersigned(envelope, signing_key(key)))
        else:
            how = Ending("revoke", reason, suspect_from)
            data = _signed(client, key_id, how, key, also or [])
        _finish(client, data, draft=draft, as_json=as_json)


def _signed(
    client: Client, key_id: str | None, how: Ending, key: Path | None, also: list[Path]
) -> bytes:
    signer = signing_key(key)
    granted = _granted(client, key_id or signer.key_id)
    made = ending(
        object_of(granted["key"]),
        _seat_of(granted),
        how,
        ledger=client.ledger(),
        signer=signer.key_id,
        checkpoint=client.read("/log/checkpoint"),
    )
    return made.signed(signer, *(read_signing_key(path) for path in also))


def _finish(client: Client, envelope: bytes, *, draft: bool, as_json: bool) -> None:
    if draft:
        say("nothing was sent; another admin signs with: fairtrial key revoke --request FILE")
        put(envelope)
    else:
        appended(client.append("key", envelope), as_json=as_json)


def _granted(client: Client, key_id: str) -> Document:
    """Return what the newest statement that gave a key its role says of it."""
    found = [one for one in _grants(client) if object_of(one["key"])["id"] == key_id]
    if not found:
        message = "No key is registered under this id; `fairtrial key list` shows those that are."
        raise UnknownThing(message, code="unknown-key")
    return found[-1]


def _grants(client: Client) -> Iterator[Document]:
    for digest in statements_of_kind(client, "genesis"):
        for admin in rows_of(predicate_of(client, digest), "admins"):
            yield {**admin, "role": "admin", "repositories": []}
    for digest in statements_of_kind(client, "key"):
        said = predicate_of(client, digest)
        if said["action"] == "register":
            yield said


def _seat_of(granted: Document) -> Seat:
    named = granted["repositories"]
    repositories = [str(one) for one in named] if isinstance(named, list) else []
    return Seat(Role(str(granted["role"])), repositories, str(granted["holder"]))
