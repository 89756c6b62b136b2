# SPDX-License-Identifier: Apache-2.0
"""``fairtrial key request`` and ``register``: ask for a role in a thread, and give it there.

A registration is one statement with several signatures: the key's own, which shows that whoever
asks holds it, and those of as many admins as the genesis demands. ``request`` makes the first and
prints a block to be pasted; each admin adds one with ``register``, which prints the block for the
next admin or, once they are enough, sends it.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.key_holders import HeldKey, Holders, holders_of
from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import emit, say
from app.cli.session import appended, connect, read_input, signing_key
from app.cli.stored import rows_of
from app.core.digest import from_base64
from app.core.errors import Conflict, NotAllowed, NotAuthenticated, Unprocessable
from app.core.identity import Role, micros_of
from app.core.signing.envelope import Envelope, parse_envelope, sign, to_json, verify_signature
from app.core.signing.keys import SigningKey, public_key_from_der
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import parse_statement
from app.runner.armour import armoured, read_request
from app.runner.client import Client
from app.runner.failures import Document
from app.runner.key_files import read_signing_key
from app.runner.registration import Seat, registration

GOOD_FOR: Final = timedelta(days=30)
"""How much log time may pass after the checkpoint that a request names; later it is asked anew."""
_MICROS: Final = 1_000_000


def request(
    *,
    role: Annotated[Role, typer.Option(help="The one role it will have.")],
    holder: Annotated[str, typer.Option(help="Whose key it is.", metavar="PERSON")],
    repository: Annotated[
        list[str] | None,
        typer.Option(help="Where it may act; may be repeated.", metavar="NAME"),
    ] = None,
    admin: Annotated[
        str | None,
        typer.Option(help="Key id of the admin who signs first; the ledger's first in force."),
    ] = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print a request, signed by the key itself, as a block to be pasted in a thread.

    It is good for 30 days of log time after the checkpoint it names.
    """
    mine = signing_key(key)
    with connect(url) as client:
        draft = registration(
            mine.public,
            Seat(role, repository or (), holder),
            ledger=client.ledger(),
            admin=admin or holders_of(client).admins()[0].id,
            checkpoint=client.read("/log/checkpoint"),
        )
    envelope = parse_envelope(draft.signed(mine))
    _print(envelope, _predicate(envelope), as_json=as_json)


