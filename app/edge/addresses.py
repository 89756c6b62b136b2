# SPDX-License-Identifier: Apache-2.0
"""How a repository is addressed: host, owner and name, each in lower case.

A forge shows mixed case and takes any; the ledger has one spelling. So a read in another spelling
is led to that one, by a relative address with nothing of the request in it but its own path and
query, and an address without a host is answered with the form that is meant.
"""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import RedirectResponse, Response

from app.edge.caching import REVALIDATED
from app.edge.deps import MIXED_CASE
from app.edge.problems import Problem, problem_of_parameters

PREFIXES: Final = ("/r/", "/v1/repos/")
"""Under which addresses of repositories stand: pages, and REST."""
LED: Final[dict[int | str, dict[str, Any]]] = {
    308: {"description": "To the repository's one spelling, in lower case"}
}
"""The OpenAPI response of every route below a repository."""


def install(app: FastAPI) -> None:
    """Answer for parameters that are not of their form."""
    app.add_exception_handler(RequestValidationError, _on_parameters)


async def _on_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - the framework's signature is wider
    return led(request, error) or problem_of_parameters(error).response()


def led(request: Request, error: RequestValidationError) -> Response | None:
    """Return the way to the one spelling, where nothing but the case is wrong; else None."""
    if any(row["type"] != MIXED_CASE for row in error.errors()):
        return None
    asked = "/{host}/{owner}/{name}".format_map(request.path_params)
    place = quote(request.scope["path"].replace(asked, asked.lower(), 1))
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(place + query, HTTPStatus.PERMANENT_REDIRECT, headers=REVALIDATED)


def explained(problem: Problem, path: str) -> Problem:
    """Return the problem of an address that no route has, with the form a repository's has."""
    for prefix in PREFIXES:
        if path.startswith(prefix):
            detail = (
                f"Nothing has this address. A repository is named by host, owner and name, in "
                f"lower case: {prefix}HOST/OWNER/NAME, such as {prefix}git.example/owner/name."
            )
            return replace(problem, detail=detail)
    return problem
