# SPDX-License-Identifier: Apache-2.0
"""``fairtrial sign``: from a file to an envelope, for whoever sends it some other way."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, Url
from app.cli.output import put, say
from app.cli.session import connect, envelope_of, read_object, signing_key
from app.core.signing.envelope import parse_envelope, sign, to_json


def sign_file(
    kind: Annotated[str, typer.Argument(help="The statement's kind, such as policy.")],
    file: InputFile,
    *,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the signed envelope of FILE: a predicate or a whole statement.

    A whole statement is signed offline. A predicate's header is filled in from the key and, for
    the ledger's name, from the service. An envelope gets one more signature.
    """
    del as_json  # an envelope is JSON
    document = read_object(file)
    with connect(url) as client:
        envelope = envelope_of(kind, document, client=client, key=key)
    if "payloadType" in document:
        before = parse_envelope(envelope)
        signer = signing_key(key)
        if signer.key_id not in before.keyids:
            added = sign(before.payload, (signer,), payload_type=before.payload_type).signatures
            envelope = to_json(replace(before, signatures=(*before.signatures, *added)))
    say(f"statement {parse_envelope(envelope).payload_digest}")
    put(envelope)
