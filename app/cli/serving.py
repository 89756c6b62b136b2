# SPDX-License-Identifier: Apache-2.0
"""Makes one process answer: the ledger that the settings name, behind its routes."""

from __future__ import annotations

import typer
import uvicorn
from fastapi import FastAPI

from app.cli.exit_code import ExitCode
from app.config import Settings
from app.edge.server import server_config
from app.main import assemble
from app.service.ledger import Ledger
from app.storage.clock import SystemClock
from app.storage.documents import schemas
from app.storage.ledger_keys import read_ledger_keys
from app.storage.open_store import store_of


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
        raise typer.Exit(ExitCode.UNEXPECTED)


def address(host: str, port: int) -> str:
    """Return the address as a browser takes it."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
