# SPDX-License-Identifier: Apache-2.0
"""A refusal on a page's route is a page too: the same status, type and words as the problem's."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from typing_extensions import override

from app.core.errors import FairtrialError
from app.edge.addresses import explained, led
from app.edge.problems import Problem, problem_of, problem_of_http, problem_of_parameters
from app.pages.render import page

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class PageRoute(APIRoute):
    """A route whose errors are read by people."""

    @override
    def get_route_handler(self) -> Handler:
        inner = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await inner(request)
            except FairtrialError as error:
                problem = problem_of(error)
            except RequestValidationError as error:
                if (answer := led(request, error)) is not None:
                    return answer
                problem = problem_of_parameters(error)
            except HTTPException as error:
                problem = problem_of_http(error)
            return problem_page(problem)

        return answer


async def on_unrouted(request: Request, error: Exception) -> Response:
    """Answer for an address that no route has: a page for whoever asks for one, else a problem."""
    assert isinstance(error, HTTPException)  # noqa: S101 - the framework's signature is wider
    problem = explained(problem_of_http(error), request.url.path)
    wants_page = "text/html" in request.headers.get("accept", "")
    return problem_page(problem) if wants_page else problem.response()


def problem_page(problem: Problem) -> Response:
    """Return the page of one refusal; nothing that was sent is echoed."""
    machine_readable = problem.response()
    headers = {
        **{k: v for k, v in machine_readable.headers.items() if k in {"retry-after", "allow"}},
        "cache-control": "no-store",
        "link": f'</problems/{problem.code}>; rel="type"',
    }
    context = {"title": problem.title, "problem": problem}
    return page("problem.html.j2", context, status=problem.status, headers=headers)
