# SPDX-License-Identifier: Apache-2.0
"""``fairtrial sign``: from a file to an envelope, for whoever sends it some other way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Final

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import put, say
from app.cli.policies import over_the_newest
from app.cli.session import Fill, connect, envelope_of, read_object, signing_key
from app.cli.studies import numbered
from app.core.signing.envelope import parse_envelope, sign, to_json
from app.runner.client import Client
from app.runner.compose import ON_HEAD, WIDE
from app.runner.failures import Document

KINDS: Final = (*WIDE, *ON_HEAD)
_FILLS: Final[dict[str, Callable[[Client], Fill]]] = {
    "policy": over_the_newest,
    "study": numbered,
}


def sign_file(
    kind: Annotated[
        str, typer.Argument(help=f"The statement's kind: {', '.join(KINDS)}.", metavar="KIND")
    ],
    file: InputFile,
    *,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the signed envelope of FILE: a predicate or a whole statement.

    A whole statement is signed offline. A predicate's header is filled in from the key and, for
    the ledger's name, from the service; so are a policy's "supersedes" and a study's "ordinal". All
    else a predicate must say itself, and a review or a decision is signed as a whole statement. An
    envelope gets one more signature.
    """
    del as_json  # an envelope is JSON
    if kind not in KINDS:
        raise typer.BadParameter(f"KIND is one of {', '.join(KINDS)}.")
    document = read_object(file)
    with connect(url) as client:
        fill = _FILLS[kind](client) if kind in _FILLS else _as_it_is
        envelope = envelope_of(kind, document, client=client, key=key, fill=fill)
    if "payloadType" in document:
        before = parse_envelope(envelope)
        signer = signing_key(key)
        if signer.key_id not in before.keyids:
            added = sign(before.payload, (signer,), payload_type=before.payload_type).signatures
            envelope = to_json(replace(before, signatures=(*before.signatures, *added)))
    say(f"statement {parse_envelope(envelope).payload_digest}")
    put(envelope)


def _as_it_is(members: Document) -> Document:
    return members
