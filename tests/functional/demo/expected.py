# SPDX-License-Identifier: Apache-2.0
"""What a head of the example ledger must say, in words a test can hold it to."""

from collections.abc import Mapping
from dataclasses import dataclass, field

LIVE = "live_correctness"
Judged = tuple[str, str]
EVERY = "*"
"""Stands for every gate that is not named."""


@dataclass(frozen=True)
class Said:
    """What the document of one claim must say.

    Attributes:
        reasons: codes in order.
        required: state and reason of every required scope.
    """

    reasons: list[str]
    required: Mapping[str, Judged]


@dataclass(frozen=True)
class Expected:
    """What a head's documents must say.

    Attributes:
        owner: person and role of the next action.
        claims: by name.
        gates: of each study in turn.
        measured: slots measured, of each study in turn.
        flow: of each study, planned and what is not zero.
        exit_code: of ``verdict --exit-code`` for the first claim.
        held: by claim, how many holds, reviews and decisions stand beside the word.
    """

    repository: str
    word: str
    owner: tuple[str | None, str]
    claims: Mapping[str, Said]
    gates: list[Mapping[str, Judged]]
    measured: list[int | None]
    flow: list[dict[str, int]]
    exit_code: int
    conflicting: bool = False
    author: str = "none"
    held: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


def judged(said: Mapping[str, Judged], found: Mapping[str, Judged]) -> Mapping[str, Judged]:
    """Return what ``said`` demands of the gates that were found."""
    if EVERY not in said:
        return said
    return dict.fromkeys(found, said[EVERY]) | {g: j for g, j in said.items() if g != EVERY}
