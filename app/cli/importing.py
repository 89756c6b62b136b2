# SPDX-License-Identifier: Apache-2.0
"""``fairtrial import``: a report that another tool wrote, as a capture that a receipt can carry.

Nothing is sent anywhere. What comes out has been held against every rule that the ledger has for a
capture, so that what it would refuse is known before anything is signed.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.options import AsJson, InputFile
from app.cli.output import emit, put, say
from app.core.digest import sha256_hex
from app.core.identity import Slug
from app.core.statement.capture import Artifact, ChecksCapture, Suite
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_capture
from app.core.statement.sanitize import refuse_unsanitary
from app.importers.checks import Wanted, import_checks
from app.importers.elements import MAX_BYTES
from app.importers.registry import IMPORTERS, ToolName
from app.runner.compose import has_form

_CHUNK_BYTES: Final = 1024 * 1024
_TOOLS: Final = "; ".join(f"{name}: {one.reads}" for name, one in IMPORTERS.items())


def import_report(
    tool: Annotated[
        ToolName, typer.Argument(help=f"Who wrote the report. {_TOOLS}.", metavar="TOOL")
    ],
    file: InputFile,
    *,
    suite: Annotated[
        str, typer.Option(help="The suite that gates know the whole report by.", metavar="NAME")
    ],
    named: Annotated[
        list[str] | None,
        typer.Option(
            help="Take one result by name: ID is yours, CASE is classname::name. May be repeated.",
            metavar="ID=CASE",
        ),
    ] = None,
    artifact: Annotated[
        list[str] | None,
        typer.Option(
            help="The file a result is about, by digest and size. An ID that no --named gives is "
            "the test whose own name it is. May be repeated.",
            metavar="ID=PATH",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Where to write it; without, stdout.", metavar="FILE"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a capture of a report that another tool wrote; nothing is sent anywhere.

    Explicit results are counted and nothing else: what the report does not say stands in the
    capture as not known. Push it with `fairtrial receipt push`.
    """
    if not has_form(suite, Slug):
        message = "--suite is a lower-case ASCII name such as cpu-suite."
        raise typer.BadParameter(message)
    wanted = list(_wanted(_pairs("--named", named), _pairs("--artifact", artifact)))
    report = IMPORTERS[tool].read(_report(file))
    imported = import_checks(report, suite=suite, named=wanted)
    data = encode(imported.capture)
    # The same readings that the ledger does: what it would refuse is refused here.
    parse_capture(data)
    refuse_unsanitary(data)
    for remark in imported.remarks:
        say(remark)
    if output is None:
        put(data)
    else:
        output.write_bytes(data)
        _tell(imported.capture, data, output, as_json=as_json)
    shown = output or "capture.json"
    say(f"push it: fairtrial receipt push receipt.json --capture {shown} --key RUNNER.pem")


def _tell(capture: ChecksCapture, data: bytes, output: Path, *, as_json: bool) -> None:
    digest = sha256_hex(data)
    result = {
        "file": str(output),
        "sha256": digest,
        "size": len(data),
        "schema": capture.schema,
        "named": [{"id": one.id, "result": one.result} for one in capture.named],
        "suites": [
            {"name": one.name, "passed": one.passed, "failed": one.failed, "skipped": one.skipped}
            for one in capture.suites
        ],
    }
    lines = [
        f"capture  {digest}",
        *map(_suite_line, capture.suites),
        *(f"{one.id}: {one.result}" for one in capture.named),
    ]
    emit(result, lines, as_json=as_json)


def _suite_line(suite: Suite) -> str:
    counts = (("passed", suite.passed), ("failed", suite.failed), ("not tested", suite.skipped))
    said = ", ".join(f"{name} {'not known' if n is None else n}" for name, n in counts)
    return f"{suite.name}: {said}"


def _report(name: str) -> bytes:
    """Return the report's bytes, and no more of a larger file than shows that it is too large."""
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with Path(name).open("rb") as report:
        return report.read(MAX_BYTES + 1)


def _pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for one in given or ():
        name, sign, value = one.partition("=")
        if not sign or not value or not has_form(name, Slug) or name in pairs:
            message = f"{option} is ID=VALUE, each ID a lower-case ASCII name, and once."
            raise typer.BadParameter(message)
        pairs[name] = value
    return pairs


def _wanted(named: dict[str, str], artifacts: dict[str, str]) -> Iterator[Wanted]:
    for name in dict.fromkeys((*named, *artifacts)):
        path = artifacts.get(name)
        yield Wanted(name, named.get(name), None if path is None else _artifact(Path(path)))


def _artifact(path: Path) -> Artifact:
    """Return a file's digest and size, both of the very bytes that were read."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return Artifact(sha256=digest.hexdigest(), size=size)
