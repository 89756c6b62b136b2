# SPDX-License-Identifier: Apache-2.0
"""``verdict``, ``bundle`` and ``score``: what is established about one head, here and offline.

``score`` reads a bundle and opens no socket; what it prints is, byte for byte, what the service
serves for the same head. It says each time that nobody has vouched for the keys in the bundle.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from app.cli.bundles import refused_bundle, vouches_for_itself
from app.cli.judged import judged_lines
from app.cli.options import DEFAULT_URL, AsJson, RepositoryOption, Url
from app.cli.output import put, say
from app.cli.session import connect, read_input, repository_named
from app.core.canonical import canonical, parse_strict
from app.core.errors import UnknownThing
from app.core.statement.parse import parse_verdict_document
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.bundle import documents_of, read_bundle
from app.core.verdict.explain import action_sentence_of, exit_code_of, sentence_of
from app.core.verdict.vsa import vsa_of

HeadArgument = Annotated[
    str, typer.Argument(help="A full commit id, or a unique prefix of 7 or more.", metavar="HEAD")
]
ClaimOption = Annotated[
    str | None, typer.Option("--claim", help="One claim of the policy.", metavar="NAME")
]
ExitCodeOption = Annotated[
    bool, typer.Option("--exit-code", help="Exit with the verdict's own code; 0 is QUALIFIED only.")
]

GatesOption = Annotated[
    bool, typer.Option("--gates", help="Every gate in words: rule, numbers, and why units miss.")
]


def verdict(
    head: HeadArgument,
    *,
    repository: RepositoryOption = None,
    claim: ClaimOption = None,
    exit_code: ExitCodeOption = False,
    gates: GatesOption = False,
    vsa: Annotated[
        bool, typer.Option("--vsa", help="As a SLSA verification summary; not for a HOLD.")
    ] = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the word about one exact head, and who acts next."""
    if vsa and claim is None:
        raise typer.BadParameter("--vsa is about one claim; give --claim")
    path = f"/v1/repos/{repository_named(repository)}/heads/{head}"
    with connect(url) as client:
        data = client.read(path) if claim is None else client.read(path, claim=claim)
        if vsa:
            put(vsa_of(parse_verdict_document(data), verifier=f"https://{client.ledger().origin}"))
            return
    found = [data] if claim is not None else _each(data)
    _print(data, found, Shown(exit_code=exit_code, gates=gates, as_json=as_json))


def bundle(
    head: HeadArgument,
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="Where to write it; - is stdout.", metavar="FILE")
    ],
    repository: RepositoryOption = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Download everything a verdict is computed from: the three lines whole, as JSON lines."""
    del as_json  # the result is the file
    with connect(url) as client:
        data = client.read(f"/v1/repos/{repository_named(repository)}/heads/{head}/bundle")
    if str(output) == "-":
        put(data)
    else:
        output.write_bytes(data)
        say(f"{len(data)} bytes; `fairtrial score {output}` computes the verdicts from them.")


def score(
    bundle: Annotated[str, typer.Argument(help="A bundle file; - reads stdin.", metavar="BUNDLE")],
    *,
    claim: ClaimOption = None,
    exit_code: ExitCodeOption = False,
    gates: GatesOption = False,
    as_json: AsJson = False,
) -> None:
    """Compute the verdicts of a bundle, without a server and without a socket.

    Prints the verdict document of one claim, or without --claim of every claim, to the byte as the
    service serves it. Whose keys signed is not asked: a bundle vouches for itself.
    """
    data = read_input(bundle)
    with refused_bundle(as_json=as_json):
        whole = read_bundle(data)
        documents = documents_of(whole)
    about = whole.head
    say(vouches_for_itself(about))
    if claim is None:
        found = list(documents.values())
        frame = canonical({"head": about.head, "repository": about.repository})
        shown = frame[:-1] + b',"verdicts":[' + b",".join(found) + b"]}"
    elif (claim or None) in documents:
        shown = documents[claim or None]
        found = [shown]
    else:
        raise UnknownThing("No policy of this bundle names that claim.", code="unknown-claim")
    # The result is the document: the same with --json and without, save where words are asked for.
    _print(shown, found, Shown(exit_code=exit_code, gates=gates, as_json=as_json or not gates))


@dataclass(frozen=True, slots=True)
class Shown:
    """How verdicts are printed: with the exit code of the one, every gate in words, or as JSON."""

    exit_code: bool
    gates: bool
    as_json: bool


def _print(shown: bytes, documents: list[bytes], how: Shown) -> None:
    read = [parse_verdict_document(one) for one in documents]
    if how.exit_code and len(read) != 1:
        names = ", ".join(str(one.claim) for one in read)
        raise typer.BadParameter(f"--exit-code is about one claim; --claim one of {names}")
    if how.as_json:
        put(shown)
    else:
        texts = [[*_lines(one), *(judged_lines(one) if how.gates else ())] for one in read]
        put("\n\n".join("\n".join(each) for each in texts).encode() + b"\n")
    if how.exit_code:
        raise typer.Exit(exit_code_of(read[0]))


def _each(data: bytes) -> list[bytes]:
    """Return the documents of an answer about every claim."""
    answer = parse_strict(data)
    verdicts = answer.get("verdicts") if isinstance(answer, dict) else None
    return [canonical(one) for one in verdicts] if isinstance(verdicts, list) else []


def _lines(document: VerdictDocument) -> list[str]:
    """Return what a reader needs first, in the order of the head page."""
    claim = f" for {document.claim}" if document.claim is not None else ""
    attempt = f"attempt {document.attempt.k} of {document.attempt.n}"
    conflicting = " (CONFLICTING)" if document.conflicting else ""
    return [
        f"{document.word}{conflicting}{claim}",
        f"{document.repository} {document.head}",
        attempt,
        sentence_of(document),
        action_sentence_of(document),
        *(f"reason: {_reason(one.code, one.scope)}" for one in document.reasons),
        *(f"scope {one.scope}: {one.state} ({one.reason})" for one in document.required),
    ]


def _reason(code: str, scope: str | None) -> str:
    return code if scope is None else f"{code} {scope}"
