# SPDX-License-Identifier: Apache-2.0
"""``fairtrial serve``: one process that answers."""

from __future__ import annotations

from typing import Annotated, Final

import typer
import uvicorn
from fastapi import FastAPI

from app.cli.options import DataDir
from app.cli.output import say
from app.cli.settings import settings_for
from app.config import Settings
from app.edge.server import server_config
from app.main import assemble
from app.service.ledger import Ledger
from app.storage.clock import SystemClock
from app.storage.documents import schemas
from app.storage.ledger_keys import read_ledger_keys
from app.storage.open_store import store_of

HostOption = Annotated[str, typer.Option(help="Address to listen on.")]
PortOption = Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)]
LOOPBACK: Final = "127.0.0.1"


def serve(
    *, host: HostOption = LOOPBACK, port: PortOption = 8000, data_dir: DataDir = None
) -> None:
    """Serve the ledger that `init` made, until interrupted."""
    settings = settings_for(data_dir)
    app = app_of(settings)
    say(f"serving on {address(host, port)}")
    listen(app, host=host, port=port)


def app_of(settings: Settings) -> FastAPI:
    """Return the app around the ledger that the settings name."""
    ledger = Ledger(
        store_of(settings.database_url),
        signer=read_ledger_keys(settings.data_dir),
        clock=SystemClock(),
    )
    return assemble(ledger, allowed_hosts=settings.allowed_hosts, published=schemas())


def listen(app: FastAPI, *, host: str, port: int) -> None:
    """Answer until this process is told to stop."""
    server = uvicorn.Server(server_config(app, host=host, port=port))
    server.run()
    if not server.started:
        raise typer.Exit(1)


def address(host: str, port: int) -> str:
    """Return the address as a browser takes it."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
