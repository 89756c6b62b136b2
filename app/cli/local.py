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
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Begin a ledger: database, keys, genesis, and one person's keys in every role."""
    from app.cli.founding import Founder, begin
    from app.cli.settings import settings_for

    begin(settings_for(data_dir), Founder(origin, repository, holder), as_json=as_json)


def serve(
    *,
    host: HostOption = LOOPBACK,
    port: PortOption = 8000,
    data_dir: DataDir = None,
    as_json: AsJson = False,
) -> None:
    """Serve the ledger that `init` made, until interrupted."""
    from app.cli.output import emit
    from app.cli.serving import address, alone, app_of, listen, require_free
    from app.cli.settings import settings_for

    settings = settings_for(data_dir)
    require_free(host, port)
    url = address(host, port)

    def listening() -> None:
        emit({"url": url}, [url], as_json=as_json)

    app = app_of(settings)
    with alone(settings.database_url):
        listen(app, host=host, port=port, listening=listening)


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
