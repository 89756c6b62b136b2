# SPDX-License-Identifier: Apache-2.0
"""``init``, ``serve`` and ``demo``: the commands that hold a ledger themselves.

Only their options stand here: what they need is slow to load, and no other command needs it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.options import AsJson, DataDir

LOOPBACK: Final = "127.0.0.1"
HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)]


def init(
    *,
    origin: Annotated[
        str, typer.Option(help="The log's name, for ever: a host and path you own.", metavar="NAME")
    ],
    repository: Annotated[
        list[str],
        typer.Option(
            help="host/owner/name whose keys are registered; may be repeated.", metavar="NAME"
        ),
    ],
    holder: Annotated[str, typer.Option(help="Whose keys these are.", metavar="PERSON")],
    continues: Annotated[
        Path | None,
        typer.Option(
            "--continues",
            help="The last checkpoint of an ended log that this one follows: a signed note, or the "
            "file `checkpoint` of its data folder.",
            metavar="FILE",
        ),
    ] = None,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Begin a ledger: database, keys, genesis, and one person's keys in every role."""
    from app.cli.founding import Founder, begin, ended_log
    from app.cli.settings import settings_for

    ended = None if continues is None else ended_log(continues)
    begin(settings_for(data_dir), Founder(origin, repository, holder, ended), as_json=as_json)


def serve(
    *,
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Serve the ledger that `init` made, until interrupted."""
    from app.cli.output import emit
    from app.cli.serving import (
        address,
        app_of,
        as_server,
        listen,
        refuse_unfit,
        require_free,
    )
    from app.cli.settings import settings_for

    settings = settings_for(data_dir)
    require_free(host, port)
    app = app_of(settings)
    refuse_unfit(settings)
    url = address(host, port)

    def listening() -> None:
        emit({"url": url}, [url], as_json=as_json)

    with as_server(settings):
        listen(app, host=host, port=port, listening=listening)


def fsck(*, data_dir: DataDir = None, as_json: AsJson = False) -> None:
    """Re-hash and re-derive the whole ledger, and name the first index that is wrong.

    Exit code 45: damage. 46: the store was set back, forked, or lost what holds it append-only.
    """
    from app.cli.auditing import fsck as audit
    from app.cli.settings import settings_for

    raise typer.Exit(audit(settings_for(data_dir), as_json=as_json))


def demo(
    *,
    data_dir: Annotated[
        Path, typer.Option("--data-dir", help="A folder of the demo's own.", metavar="FOLDER")
    ] = Path("var"),
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    no_serve: Annotated[bool, typer.Option("--no-serve", help="Build it and stop.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build the example ledger, print the URL of every page to open, and serve it.

    A second run replaces the demo ledger of the first; any other folder is left as it is.
    """
    from app.cli.showing import Stage, show

    show(data_dir, None if no_serve else Stage(host, port), as_json=as_json)
