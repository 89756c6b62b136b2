# SPDX-License-Identifier: Apache-2.0
"""Media types of this service, and the check that a body is declared as one of them.

A body's type is compared before a byte of it is read. ``charset`` is allowed where it says UTF-8,
because curl scripts write it; any other parameter is refused, since nothing here would honour it.
"""

from __future__ import annotations

import re

from starlette.requests import Request

from app.core.errors import WrongMediaType

JSON = "application/json"
DSSE = "application/vnd.dsse+json"
RECEIPT = "application/vnd.fairtrial.receipt+json"
PROBLEM = "application/problem+json"
JSON_LINES = "application/jsonl"
TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"

_WEIGHT = re.compile(r"(?:0(?:[.][0-9]{0,3})?|1(?:[.]0{0,3})?)")

ENVELOPES = (JSON, DSSE)
"""Types a body may have that is one DSSE envelope."""


def wants_text(request: Request) -> bool:
    """Tell whether ``text/plain`` is asked for by name, and no less than JSON (RFC 9110, 12.5.1).

    Whoever takes anything gets JSON.
    """
    weights = {JSON: 0.0, "text/plain": 0.0}
    for part in ",".join(request.headers.getlist("accept")).split(","):
        essence, *parameters = (one.strip().lower() for one in part.split(";"))
        if essence in weights:
            weights[essence] = next((_weight(one) for one in parameters if one[:2] == "q="), 1.0)
    return weights["text/plain"] > 0 and weights["text/plain"] >= weights[JSON]


def takes_gzip(request: Request) -> bool:
    """Tell whether a client has named gzip among the codings that it takes."""
    for part in ",".join(request.headers.getlist("accept-encoding")).split(","):
        coding, *parameters = (one.strip().lower() for one in part.split(";"))
        if coding == "gzip":
            return all(_weight(one) > 0 for one in parameters if one[:2] == "q=")
    return False


def _weight(parameter: str) -> float:
    """Return what ``q=...`` says; a weight of another form than the standard's is none."""
    return float(parameter[2:]) if _WEIGHT.fullmatch(parameter[2:]) else 0.0


def require_media_type(request: Request, allowed: tuple[str, ...]) -> None:
    """Let a request through whose body is declared as one of ``allowed``.

    Raises:
        WrongMediaType: another type, none, two, or a parameter that is not ``charset=utf-8``.
    """
    declared = request.headers.getlist("content-type")
    if len(declared) == 1:
        essence, *parameters = (part.strip().lower() for part in declared[0].split(";"))
        plain = all(part in {"charset=utf-8", 'charset="utf-8"'} for part in parameters)
        if essence in allowed and plain:
            return
    raise WrongMediaType(f"Expected a body of type {' or '.join(allowed)}, in UTF-8.")
