# SPDX-License-Identifier: Apache-2.0
"""``fairtrial key retire`` and ``key revoke``: lay a key down, or take it away.

A holder ends the own key alone; anybody else's takes the admins. To doubt what a key signed before
takes two of them: both at once (``--also``), or one after the other (``--draft``, then
``--request``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.key_holders import HeldKey, holders_of
from app.cli.key_requests import countersigned
from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.output import emit, say
from app.cli.session import appended, connect, read_input, signing_key
from app.core.errors import UnknownThing
from app.core.signing.envelope import parse_envelope, to_json
from app.core.statement.parse import parse_statement
from app.runner.armour import armoured, read_request
from app.runner.client import Client
from app.runner.ending import Ending, ending
from app.runner.key_files import read_signing_key

KeyId = Annotated[
    str | None, typer.Argument(help="The key's id; your own if left out.", metavar="[KEY-ID]")
]
Reason = Annotated[str, typer.Option(help="Why, in one line.", metavar="TEXT")]
Also = Annotated[
    list[Path] | None,
    typer.Option(help="Another admin's key file; may be repeated.", metavar="FILE"),
]
AsDraft = Annotated[
    bool, typer.Option("--draft", help="Print it as a block for another admin; send nothing.")
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
            envelope = read_request(read_input(request))
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
    held = _held(client, key_id or signer.key_id)
    made = ending(
        held.record,
        held.seat,
        how,
        ledger=client.ledger(),
        signer=signer.key_id,
        checkpoint=client.read("/log/checkpoint"),
    )
    return made.signed(signer, *(read_signing_key(path) for path in also))


def _finish(client: Client, envelope: bytes, *, draft: bool, as_json: bool) -> None:
    if draft:
        say("nothing was sent; another admin signs with: fairtrial key revoke --request FILE")
        block = armoured(parse_envelope(envelope))
        emit({"request": block}, [block], as_json=as_json)
    else:
        appended(client.append("key", envelope), as_json=as_json)


def _held(client: Client, key_id: str) -> HeldKey:
    found = holders_of(client).keys.get(key_id)
    if found is None:
        message = "No key is registered under this id; `fairtrial key list` shows those that are."
        raise UnknownThing(message, code="unknown-key")
    return found