def register(
    file: InputFile,
    *,
    also: Annotated[
        list[Path] | None,
        typer.Option(help="Another admin's key file; may be repeated.", metavar="FILE"),
    ] = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Sign a request as an admin; send it once enough have, else print it for the next.

    FILE is a block, quoted and wrapped as a thread may leave it, or its envelope. A key that is
    registered so already stays so.
    """
    admins = [signing_key(key), *(read_signing_key(path) for path in also or ())]
    envelope = read_request(read_input(file))
    asked = _predicate(envelope)
    with connect(url) as client:
        holders = holders_of(client)
        _refuse_forged(envelope, asked, holders)
        say(_summary(asked))
        stands = holders.keys.get(asked.key.id)
        if stands is not None and _stands_so(stands, asked):
            say("registered so already; nothing was sent")
            appended(_place(client, stands), as_json=as_json)
            return
        _refuse_stale(client, asked)
        for one in admins:
            _refuse_other(one, holders)
            envelope = countersigned(envelope, one)
        missing = _missing(envelope, asked, holders)
        if not missing:
            appended(client.append("key", to_json(envelope)), as_json=as_json)
            return
    say(f"nothing was sent; {missing}")
    _print(envelope, asked, as_json=as_json)


def countersigned(envelope: Envelope, admin: SigningKey) -> Envelope:
    """Return the envelope with an admin's signature first, if it is not there yet."""
    if admin.key_id in envelope.keyids:
        return envelope
    added = sign(envelope.payload, (admin,)).signatures
    return replace(envelope, signatures=(*added, *envelope.signatures))


def _print(envelope: Envelope, asked: KeyPredicate, *, as_json: bool) -> None:
    block = armoured(envelope)
    result: Document = {
        "request": block,
        "key": asked.key.id,
        "signed_by": [*envelope.keyids],
        "checkpoint": {"size": asked.checkpoint.size, "root": asked.checkpoint.root},
    }
    emit(result, [block], as_json=as_json)


def _summary(asked: KeyPredicate) -> str:
    where = ", ".join(asked.repositories) or "the whole ledger"
    return f"asks for: {asked.role.value} in {where}, held by {asked.holder}, key {asked.key.id}"


def _predicate(envelope: Envelope) -> KeyPredicate:
    predicate = parse_statement(envelope.payload, expect="key").predicate
    assert isinstance(predicate, KeyPredicate)  # noqa: S101  reading demands it
    if predicate.action != "register":
        message = "This ends a key; sign it with: fairtrial key revoke --request FILE"
        raise Unprocessable(message, code="no-request")
    return predicate


def _refuse_forged(envelope: Envelope, asked: KeyPredicate, holders: Holders) -> None:
    """Verify what signed so far: the key itself, and the admins before this one.

    Raises:
        NotAuthenticated: ``unsigned``, ``bad-signature``.
    """
    if asked.key.id not in envelope.keyids:
        message = "The key that is asked for has not signed this request; ask for a whole one."
        raise NotAuthenticated(message, code="unsigned")
    known = {one.id: one.public for one in holders.keys.values()}
    known[asked.key.id] = public_key_from_der(from_base64(asked.key.spki))
    for key_id in envelope.keyids:
        if key_id in known:
            try:
                verify_signature(envelope, key_id, known[key_id])
            except NotAuthenticated as error:
                message = f"The request was changed after key {key_id} signed it; do not sign it."
                raise NotAuthenticated(message, code=error.code) from error


def _stands_so(held: HeldKey, asked: KeyPredicate) -> bool:
    named = (held.seat.role, set(held.seat.repositories), held.seat.holder)
    return named == (asked.role, set(asked.repositories), asked.holder)


def _place(client: Client, held: HeldKey) -> Document:
    page = client.read_document("/v1/log/entries", cursor=str(held.since), limit="1")
    (row,) = rows_of(page, "entries")
    return {**row, "effect": "accepted"}


def _refuse_stale(client: Client, asked: KeyPredicate) -> None:
    """Refuse a request whose checkpoint is old by the log's own time.

    Raises:
        Conflict: ``request-expired``.
        Unprocessable: ``checkpoint``, the log is not that long.
    """
    size = int(client.read("/log/checkpoint").split(b"\n")[1])
    if not 1 <= asked.checkpoint.size <= size:
        message = "The request names a checkpoint this log does not have; it is for another log."
        raise Unprocessable(message, code="checkpoint")
    passed_us = _log_time(client, size) - _log_time(client, asked.checkpoint.size)
    if passed_us > GOOD_FOR // timedelta(microseconds=1):
        days = passed_us // (24 * 3600 * _MICROS)
        message = f"The request is {days} days old, of at most {GOOD_FOR.days}; ask anew."
        raise Conflict(message, code="request-expired")


def _log_time(client: Client, size: int) -> int:
    page = client.read_document("/v1/log/entries", cursor=str(size - 1), limit="1")
    (row,) = rows_of(page, "entries")
    return micros_of(str(row["at"]))


def _refuse_other(key: SigningKey, holders: Holders) -> None:
    if key.key_id not in {one.id for one in holders.admins()}:
        message = "Only an admin in force registers keys; this key is none."
        raise NotAllowed(message, code="role")


def _missing(envelope: Envelope, asked: KeyPredicate, holders: Holders) -> str:
    """Return what is still missing, in words; empty: nothing is.

    Raises:
        Unprocessable: ``other-admin``, the admin it names is none and never will sign.
    """
    admins = {one.id: one for one in holders.admins()}
    if asked.signer not in admins:
        message = "The request names an admin who is none; ask for it again with --admin."
        raise Unprocessable(message, code="other-admin")
    signed = sum(key_id in admins for key_id in envelope.keyids)
    if asked.signer not in envelope.keyids:
        return f"the admin it names, {admins[asked.signer].seat.holder}, has yet to sign"
    if signed < holders.threshold:
        return f"{signed} of {holders.threshold} admins have signed"
    return ""
