# SPDX-License-Identifier: Apache-2.0
"""Every refusal as ``application/problem+json`` (RFC 9457): error class -> status, in one table.

The core's errors know no HTTP; this file gives each class its status and title. ``type`` is
``/problems/<code>``, a relative reference that resolves to a page of this service. Nothing from
outside is echoed: the core's errors carry no such value, and what the framework says about a
parameter is rebuilt from its place and its rule alone.

A class that has no row of its own takes its parent's; a test holds that each class has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from app.core import errors
from app.core.canonical import canonical
from app.core.errors import FairtrialError, Finding
from app.edge.media import PROBLEM
from app.service.ports import StoreUnavailable

STATUS: Final[Mapping[type[FairtrialError], int]] = {
    errors.FairtrialError: 500,
    errors.MalformedDocument: 400,
    errors.NotAuthenticated: 401,
    errors.NotAllowed: 403,
    errors.SealedUntilClosure: 403,
    errors.UnknownThing: 404,
    errors.Conflict: 409,
    errors.TooLarge: 413,
    errors.WrongMediaType: 415,
    errors.Unprocessable: 422,
    errors.SchemaViolation: 422,
    errors.NotCanonical: 422,
    errors.NotSanitized: 422,
    errors.LintRefused: 422,
    errors.WrongAudience: 422,
    errors.TooMany: 429,
    errors.LedgerBusy: 503,
    errors.IntegrityBroken: 500,
}

TITLES: Final[Mapping[type[FairtrialError], str]] = {
    errors.FairtrialError: "Refused",
    errors.MalformedDocument: "Not a well-formed document",
    errors.NotAuthenticated: "No registered key verifies this",
    errors.NotAllowed: "This key may not do this here",
    errors.SealedUntilClosure: "Sealed until the study is closed",
    errors.UnknownThing: "Nothing stands under this name",
    errors.Conflict: "Something else stands there already",
    errors.TooLarge: "Too large",
    errors.WrongMediaType: "Not a media type this route takes",
    errors.Unprocessable: "This may not enter the ledger",
    errors.SchemaViolation: "Not the shape its kind demands",
    errors.NotCanonical: "Not in canonical form",
    errors.NotSanitized: "This must not be published",
    errors.LintRefused: "A protocol that could not be judged honestly",
    errors.WrongAudience: "Made for another ledger, study, slot, attempt or challenge",
    errors.TooMany: "Too many requests",
    errors.LedgerBusy: "The ledger cannot append just now",
    errors.IntegrityBroken: "Stored bytes do not prove what they should",
}

DAMAGE: Final = frozenset(
    {
        "capture-damaged",
        "capture-missing",
        "entry",
        "envelope",
        "inclusion-proof",
        "leaf-row",
        "root",
        "statement-missing",
        "store-damaged",
        "tile",
    }
)
"""What stored bytes are found to be when they are re-hashed; each is answered as ``damaged``."""

_RETRY_AFTER: Final[Mapping[int, str]] = {429: "5", 503: "2"}
"""Seconds; a batch takes milliseconds, so a client that waits this long finds another queue."""

_CLOSES: Final = frozenset({408, 413, 431})
"""Statuses sent before the body was read: the connection ends, so that the rest is never read."""

_HTTP_CODES: Final[Mapping[int, str]] = {404: "not-found", 405: "method-not-allowed"}


class RequestRefused(HTTPException):
    """A request refused for its HTTP form, before any document was looked at."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        """Hold the problem's status, code and detail."""
        super().__init__(status, detail)
        self.code = code


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem document and the headers that go with it."""

    status: int
    code: str
    title: str
    detail: str
    findings: tuple[Finding, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    instance: str | None = None

    def response(self) -> Response:
        """Return the response: never stored by a cache, closing where the body was not read."""
        document: dict[str, object] = {
            "type": f"/problems/{self.code}",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "errors": [
                {"pointer": one.pointer, "rule": one.rule, "detail": one.detail}
                for one in self.findings
            ],
        }
        if self.instance is not None:
            document["instance"] = self.instance
        headers = {**self.headers, "cache-control": "no-store"}
        if self.status in _RETRY_AFTER:
            headers.setdefault("retry-after", _RETRY_AFTER[self.status])
        if self.status in _CLOSES:
            headers["connection"] = "close"
        return Response(canonical(document), self.status, headers, media_type=PROBLEM)


def problem_of(error: FairtrialError) -> Problem:
    """Return the problem of a domain error, by the nearest class that has a row."""
    known = next(row for row in type(error).__mro__ if row in STATUS)
    headers = {"www-authenticate": "DSSE"} if STATUS[known] == HTTPStatus.UNAUTHORIZED else {}
    return Problem(STATUS[known], error.code, TITLES[known], error.detail, error.findings, headers)


def problem_of_http(error: HTTPException) -> Problem:
    """Return the problem of what the framework or the border refused, with its headers kept."""
    status = HTTPStatus(error.status_code)
    if isinstance(error, RequestRefused):
        code, detail = error.code, str(error.detail)
    else:
        code = _HTTP_CODES.get(status, status.phrase.lower().replace(" ", "-"))
        detail = status.description or status.phrase
    return Problem(status, code, status.phrase, detail, headers=dict(error.headers or {}))


def problem_of_store() -> Problem:
    """Return the problem of a store that did not answer."""
    detail = "The store did not answer; whether a write is durable is not known: send it again."
    return problem_of(errors.LedgerBusy(detail, code="store-unavailable"))


def problem_of_parameters(error: RequestValidationError) -> Problem:
    """Return the problem of parameters that are not of their declared form.

    A path that cannot name anything is a thing that is not there; a query is unprocessable.
    """
    rows = error.errors()
    if any(row["loc"][0] == "path" for row in rows):
        detail = (
            "No thing can have such a name: a commit is 40 lower-case hex digits or a prefix of 7 "
            "or more; repository names are lower case."
        )
        unknown = errors.UnknownThing
        return Problem(404, unknown.default_code, TITLES[unknown], detail)
    findings = tuple(
        Finding("/" + "/".join(str(part) for part in row["loc"]), row["type"], row["msg"])
        for row in rows
    )
    detail = "A parameter is not of its declared form; /openapi.json says which forms there are."
    return Problem(422, "parameter", "A parameter is not of its form", detail, findings)


def unexpected(request_id: str) -> Problem:
    """Return the problem for what nobody foresaw: generic, but for the id that the log has too."""
    detail = "Something unexpected happened here. Nothing of it is told but this request's id."
    instance = f"urn:fairtrial:request:{request_id}"
    return Problem(500, "internal-error", "Unexpected", detail, instance=instance)


def install(app: FastAPI) -> None:
    """Make every refusal of ``app`` a problem."""
    app.add_exception_handler(FairtrialError, _on_domain)
    app.add_exception_handler(StoreUnavailable, _on_store)
    app.add_exception_handler(HTTPException, _on_http)


async def _on_domain(_request: Request, error: Exception) -> Response:
    assert isinstance(error, FairtrialError)  # noqa: S101 - the framework's signature is wider
    problem = problem_of(error)
    if isinstance(error, errors.IntegrityBroken) and error.code in DAMAGE:
        found = Finding("", error.code, error.detail)
        problem = replace(problem, code="damaged", findings=(found,))
    return problem.response()


async def _on_store(_request: Request, _error: Exception) -> Response:
    return problem_of_store().response()


async def _on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - as above
    response = problem_of_http(error).response()
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        response.headers["allow"] = ", ".join(sorted(methods_at(request)))
    return response


def methods_at(request: Request) -> set[str]:
    """Return every method that some route takes at the request's path, HEAD beside each GET."""
    methods: set[str] = set()
    for route in iter_route_contexts(request.app.routes):
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= route.methods or set()
    return methods | ({"HEAD"} if "GET" in methods else set())


_DOCUMENT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["type", "title", "status", "detail", "code", "errors"],
    "properties": {
        "type": {"type": "string", "pattern": "^/problems/[a-z0-9-]+$"},
        "title": {"type": "string"},
        "status": {"type": "integer", "minimum": 400, "maximum": 599},
        "detail": {"type": "string"},
        "code": {"type": "string"},
        "instance": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["pointer", "rule", "detail"],
                "properties": {
                    "pointer": {"type": "string"},
                    "rule": {"type": "string"},
                    "detail": {"type": "string"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}

_ALWAYS: Final = (400, 404, 405, 408, 413, 414, 415, 422, 429, 431, 500, 503)


def declared(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return OpenAPI responses for ``statuses`` and for those that every route may give.

    ``content`` and not ``model``: the framework files a model under ``application/json``.
    """
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {PROBLEM: {"schema": _DOCUMENT}},
        }
        for status in sorted({*_ALWAYS, *statuses})
    }
