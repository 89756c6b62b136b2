# SPDX-License-Identifier: Apache-2.0
"""Every page's route, for the composition root to mount beside REST."""

from __future__ import annotations

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
    """Add the pages to ``app``; they read the ledger that ``app.state`` holds."""
    for router in ROUTERS:
        app.include_router(router)
