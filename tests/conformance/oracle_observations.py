# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""Numbers and observations of an oracle file as the core has them, and what it answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from app.core.protocol.gate import Domain
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, End, finite
from app.core.score.observed import Absence, Observed, above, absent, between, exact

INFINITE: Mapping[str, End] = {"inf": INFINITY, "-inf": NEGATIVE_INFINITY}
UNBOUNDED: Mapping[str, None] = {"inf": None}


@dataclass(frozen=True, slots=True)
class Answer:
    """What our code says about a case; a reason of None is not said."""

    state: str | None
    reason: str | None
    values: Mapping[str, Any]


def end_of(text: str) -> End:
    """Return a decimal or ``inf`` as the end of an interval."""
    return INFINITE[text] if text in INFINITE else finite(Fraction(text))


def domain_of(pair: Any) -> Domain:
    """Return a domain; ``inf`` above is no bound."""
    low, high = pair
    return Domain(Fraction(low), None if high in UNBOUNDED else Fraction(high))


def observed(value: Any) -> Observed:
    """Return an observation."""
    match value:
        case {"missing": why}:
            return absent(Absence(why))
        case {"gt": low}:
            return above(Fraction(low))
        case {"iv": [low, high]}:
            return between(end_of(low), end_of(high))
        case {"v": "inf"}:
            return between(INFINITY, INFINITY)
        case {"v": read, "res": resolution}:
            return exact(Fraction(read), Fraction(resolution))
        case {"v": read}:
            return exact(Fraction(read))
        case _:
            raise ValueError(value)
