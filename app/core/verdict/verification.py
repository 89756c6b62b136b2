# SPDX-License-Identifier: Apache-2.0
"""What checking a bundle came to: one line per check, and one outcome.

The outcome is that of the first check that failed, in the order in which they stand. Everything
that can be asked is asked all the same; what could not be asked any more says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from app.core.verdict.bundle_file import Bundle


class VerificationOutcome(StrEnum):
    """What a verification ends with; each has an exit code of its own."""

    VERIFIED = "verified"
    BAD_SIGNATURE = "bad-signature"
    UNTRUSTED = "untrusted"
    UNPROVEN = "unproven"
    NO_MATCH = "no-match"
    INCONSISTENT = "inconsistent"
    DAMAGED = "damaged"
    ROLLED_BACK = "rolled-back"


CheckState: TypeAlias = Literal["ok", "failed", "not-reached", "not-asked"]


@dataclass(frozen=True, slots=True)
class VerificationCheck:
    """One line of the report.

    Attributes:
        name: what was looked at.
        state: ``not-reached``: a failure before it left nothing to look at; ``not-asked``: what
            it needs was not given.
        detail: one sentence.
        outcome: what a failure means; None otherwise.
        code: the stable name of the failure, empty otherwise.
    """

    name: str
    state: CheckState
    detail: str
    outcome: VerificationOutcome | None = None
    code: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """The whole report.

    Attributes:
        checks: in order.
        bundle: as read; None when it could not be read that far.
        documents: the recomputed verdict documents by claim; empty when there are none.
    """

    checks: tuple[VerificationCheck, ...]
    bundle: Bundle | None
    documents: Mapping[str | None, bytes]

    @property
    def first_failure(self) -> VerificationCheck | None:
        """The check that decides, None when every one held."""
        return next((one for one in self.checks if one.state == "failed"), None)

    @property
    def outcome(self) -> VerificationOutcome:
        """The outcome."""
        failure = self.first_failure
        if failure is None or failure.outcome is None:
            return VerificationOutcome.VERIFIED
        return failure.outcome


def held(name: str, detail: str) -> VerificationCheck:
    """Return a check that held."""
    return VerificationCheck(name, "ok", detail)


def failed(name: str, outcome: VerificationOutcome, code: str, detail: str) -> VerificationCheck:
    """Return a check that did not hold."""
    return VerificationCheck(name, "failed", detail, outcome, code)


def not_asked(name: str, detail: str) -> VerificationCheck:
    """Return a check for which nothing was given."""
    return VerificationCheck(name, "not-asked", detail)


def not_reached(name: str) -> VerificationCheck:
    """Return a check that an earlier failure left nothing for."""
    return VerificationCheck(name, "not-reached", "An earlier check failed.")
