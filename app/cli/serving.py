# SPDX-License-Identifier: Apache-2.0
"""Makes one process answer: the ledger that the settings name, behind its routes."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import typer
import uvicorn
from fastapi import FastAPI
from starlette.types import ASGIApp
from typing_extensions import override

from app.cli.exit_code import ExitCode
from app.cli.misconfigured import Misconfigured
from app.cli.output import say
from app.config import Settings
from app.core.errors import LedgerBusy, MalformedDocument, UnknownThing
from app.edge.server import server_config
from app.main import create_app
from app.service.fit_to_serve import refuse_weakened
from app.service.last_shown import LastShown
from app.service.ports import StoreUnavailable
from app.storage.anchor_file import AnchorFile
from app.storage.open_store import store_of
from app.storage.serving_lock import ServedAlready, serving

_GC_THRESHOLDS: Final = (50_000, 20, 20)
_SWITCH_S: Final = 0.0005
"""How long a thread that flushes or reads waits for the loop, and the other way round."""


def app_of(settings: Settings) -> FastAPI:
    """Return the app around the ledger that the settings name.

    Raises:
        Misconfigured: no ledger was begun there, or a witness is named by no key.
    """
    try:
        return create_app(settings)
    except UnknownThing as error:
        raise Misconfigured(error.detail) from error
    except MalformedDocument as error:
        raise Misconfigured(f"FAIRTRIAL_WITNESSES: {error.detail}") from error


@contextmanager
def as_server(settings: Settings) -> Iterator[None]:
    """Be a process that serves a ledger; the only one where it is an SQLite file.

    Raises:
        Misconfigured: another process does, or is alone with the store.
    """
    try:
        with serving(settings.database_url, settings.data_dir):
            yield
    except ServedAlready as error:
        raise Misconfigured(str(error)) from error


def refuse_unfit(settings: Settings) -> None:
    """Look at the store before anything listens; the ledger looks again when it starts.

    Raises:
        IntegrityBroken: ``weakened``, ``rollback``, ``fork``, ``no-anchor``, ``anchor`` or
            ``schema-version``.
        LedgerBusy: ``store-unavailable``.
    """
    asyncio.run(_refuse_unfit(settings))


async def _refuse_unfit(settings: Settings) -> None:
    store, anchor = store_of(settings.database_url), AnchorFile(settings.data_dir)
    try:
        await store.open()
        refuse_weakened(await store.weaknesses())
        # Where neither is, no ledger was begun, and its start says so.
        if await store.newest_checkpoint() is not None or await anchor.read() is not None:
            await LastShown(store, anchor).refuse_other_store()
    except StoreUnavailable as error:
        message = "The store does not answer; start it, or correct FAIRTRIAL_DATABASE_URL."
        raise LedgerBusy(message, code="store-unavailable") from error
    finally:
        await store.close()


class _Server(uvicorn.Server):
    """uvicorn's own, which tells once it listens."""

    def __init__(self, config: uvicorn.Config, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._listening = listening

    @override
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        _set_pace()
        if self.started:
            self._listening()


def _set_pace() -> None:
    """Let this process serve from here on.

    What stands now stands to the end, and what a request makes is let go by counting: looking for
    cycles at the usual pace takes a tenth of the time of a write.
    """
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)
    sys.setswitchinterval(_SWITCH_S)


def listen(
    app: ASGIApp, *, host: str, port: int, listening: Callable[[], None] = lambda: None
) -> None:
    """Answer until this process is told to stop; ``listening`` is called once it can be reached."""

    def told() -> None:
        listening()
        say(f"serving on {address(host, port)} until interrupted (Ctrl-C)")

    server = _Server(server_config(app, host=host, port=port), told)
    server.run()
    if not server.started:
        raise typer.Exit(ExitCode.UNEXPECTED)


def require_free(host: str, port: int) -> None:
    """Refuse a port that is taken before anything is built or opened.

    Raises:
        Misconfigured: something listens there, perhaps a service that still runs, or the address
            is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                message = f"Port {port} is taken; stop what listens there or name another --port."
            else:
                message = f"Nothing can listen on {address(host, port)}: {error.strerror}."
            raise Misconfigured(message) from error


def address(host: str, port: int) -> str:
    """Return the address as a browser takes it."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
