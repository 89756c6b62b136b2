# SPDX-License-Identifier: Apache-2.0
"""``fairtrial log``: the log's entries in order."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, Url
from app.cli.output import emit, put
from app.cli.session import connect
from app.cli.stored import rows_of

commands = typer.Typer(no_args_is_help=True, help="Look at the log.")


@commands.command(epilog="Example: fairtrial log show --line head:git.example/owner/name@SHA")
def show(
    *,
    line: Annotated[
        str, typer.Option(help="Only lines that begin with this.", metavar="PREFIX")
    ] = "",
    checkpoint: Annotated[
        bool, typer.Option("--checkpoint", help="Print the newest signed checkpoint instead.")
    ] = False,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Print the log's entries, oldest first: index, time, kind, statement and line."""
    with connect(url) as client:
        if checkpoint:
            note = client.read("/log/checkpoint")
            if not as_json:
                put(note)
            else:
                emit({"checkpoint": note.decode()}, (), as_json=True)
            return
        rows = [row for page in client.pages("/v1/log/entries") for row in rows_of(page, "entries")]
    rows = [row for row in rows if str(row["line"]).startswith(line)]
    lines = [
        f"{row['index']}  {row['at']}  {row['kind']}  {row['statement']}  {row['line']}"
        for row in rows
    ]
    emit({"entries": rows}, lines, as_json=as_json)
