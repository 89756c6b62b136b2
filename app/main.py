# SPDX-License-Identifier: Apache-2.0
"""The composition root: settings -> store -> ledger -> routes -> ASGI app.

Nothing else knows both the settings and the routes. This is also the one place that catches
everything: what nobody foresaw is answered by a problem that tells nothing but an id, and noted in
the process's own log by type and place, without the message, which may hold what somebody sent.
"""

from __future__ import annotations

import logging
import secrets
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.config import Settings
from app.core.log.cosignature import parse_witness
from app.edge import addresses, problems
from app.edge.caching import Conditional
from app.edge.door import Door
from app.edge.limits import Guard
from app.edge.witness_caller import HttpWitnessCaller
from app.pages.routes import mount_pages
from app.service.ledger import Ledger
from app.service.sequence import Capacity
from app.service.witnessing import NamedWitness, Witnessing
from app.storage import documents
from app.storage.anchor_file import AnchorFile
from app.storage.clock import SystemClock
from app.storage.cosignatures import CosignatureFile
from app.storage.ledger_keys import read_ledger_keys
from app.storage.open_store import store_of
from app.web import heads, health, log, metrics, protocols, schemas, statements, studies
from app.web.schemas import SchemaShelf

_LOG: Final = logging.getLogger("fairtrial")
_ROUTERS: Final = (
    # Before statements: /v1/protocols/lint is no digest, and the first match answers.
    protocols.router,
    studies.router,
    statements.router,
    heads.router,
    log.router,
    schemas.router,
    health.router,
    metrics.router,
)


class LastResort:
    """ASGI middleware: whatever was raised and not foreseen becomes a problem with an id."""

    def __init__(self, app: ASGIApp) -> None:
        """Stand before ``app``."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception as error:
            request_id = secrets.token_hex(8)
            _note(request_id, error)
            if started:
                raise
            await problems.unexpected(request_id).response()(scope, receive, send)


def _note(request_id: str, error: Exception) -> None:
    """Log the types and places of ``error`` and what caused it, and no message of any of them."""
    lines: list[str] = []
    cause: BaseException | None = error
    while cause is not None:
        lines += [type(cause).__qualname__, *traceback.format_tb(cause.__traceback__)]
        cause = cause.__cause__ or cause.__context__
    _LOG.error("request %s: %s", request_id, "\n".join(lines))


def create_app(settings: Settings) -> FastAPI:
    """Return the app around the ledger that ``settings`` name; nothing is opened before it starts.

    Raises:
        UnknownThing: ``no-ledger-keys``, no ledger was begun in the data folder.
        IntegrityBroken: the ledger's keys cannot be read, or others may read them.
    """
    ledger = Ledger(
        store_of(settings.database_url),
        signer=read_ledger_keys(settings.data_dir),
        clock=SystemClock(),
        anchor=AnchorFile(settings.data_dir),
        capacity=Capacity(
            max_waiting=settings.max_waiting,
            max_batch=settings.max_batch,
            scrub_pause_s=settings.scrub_pause_s,
        ),
        witnessing=witnessing_of(settings),
    )
    return assemble(ledger, allowed_hosts=settings.allowed_hosts, published=documents.schemas())


def witnessing_of(settings: Settings) -> Witnessing | None:
    """Return the witnesses that the settings name, None when they name nobody.

    Raises:
        MalformedDocument: ``note-key``, a verifier key is none.
    """
    pairs = [one.partition(" ") for one in settings.witnesses]
    named = [NamedWitness(parse_witness(vkey), url.strip().rstrip("/")) for vkey, _, url in pairs]
    if not named:
        return None
    kept = CosignatureFile(settings.data_dir)
    return Witnessing(named, caller=HttpWitnessCaller(), store=kept)


def assemble(
    ledger: Ledger, *, allowed_hosts: tuple[str, ...], published: dict[str, bytes]
) -> FastAPI:
    """Return the app around a ledger, which starts and stops with it."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        try:
            await ledger.start()
            yield
        finally:
            await ledger.stop()

    app = FastAPI(
        title="Fairtrial",
        summary="Qualification protocols and an evidence ledger for exact commits",
        version="0.1.0",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.ledger = ledger
    app.state.schemas = SchemaShelf(published)
    problems.install(app)
    addresses.install(app)
    # As they are: an included router's routes would be made anew, and each app's for itself.
    for router in _ROUTERS:
        app.routes.extend(router.routes)
    mount_pages(app)
    # The last one added stands first.
    app.add_middleware(Door, handlers=statements.HANDLERS)
    app.add_middleware(Conditional)
    app.add_middleware(Guard, allowed_hosts=allowed_hosts)
    app.add_middleware(LastResort)
    return app
