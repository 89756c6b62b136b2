# SPDX-License-Identifier: Apache-2.0
"""The short way in for writes: a path, its handler, and nothing between them.

Finding a route among all of them, asking for its dependencies and checking an answer against its
model costs the framework as much as checking a receipt costs us. A write needs none of it: its
address is one of a few fixed ones, its handler takes the request and gives the whole answer. The
same handlers stand as ordinary routes, from which ``/openapi.json`` is made; a request with a query
goes that way and is refused there, since no write takes one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from app.core.errors import FairtrialError
from app.edge.problems import problem_of, problem_of_http, problem_of_store
from app.service.ports import StoreUnavailable

Handler: TypeAlias = Callable[[Request], Awaitable[Response]]


class Door:
    """ASGI middleware: answers a POST to one of its paths, and lets everything else pass."""

    def __init__(self, app: ASGIApp, *, handlers: Mapping[str, Handler]) -> None:
        """Stand before ``app`` with one handler a path."""
        self._app = app
        self._handlers = handlers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        handler = self._handler_of(scope)
        if handler is None:
            await self._app(scope, receive, send)
            return
        try:
            response = await handler(Request(scope, receive))
        except FairtrialError as error:
            response = problem_of(error).response()
        except StoreUnavailable:
            response = problem_of_store().response()
        except HTTPException as error:
            response = problem_of_http(error).response()
        await response(scope, receive, send)

    def _handler_of(self, scope: Scope) -> Handler | None:
        if scope["type"] != "http" or scope["method"] != "POST" or scope["query_string"]:
            return None
        return self._handlers.get(scope["path"])
