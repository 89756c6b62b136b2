# SPDX-License-Identifier: Apache-2.0
"""Exit codes: what a script can tell apart without reading a word (DESIGN.md 8).

A verdict's own codes (``--exit-code``) are given by ``app.core.verdict.exit_code``.
"""

from __future__ import annotations

from enum import IntEnum
from http import HTTPStatus
from typing import Final

from app.core import errors
from app.core.errors import FairtrialError
from app.runner.failures import Refused


class ExitCode(IntEnum):
    """What a process ended with."""

    OK = 0
    UNEXPECTED = 1
    USAGE = 2
    CONFIGURATION = 3
    NOT_PERMITTED = 4
    NETWORK = 5
    CONFLICT = 6
    REFUSED = 7
    RATE_LIMITED = 8
    BAD_SIGNATURE = 40
    UNTRUSTED = 41
    PROOF = 42
    NOTHING_MATCHED = 43
    INCONSISTENT = 44
    DAMAGE = 45
    ROLLBACK = 46
    INTERRUPTED = 130


_BY_STATUS: Final = {
    HTTPStatus.UNAUTHORIZED: ExitCode.NOT_PERMITTED,
    HTTPStatus.FORBIDDEN: ExitCode.NOT_PERMITTED,
    HTTPStatus.NOT_FOUND: ExitCode.NOTHING_MATCHED,
    HTTPStatus.CONFLICT: ExitCode.CONFLICT,
    HTTPStatus.TOO_MANY_REQUESTS: ExitCode.RATE_LIMITED,
    HTTPStatus.BAD_GATEWAY: ExitCode.NETWORK,
    HTTPStatus.SERVICE_UNAVAILABLE: ExitCode.NETWORK,
    HTTPStatus.GATEWAY_TIMEOUT: ExitCode.NETWORK,
}
_GAPS: Final = frozenset(
    {
        "line-incomplete",
        "line-foreign",
        "bundle-head",
        "bundle-origin",
        "bundle-checkpoint",
        "bundle-log-time",
        "inclusion-proof",
        "reservation-tree",
        "key-tree",
    }
)
"""What a bundle lacks, or what its head or checkpoint does not prove of it."""

_UNFIT: Final = frozenset({"rollback", "fork", "weakened", "no-anchor", "anchor"})
"""A store that was set back, forked or left without what holds it."""

_DAMAGED: Final = "damaged"
"""The code of a service's problem where what it has stored is not what was appended."""


def of_status(status: int) -> ExitCode:
    """Return the code for a refusal of ``status``; what is not there is so for a write too."""
    if status in _BY_STATUS:
        return _BY_STATUS[HTTPStatus(status)]
    refused = HTTPStatus.BAD_REQUEST <= status < HTTPStatus.INTERNAL_SERVER_ERROR
    return ExitCode.REFUSED if refused else ExitCode.UNEXPECTED


def of_refusal(refused: Refused) -> ExitCode:
    """Return the code for what a service refused, or could not give because it is damaged."""
    if refused.code == _DAMAGED:
        return ExitCode.DAMAGE
    return of_status(refused.status)


def of_error(error: FairtrialError) -> ExitCode:
    """Return the code for what was refused on this side."""
    if isinstance(error, errors.IntegrityBroken):
        if error.code in _UNFIT:
            return ExitCode.ROLLBACK
        return ExitCode.PROOF if error.code in _GAPS else ExitCode.DAMAGE
    from app.edge.problems import problem_of

    return of_status(problem_of(error).status)
