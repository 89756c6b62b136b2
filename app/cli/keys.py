# SPDX-License-Identifier: Apache-2.0
"""``fairtrial key``: make keys, and see who may do what."""

from __future__ import annotations

import secrets
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli import key_requests
from app.cli.key_holders import HeldKey, holders_of
from app.cli.options import DEFAULT_URL, AsJson, Url
from app.cli.output import emit, say
from app.cli.session import connect
from app.core.signing.keys import SigningKey, ed25519_signing_key, p256_signing_key
from app.runner.key_files import write_signing_key

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


commands.command(
    epilog="Example: fairtrial key request --key runner.pem --role runner "
    "--repository git.example/owner/name --holder ada",
)(key_requests.request)
commands.command(epilog="Example: fairtrial key register request.txt --key keys/admin.pem")(
    key_requests.register
)


@commands.command("list", epilog="Example: fairtrial key list")
def list_(*, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print every key: its role, holder and repositories, and whether it is in force."""
    with connect(url) as client:
        held = holders_of(client).keys.values()
    rows = [
        {
            "key": one.id,
            "role": one.seat.role.value,
            "holder": one.seat.holder,
            "repositories": [*one.seat.repositories],
            "state": one.state,
            "since": one.since,
            "ended": one.ended,
            "suspect_from": one.suspect_from,
        }
        for one in held
    ]
    emit({"keys": rows}, [_line(one) for one in held], as_json=as_json)


def _line(one: HeldKey) -> str:
    ended = "" if one.ended is None else f" at entry {one.ended}"
    doubted = "" if one.suspect_from is None else f", doubted from entry {one.suspect_from}"
    where = " ".join(one.seat.repositories)
    named = f"{one.id}  {one.seat.role.value}  {one.seat.holder}  {one.state}{ended}{doubted}"
    return f"{named}  {where}".rstrip()
