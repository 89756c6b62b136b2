# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol versions``: every version of a protocol, and what each lock could know."""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Final

import typer

from app.cli.bundles import refused_bundle, vouches_for_itself
from app.cli.drafting import change_line, locked_digest
from app.cli.options import DEFAULT_URL, AsJson, RepositoryOption, Url
from app.cli.output import emit, say
from app.cli.session import connect, read_input, repository_named
from app.cli.stored import object_of, rows_of
from app.core.errors import UnknownThing
from app.core.verdict.bundle import read_bundle
from app.core.verdict.bundle_versions import versions_in
from app.core.verdict.explain import REASON_TEXTS
from app.runner.failures import Document, Refused

if TYPE_CHECKING:
    from app.runner.client import Client

NameArgument = Annotated[
    str,
    typer.Argument(
        help="A digest of a locked document, or a name (NAME, or NAME@2 for one version).",
        metavar="PROTOCOL",
    ),
]
_STATES: Final = ("FAIL", "INVALID", "NOT_RUN", "INCONCLUSIVE", "PASS")


def versions(
    name: NameArgument,
    *,
    bundle: Annotated[
        str | None,
        typer.Option(
            help="Count from a bundle instead of asking a service: of its head alone.",
            metavar="FILE",
        ),
    ] = None,
    repository: RepositoryOption = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the versions of a locked protocol: changes, what was known, EXPLORATORY or not."""
    found = (
        _served(name, repository, url)
        if bundle is None
        else _bundled(name, bundle, as_json=as_json)
    )
    lines = [line for row in rows_of(found, "versions") for line in _lines(row)]
    emit(found, lines, as_json=as_json)


def _served(name: str, repository: str | None, url: str) -> Document:
    whose = None if repository is None else repository_named(repository)
    with connect(url) as client:
        digest = locked_digest(client, name, repository=whose)
        pages = _pages(client, digest, whose)
    return {**pages[-1], "versions": [row for page in pages for row in rows_of(page, "versions")]}


def _pages(client: Client, digest: str, repository: str | None) -> list[Document]:
    path = f"/v1/protocols/{digest}/versions"
    if repository is None:
        return [*client.pages(path)]
    try:
        return [*client.pages(path, only={"repository": repository})]
    except Refused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
    # A digest names one document wherever it is locked; the repository only said whose lock first.
    pages = [*client.pages(path)]
    say(f"not locked in {repository}; these are the versions in {pages[-1]['repository']}")
    return pages


def _bundled(name: str, bundle: str, *, as_json: bool) -> Document:
    # Only this option needs the shapes that a service answers in.
    from app.web.version_models import ProtocolVersions, version_entry

    data = read_input(bundle)
    with refused_bundle(as_json=as_json):
        whole = read_bundle(data)
        found = versions_in(whole, name)
    if not found:
        message = "No protocol of that name is locked in this bundle."
        raise UnknownThing(message, code="unknown-protocol")
    say(vouches_for_itself(whole.head))
    say(f"counted on head {whole.head.head} alone: other heads are not in its bundle")
    return ProtocolVersions(
        repository=whole.head.repository,
        newest=found[-1].lock.digest,
        versions=[version_entry(one) for one in found],
    ).model_dump(mode="json")


def _lines(row: Document) -> Iterator[str]:
    yield f"v{row['version']}  {row['digest']}  locked {row['at']}, log entry {row['index']}"
    if row["why"] is not None:
        yield f"  why: {row['why']}"
    if row["supersedes"] is not None:
        yield f"  known then: {_known(object_of(row['known']))}"
    yield f"  {_mark(row)}"
    for change in rows_of(row, "changes"):
        values = (change[name] for name in ("where", "before", "after", "direction"))
        yield f"  {change_line(*values)}"


def _known(known: Document) -> str:
    counts = object_of(known["judgements"])
    judged = " / ".join(f"{state} {counts[state]}" for state in _STATES if counts[state])
    return (
        f"studies {known['studies']} (closed {known['closed']}), attempts {known['attempts']}, "
        f"receipts {known['receipts']}; judged of candidates: {judged or 'nothing'}"
    )


def _mark(row: Document) -> str:
    code = str(row["reason"])
    sentence = next((text.sentence for of, text in REASON_TEXTS.items() if of == code), "")
    gates = row["exploratory_gates"]
    named = ", ".join(map(str, gates)) if isinstance(gates, list) and gates else "no gate it has"
    mark = f"EXPLORATORY for earlier evidence: {named}" if row["exploratory"] else "not EXPLORATORY"
    return f"{mark} ({code}) {sentence}".rstrip()
