# SPDX-License-Identifier: Apache-2.0
"""``fairtrial key``: make keys, ask for a role, give it, and see who may do what.

A registration is one statement with two signatures: the key's own, which shows that whoever asks
holds it, and an admin's. ``request`` makes the first, ``register`` adds the second and sends it.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import emit, put, say
from app.cli.session import appended, connect, read_object, signing_key
from app.cli.stored import object_of, predicate_of, rows_of, statement_of
from app.core.canonical import canonical, parse_strict
from app.core.errors import Unprocessable
from app.core.identity import Role
from app.core.signing.envelope import Envelope, parse_envelope, sign, to_json
from app.core.signing.keys import SigningKey, ed25519_signing_key, p256_signing_key
from app.core.statement.parse import parse_statement
from app.runner.client import Client, Document
from app.runner.key_files import write_signing_key
from app.runner.registration import Seat, registration

commands = typer.Typer(no_args_is_help=True, help="Make, request, register, list and end keys.")

SEED_BYTES: Final = 32


class Algorithm(StrEnum):
    """What a new key is."""

    ED25519 = "ed25519"
    ECDSA_P256 = "ecdsa-p256"


def fresh_key(algorithm: Algorithm = Algorithm.ED25519) -> SigningKey:
    """Return a key nobody else has."""
    seed = secrets.token_bytes(SEED_BYTES)
    match algorithm:
        case Algorithm.ED25519:
            return ed25519_signing_key(seed)
        case Algorithm.ECDSA_P256:
            return p256_signing_key(seed)


@commands.command(epilog="Example: fairtrial key new runner.pem")
def new(
    file: Annotated[Path, typer.Argument(help="Where to write it, mode 0600.", metavar="FILE")],
    *,
    algorithm: Annotated[Algorithm, typer.Option(help="Ed25519 unless a token needs P-256.")] = (
        Algorithm.ED25519
    ),
    as_json: AsJson = False,
) -> None:
    """Make a private key; print its id and its public half."""
    key = fresh_key(algorithm)
    write_signing_key(file, key)
    say(f"wrote {file}")
    public = key.public.to_pem()
    emit({"key": key.key_id, "public": public}, [key.key_id, public.rstrip()], as_json=as_json)


@commands.command(
    epilog="Example: fairtrial key request --key runner.pem --role runner "
    "--repository git.example/owner/name --holder ada > request.json",
)
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
        typer.Option(help="Key id of the admin who will sign; the first of the ledger's."),
    ] = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print a request, signed by the key itself, for an admin to sign and send."""
    del as_json  # an envelope is JSON
    mine = signing_key(key)
    with connect(url) as client:
        draft = registration(
            mine.public,
            Seat(role, repository or (), holder),
            ledger=client.ledger(),
            admin=admin or _first_admin(client),
            checkpoint=client.read("/log/checkpoint"),
        )
    put(draft.signed(mine))


@commands.command(epilog="Example: fairtrial key register request.json --key keys/admin.pem")
def register(
    file: InputFile, *, key: KeyFile = None, url: Url = DEFAULT_URL, as_json: AsJson = False
) -> None:
    """Sign a request as an admin, and send it; a key that is registered so already stays so."""
    admin = signing_key(key)
    envelope = parse_envelope(canonical(read_object(file)))
    parsed = parse_statement(envelope.payload, expect="key")
    if parsed.signer != admin.key_id:
        message = "The request names another admin; ask for it again with --admin."
        raise Unprocessable(message, code="other-admin")
    with connect(url) as client:
        asked = object_of(object_of(parse_strict(envelope.payload))["predicate"])
        for digest in statements_of_kind(client, "key"):
            if _grant(predicate_of(client, digest)) == _grant(asked):
                say("registered so already; nothing was sent")
                envelope = parse_envelope(client.read(f"/v1/statements/{digest}"))
                break
        answer = client.append("key", to_json(countersigned(envelope, admin)))
    appended(answer, as_json=as_json)


@commands.command("list", epilog="Example: fairtrial key list")
def list_(*, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print every step in every key's life, oldest first."""
    rows: list[Document] = []
    with connect(url) as client:
        for digest in statements_of_kind(client, "genesis"):
            genesis = predicate_of(client, digest)
            rows += [
                _row("genesis", object_of(one["key"])["id"], "admin", one["holder"])
                for one in rows_of(genesis, "admins")
            ]
        for digest in statements_of_kind(client, "key"):
            said = predicate_of(client, digest)
            row = _row(said["action"], object_of(said["key"])["id"], said["role"], said["holder"])
            rows.append({**row, "repositories": said["repositories"]})
    lines = [
        f"{row['key']}  {row['action']}  {row['role']}  {row['holder']}  "
        f"{' '.join(str(one) for one in _names(row))}".rstrip()
        for row in rows
    ]
    emit({"keys": rows}, lines, as_json=as_json)


def countersigned(envelope: Envelope, admin: SigningKey) -> Envelope:
    """Return the envelope with an admin's signature first, if it is not there yet."""
    if admin.key_id in envelope.keyids:
        return envelope
    added = sign(envelope.payload, (admin,)).signatures
    return replace(envelope, signatures=(*added, *envelope.signatures))


def statements_of_kind(client: Client, kind: str) -> list[str]:
    """Return the digests of all statements of a kind, in log order."""
    return [
        str(row["statement"])
        for page in client.pages("/v1/log/entries")
        for row in rows_of(page, "entries")
        if row["kind"] == kind
    ]


def _first_admin(client: Client) -> str:
    genesis = object_of(statement_of(client, str(client.ledger().genesis))["predicate"])
    return str(object_of(rows_of(genesis, "admins")[0]["key"])["id"])


def _grant(predicate: Document) -> tuple[object, ...]:
    """Return what a registration gives, without when it was asked for."""
    return tuple(predicate[name] for name in ("action", "key", "role", "repositories", "holder"))


def _row(action: object, key: object, role: object, holder: object) -> Document:
    named = {"action": action, "key": key, "role": role, "holder": holder}
    return {**{name: str(value) for name, value in named.items()}, "repositories": []}


def _names(row: Document) -> list[object]:
    names = row["repositories"]
    return [*names] if isinstance(names, list) else []
