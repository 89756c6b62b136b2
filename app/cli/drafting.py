# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol new`` and ``diff``: drafts from shipped ones, and what versions change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.options import DEFAULT_URL, AsJson, Url
from app.cli.output import emit, put, say
from app.cli.session import connect, read_object
from app.cli.stored import rows_of
from app.core.canonical import JsonValue, canonical, parse_strict
from app.core.errors import UnknownThing
from app.core.protocol.amend import Amended, amended, moved_gates
from app.core.protocol.parse import document_digest
from app.core.statement.parse import parse_document
from app.core.statement.protocol_document import ProtocolDocument
from app.storage.documents import protocols

if TYPE_CHECKING:
    from app.runner.client import Client

_DIGEST_LENGTH: Final = 64
_FIRST: Final = ("comparison-blocks", "inboot-ratio")
"""Offered before all others: the designs that decide on machines that restart (SCORING.md B6)."""

VersionArgument = Annotated[
    str,
    typer.Argument(
        help="A file, a digest of a locked document, or a name: of a locked protocol's newest "
        "version (NAME) or of one version (NAME@2).",
        metavar="DOCUMENT",
    ),
]


def new(
    *,
    name: Annotated[
        str | None, typer.Option("--from", help="The shipped protocol.", metavar="NAME")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to write; without it, stdout.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a draft that passes the lint, to be edited and locked; without --from, list them."""
    offered = shipped()
    if name is None:
        rows: list[JsonValue] = [
            {"name": each, "question": document.question} for each, (document, _) in offered.items()
        ]
        lines = [f"{each:24} {document.question}" for each, (document, _) in offered.items()]
        emit({"protocols": rows}, lines, as_json=as_json)
        return
    if name not in offered:
        names = ", ".join(offered)
        raise UnknownThing(f"No protocol of that name ships: {names}.", code="unknown-protocol")
    _, data = offered[name]
    if output is None:
        put(data)
        return
    if output.exists():  # a draft that somebody edited is work
        raise typer.BadParameter("That file exists; name another.", param_hint="--output")
    output.write_bytes(data)
    say(f"wrote {output}; change its name, then: fairtrial protocol lint {output}")


def diff(
    before: VersionArgument,
    after: VersionArgument,
    *,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Say what a later version changes, which way, and what is exploratory for old evidence."""
    one, other = document_at(before, url), document_at(after, url)
    changes, moved = amended(one, other), sorted(moved_gates(one, other))
    report: dict[str, JsonValue] = {
        "before": document_digest(one),
        "after": document_digest(other),
        "changes": [change_members(each) for each in changes],
        "exploratory_for_earlier_evidence": [*moved],
    }
    said = [change_line(each.where, each.before, each.after, each.direction) for each in changes]
    lines = said or ["no difference but the version"]
    if moved:
        lines.append(f"EXPLORATORY for what was reserved before its lock: {', '.join(moved)}")
    emit(report, lines, as_json=as_json)


def shipped() -> dict[str, tuple[ProtocolDocument, bytes]]:
    """Return the shipped protocols by name, blocks and in-boot designs first."""
    named = {}
    for file, data in protocols().items():
        named[file.partition(".")[0]] = (parse_document(data), data)
    return {each: named[each] for each in (*_FIRST, *(n for n in named if n not in _FIRST))}


def document_at(name: str, url: str) -> ProtocolDocument:
    """Return the document in a file, under a digest, or under a name in the ledger.

    Raises:
        UnknownThing: ``unknown-protocol``.
    """
    if Path(name).is_file() or name == "-":
        return parse_document(canonical(read_object(name)))
    with connect(url) as client:
        digest = locked_digest(client, name)
        return parse_document(canonical(parse_strict(client.read(f"/v1/protocols/{digest}"))))


def locked_digest(client: Client, name: str, *, repository: str | None = None) -> str:
    """Return the digest of a locked document under its digest or its name.

    Args:
        client: the service.
        name: a digest, ``NAME`` (its newest version) or ``NAME@VERSION``.
        repository: whose name; None: anybody's.

    Raises:
        UnknownThing: ``unknown-protocol``.
    """
    if len(name) == _DIGEST_LENGTH:
        return name
    wanted, _, version = name.partition("@")
    rows = [row for page in client.pages("/v1/protocols") for row in rows_of(page, "protocols")]
    found = [
        row
        for row in rows
        if row["name"] == wanted
        and version in ("", str(row["version"]))
        and repository in (None, row["repository"])
    ]
    if not found:
        whose = "" if repository is None else f" in {repository}"
        message = f"No file and no locked protocol{whose} has that name."
        raise UnknownThing(message, code="unknown-protocol")
    return str(found[-1]["digest"])


def change_members(change: Amended) -> dict[str, JsonValue]:
    """Return a change as JSON."""
    return {
        "pointer": change.pointer,
        "where": change.where,
        "before": change.before,
        "after": change.after,
        "direction": change.direction,
    }


def change_line(where: object, before: JsonValue, after: JsonValue, direction: object) -> str:
    """Return a change in one line."""
    if before is None or after is None:
        how = "added" if before is None else "removed"
        return f"{where}: {how} ({direction})"
    values = " -> ".join(canonical(each).decode() for each in (before, after))
    return f"{where}: {values} ({direction})"
