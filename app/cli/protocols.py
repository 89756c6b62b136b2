# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol``: lint a document, lock it, show what is locked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from app.cli.effects import effects_of
from app.cli.exit_code import ExitCode
from app.cli.options import DEFAULT_URL, AsJson, InputFile, KeyFile, RepositoryOption, Url
from app.cli.output import emit, put, say
from app.cli.power import pilot_of, power_lines, power_members, spread_of
from app.cli.session import appended, connect, envelope_of, read_object, repository_named
from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.protocol.finding import LintFinding
from app.core.protocol.lint import lint as lint_document
from app.core.protocol.patch import operations, patch_text
from app.core.protocol.plan import plan
from app.core.statement.parse import parse_document
from app.runner.failures import Document
from app.service.plan_power import power_of
from app.service.read_pilot import deadlines_by_pilot, effects_of_pilot, late_deadlines

commands = typer.Typer(no_args_is_help=True, help="Lint, lock and show protocols.")

DigestArgument = Annotated[
    str, typer.Argument(help="SHA-256 of the document's JCS bytes.", metavar="DIGEST")
]


@commands.command(
    epilog="Example: fairtrial protocol lint protocols/comparison-blocks.v1.json "
    "--effect ttft-contended=0.35",
)
def lint(
    file: InputFile,
    *,
    effect: Annotated[
        list[str] | None,
        typer.Option(
            help="What a pilot saw of a comparison's effect, in the scale of its margin; may be "
            "repeated. A margin wider than that is warned of.",
            metavar="GATE=DECIMAL",
        ),
    ] = None,
    power: Annotated[
        bool, typer.Option("--power", help="Say also what each gate can decide.")
    ] = False,
    pilot: Annotated[
        str | None,
        typer.Option(
            help="What was measured before, as schemas/pilot.v1.schema.json has it: spreads, known "
            "effects and deadlines are taken from it.",
            metavar="FILE",
        ),
    ] = None,
    spread: Annotated[
        str,
        typer.Option(
            help="Standard deviation of one unit in a pilot: a share of the control for ratio "
            "margins, else in the metric's unit.",
            metavar="DECIMAL",
        ),
    ] = "0.09",
    seed: Annotated[int, typer.Option(help="Of the simulation.", metavar="N")] = 1,
    as_json: AsJson = False,
) -> None:
    """Say what a lock of this document would meet; nothing is sent anywhere."""
    data = canonical(read_object(file))
    document = parse_document(data)
    measured = pilot_of(pilot)
    known = {} if measured is None else effects_of_pilot(measured, document)
    findings = lint_document(document, {**known, **effects_of(effect or (), document)})
    errors = [one for one in findings if one.severity == "error"]
    report: dict[str, object] = {
        "document": sha256_hex(data),
        "planned_slots": len(plan(document)),
        "lockable": not errors,
        "findings": [_members(one) for one in findings],
    }
    lines = [f"document {report['document']}, {report['planned_slots']} planned slots"]
    lines += _lines(findings)
    lines.append("not lockable" if errors else "lockable")
    if (power or measured is not None) and not errors:
        rows = [*power_of(document, pilot=measured, spread=spread_of(spread), seed=seed)]
        late = [] if measured is None else [*deadlines_by_pilot(measured, document)]
        late += [] if measured is None else [*late_deadlines(measured, document)]
        report["power"] = {
            "spread": spread if measured is None else None,
            "seed": seed,
            "claims": [power_members(row) for row in rows],
            "findings": [_members(one) for one in late],
        }
        lines += power_lines(rows, spread=spread, seed=seed, pilot=measured is not None)
        lines += _lines(late)
    emit(report, lines, as_json=as_json)
    if errors:
        raise typer.Exit(ExitCode.REFUSED)


def _members(finding: LintFinding) -> dict[str, object]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "pointer": finding.pointer,
        "detail": finding.detail,
        "formula": finding.formula or None,
        "change": operations(finding.change),
    }


def _lines(findings: Iterable[LintFinding]) -> Iterator[str]:
    for one in findings:
        yield f"{one.code} {one.pointer or '/'}: {one.detail}"
        yield from (f"  {extra}" for extra in (one.formula, patch_text(one.change)) if extra)


@commands.command(
    epilog="Example: fairtrial protocol lock protocols/contention-canary.v1.json "
    "--repository git.example/owner/name --acknowledge W_NO_ASSAY_CONTROL --key maintainer.pem",
)
def lock(
    file: InputFile,
    *,
    repository: RepositoryOption = None,
    acknowledge: Annotated[
        list[str] | None,
        typer.Option(help="A lint warning that is accepted; may be repeated.", metavar="CODE"),
    ] = None,
    supersedes: Annotated[
        str | None, typer.Option(help="Document digest of the version before.", metavar="DIGEST")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Why it supersedes.", metavar="TEXT")] = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Lock a document for a repository: from then on it never changes."""
    document = read_object(file)

    def around(plain: Document) -> Document:
        if "document" in plain:
            return plain
        return {
            "repository": repository_named(repository),
            "document": plain,
            "acknowledged_warnings": [*(acknowledge or ())],
            "supersedes": supersedes,
            "reason": reason,
        }

    with connect(url) as client:
        envelope = envelope_of("protocol", document, client=client, key=key, fill=around)
        answer = client.append("protocol", envelope)
    if "document" not in document and "payloadType" not in document:
        say(f"document   {sha256_hex(canonical(document))}")
    appended(answer, as_json=as_json)


@commands.command(epilog="Example: fairtrial protocol show DIGEST > protocol.json")
def show(digest: DigestArgument, *, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print a locked document's canonical JSON, byte for byte."""
    del as_json  # it is JSON already
    with connect(url) as client:
        put(client.read(f"/v1/protocols/{digest}"))


@commands.command("list", epilog="Example: fairtrial protocol list")
def list_(*, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print the locked protocols in the order they were locked."""
    with connect(url) as client:
        rows = [row for page in client.pages("/v1/protocols") for row in _rows(page)]
    lines = [
        f"{row['digest']}  {row['name']} v{row['version']}  {row['repository']}  {row['at']}"
        for row in rows
    ]
    if not rows:
        say("no protocol is locked yet: fairtrial protocol lock FILE")
    emit({"protocols": rows}, lines, as_json=as_json)


def _rows(page: Document) -> list[Document]:
    rows = page["protocols"]
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
