# SPDX-License-Identifier: Apache-2.0
"""Media types of this service, and the check that a body is declared as one of them.

A body's type is compared before a byte of it is read. ``charset`` is allowed where it says UTF-8,
because curl scripts write it; any other parameter is refused, since nothing here would honour it.
"""

from __future__ import annotations

from starlette.requests import Request

from app.core.errors import WrongMediaType

JSON = "application/json"
DSSE = "application/vnd.dsse+json"
RECEIPT = "application/vnd.fairtrial.receipt+json"
PROBLEM = "application/problem+json"
JSON_LINES = "application/jsonl"
TEXT = "text/plain; charset=utf-8"
BYTES = "application/octet-stream"

ENVELOPES = (JSON, DSSE)
"""Types a body may have that is one DSSE envelope."""


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
