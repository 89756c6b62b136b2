# SPDX-License-Identifier: Apache-2.0
"""Every page's route, for the composition root to mount beside REST."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, FastAPI

from app.pages import (
    heads,
    ledger_pages,
    protocols,
    repositories,
    static_files,
    studies,
    vocabulary,
)
from app.pages.page_route import on_unrouted

ROUTERS: Final[tuple[APIRouter, ...]] = (
    ledger_pages.router,
    repositories.router,
    heads.router,
    protocols.router,
    studies.router,
    vocabulary.router,
    static_files.router,
)


def mount_pages(app: FastAPI) -> None:
    """Add the pages, and one for unknown addresses; they read the ledger ``app.state`` holds."""
    for router in ROUTERS:
        app.routes.extend(router.routes)
    app.add_exception_handler(HTTPStatus.NOT_FOUND, on_unrouted)
