# SPDX-License-Identifier: Apache-2.0
"""What a route asks for by name: the ledger, names in paths, and a page of a list.

Names are checked by form here, so that a route sees only what could be one; a path that cannot name
anything is answered 404, like one that names nothing.
"""

from __future__ import annotations

import re
from typing import Annotated, Final
from urllib.parse import quote, urlencode

from fastapi import Depends, Path, Query, Request
from pydantic import AfterValidator, BeforeValidator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from app.core.errors import Finding, SchemaViolation
from app.service.ledger import Ledger

MAX_SIZE: Final = 2**53 - 1
"""Largest tree size that a URL may name: what every JSON reader keeps exactly."""
MAX_PAGE: Final = 500
DEFAULT_PAGE: Final = 100

_DIGEST = r"^[0-9a-f]{64}$"
_PART = r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$"
MIXED_CASE: Final = "mixed_case"
"""The rule that a part of a repository breaks when nothing but its case is wrong."""


def _lower_case(value: str) -> str:
    if value != value.lower():
        raise PydanticCustomError(MIXED_CASE, "Expected lower case")
    return value


FULL_DIGEST: Final = 64
"""Length of a digest in hex; anything shorter is a prefix."""

StatementName = Annotated[
    str,
    Path(
        pattern=r"^[0-9a-f]{7,64}$",
        description="SHA-256 in lower-case hex, or a unique prefix of 7 or more (redirects)",
    ),
]
Digest = Annotated[str, Path(pattern=_DIGEST, description="SHA-256 in lower-case hex")]
_LowerCase = AfterValidator(_lower_case)
HostName = Annotated[
    str,
    Path(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$",
        description="the forge; mixed case redirects",
    ),
    _LowerCase,
]
OwnerName = Annotated[str, Path(pattern=_PART, description="the owner on the forge"), _LowerCase]
RepositoryName = Annotated[
    str, Path(pattern=_PART, description="the repository's name"), _LowerCase
]
HeadName = Annotated[
    str,
    Path(
        pattern=r"^[0-9a-f]{7,64}$",
        description="a full commit id, or a unique prefix of 7 or more (redirects)",
    ),
]
ChangeName = Annotated[str, Path(pattern=r"^[1-9][0-9]{0,11}$", description="pull request")]
ClaimQuery = Annotated[
    str | None,
    Query(
        alias="claim",
        pattern=r"^([a-z0-9][a-z0-9._-]{0,63})?$",
        description="one claim's document, byte for byte; empty: where no policy names any",
    ),
]

RepositoryQuery = Annotated[
    str | None,
    Query(
        alias="repository",
        pattern=r"^[a-z0-9][a-z0-9.-]{0,99}(/[a-z0-9_][a-z0-9._-]{0,99}){2}$",
        description="whose lock, as host/owner/name in lower case; without it, the first one's",
    ),
]


def _decimal(value: object) -> object:
    """Take plain digits only: the framework's own reading of ``1.0`` and `` 1`` is generous."""
    if isinstance(value, str) and not re.fullmatch(r"[0-9]{1,16}", value):
        raise PydanticCustomError("decimal", "Expected a number in plain decimal digits")
    return value


_Number = Annotated[int, BeforeValidator(_decimal)]

AtQuery = Annotated[
    _Number | None, Query(alias="at", ge=1, le=MAX_SIZE, description="as of this tree size")
]
CursorQuery = Annotated[
    _Number, Query(alias="cursor", ge=0, le=MAX_SIZE, description="from the Link header")
]
IndexPart = Annotated[_Number, Path(ge=0, le=MAX_SIZE, description="index of a leaf")]
SizePart = Annotated[_Number, Path(ge=1, le=MAX_SIZE, description="a tree size")]
LimitQuery = Annotated[_Number, Query(alias="limit", ge=1, le=MAX_PAGE)]


# A dependency that is no coroutine is asked in a thread: two switches for a look at an attribute.
async def ledger_of(request: Request) -> Ledger:
    """Return the one ledger of this process."""
    ledger: Ledger = request.app.state.ledger
    return ledger


LedgerDep = Annotated[Ledger, Depends(ledger_of)]


async def only_known_queries(request: Request) -> None:
    """Refuse a parameter that the route does not have, or one given twice.

    A misspelt ``?claim=`` would otherwise be answered as if nothing had been asked.

    Raises:
        SchemaViolation: naming none of what was sent.
    """
    route = request.scope["route"]
    known = {field.alias for field in route.dependant.query_params}
    names = [name for name, _ in request.query_params.multi_items()]
    if len(names) == len(set(names)) and known.issuperset(names):
        return
    expected = ", ".join(sorted(known)) or "none"
    detail = f"Expected each query parameter once, and of these only: {expected}."
    finding = Finding("/query", "unknown-parameter", detail)
    raise SchemaViolation(detail, code="parameter", findings=(finding,))


async def repository_of(host: HostName, owner: OwnerName, name: RepositoryName) -> str:
    """Return the repository that three parts of a path name."""
    return f"{host}/{owner}/{name}"


RepositoryDep = Annotated[str, Depends(repository_of)]


def link_next(request: Request, response: Response, *, cursor: int, limit: int) -> None:
    """Set ``Link: <...>; rel="next"``, relative, so that no ``Host`` of a request is copied."""
    kept = [(k, v) for k, v in request.query_params.multi_items() if k not in {"cursor", "limit"}]
    query = urlencode([*kept, ("cursor", cursor), ("limit", limit)])
    response.headers["link"] = f'<{quote(request.url.path)}?{query}>; rel="next"'
