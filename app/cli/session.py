# SPDX-License-Identifier: Apache-2.0
"""What a command that writes needs: a client, a key, and what a file says as a signed statement."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import typer

from app.cli.misconfigured import Misconfigured
from app.cli.output import emit, say
from app.core.canonical import canonical, parse_strict
from app.core.errors import MalformedDocument
from app.core.identity import REPOSITORY_FORM, Repository
from app.core.signing.envelope import parse_envelope
from app.core.signing.keys import SigningKey
from app.core.statement.parse import parse_statement
from app.runner.compose import OF_STUDY, HeadPlace, draft_from, draft_statement, has_form
from app.runner.failures import Document
from app.runner.key_files import read_signing_key

if TYPE_CHECKING:
    from app.runner.client import Client

Fill = Callable[[Document], Document]


def connect(url: str) -> Client:
    """Return a client whose retries are told on stderr.

    Raises:
        Misconfigured: the address names no host to be asked over HTTP.
    """
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise Misconfigured("--url is no web address; start it with http:// or https://.")
    # What works on a file alone speaks no HTTP, and need not wait for what does.
    from app.runner.client import Client

    return Client(url, told=say)


def signing_key(path: Path | None) -> SigningKey:
    """Return the key that signs.

    Raises:
        Misconfigured: none was named.
        UnusableKeyFile: it cannot be used.
    """
    if path is None:
        raise Misconfigured("No key: give --key FILE or set FAIRTRIAL_KEY.")
    return read_signing_key(path)


def repository_named(repository: str | None) -> str:
    """Return the repository in its one spelling, whatever case a forge shows it in.

    Raises:
        Misconfigured: none was named.
        BadParameter: it is none.
    """
    if repository is None:
        raise Misconfigured("No repository: give --repository or set FAIRTRIAL_REPOSITORY.")
    lower = repository.lower()
    if not has_form(lower, Repository):
        raise typer.BadParameter(f"--repository takes {REPOSITORY_FORM}.")
    if lower != repository:
        say(f"taken as {lower}: repositories are named in lower case")
    return lower


def read_input(name: str) -> bytes:
    """Return a file's bytes, or those of stdin for ``-``."""
    return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()


def read_object(name: str) -> Document:
    """Return the JSON object in a file.

    Raises:
        MalformedDocument: not strict JSON, or no object.
    """
    value = parse_strict(read_input(name))
    if not isinstance(value, dict):
        raise MalformedDocument("Expected a JSON object.", pointer="")
    return value


def place_of_study(client: Client, study: str) -> HeadPlace:
    """Return the head that a study stands on, as the service says."""
    found = client.read_document(f"/v1/studies/{study}")
    return HeadPlace(str(found["repository"]), str(found["head"]))


def envelope_of(
    kind: str,
    document: Document,
    *,
    client: Client,
    key: Path | None,
    fill: Fill = lambda members: members,
    place: HeadPlace | None = None,
) -> bytes:
    """Return the signed envelope that a file means.

    The file holds an envelope (sent as it is), a whole statement, or a predicate, whose header is
    filled in from the key and the service; ``place`` is the head it is about, where neither the
    predicate nor a study that it names says so.

    Raises:
        SchemaViolation: not of this kind's shape.
    """
    if "payloadType" in document:
        data = canonical(document)
        parse_statement(parse_envelope(data).payload, expect=kind)
        return data
    signer = signing_key(key)
    if "predicateType" in document:
        draft = draft_statement(canonical(document))
        parse_statement(draft.payload, expect=kind)
        return draft.signed(signer)
    members = fill(document)
    if kind in OF_STUDY:
        place = place_of_study(client, str(members.get("study")))
    draft = draft_from(kind, members, ledger=client.ledger(), signer=signer.key_id, place=place)
    return draft.signed(signer)


def appended(answer: Document, *, as_json: bool) -> None:
    """Print the place a statement got."""
    say(f"{answer['kind']} at index {answer['index']} ({answer['effect']})")
    lines = [f"statement  {answer['statement']}", f"index      {answer['index']}"]
    if answer.get("challenge") is not None:
        lines.append(f"challenge  {answer['challenge']}")
    emit(answer, lines, as_json=as_json)
