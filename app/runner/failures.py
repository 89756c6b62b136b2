# SPDX-License-Identifier: Apache-2.0
"""What ends a client's work: no answer, a refusal, a key file that cannot be used.

Apart from the client itself, so that whoever only tells of it need not load what speaks HTTP.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from app.core.canonical import JsonValue

AGAIN: Final = frozenset(
    {
        HTTPStatus.TOO_MANY_REQUESTS,
        HTTPStatus.BAD_GATEWAY,
        HTTPStatus.SERVICE_UNAVAILABLE,
        HTTPStatus.GATEWAY_TIMEOUT,
    }
)
"""Statuses after which the same request may be answered."""

Document = dict[str, JsonValue]


class Unreachable(Exception):
    """No answer after every try; the message names the host that was tried, and no more of it."""


class UnusableKeyFile(Exception):
    """A key file that cannot be read, is open to others, or stands there already."""


@dataclass(eq=False)
class Refused(Exception):
    """The service answered with a problem.

    Attributes:
        method: of the request.
        status: of HTTP.
        problem: the problem document, or one made up where the answer was none.
    """

    method: str
    status: int
    problem: Document

    @property
    def code(self) -> str:
        """The problem's stable code."""
        return str(self.problem.get("code", "unknown"))
