# SPDX-License-Identifier: Apache-2.0
"""A second scorer of reported results: it lists what may be true and asks what holds in all of it.

It is written from SCORING's words alone and shares no code with the first. A count that nobody gave
may be any; a lane without an end may go on; a name without a result may have either.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

MANY = 10**15
Count = int | None


@dataclass(frozen=True)
class Checks:
    """One capture in plain facts.

    Attributes:
        suite: how many of the one suite passed, failed and were skipped; None: it was left out.
        names: results by name.
        file: whether the file of the name ``file`` is the right one; None: there is none.
        value: a number in words; None: it was not reported.
    """

    suite: tuple[Count, Count, Count] | None
    names: tuple[tuple[str, str], ...]
    file: bool | None
    value: str | None


@dataclass(frozen=True)
class LaneTold:
    """How long a lane worked (None: no end seen), and how many were validated and failed."""

    lasted: int | None
    validated: Count
    failed: Count


def any_of(count: Count, *, least: bool = False) -> tuple[int, ...]:
    """Return what a count may be; ``least``: it may have grown."""
    if count is None:
        return (0, MANY)
    return (count, MANY) if least else (count,)


def checks(
    told: Checks, *, max_failed: int, skips: int, wanted: str, planned: Sequence[str]
) -> str:
    """Return what a gate says that wants one suite and one result by name."""
    results = dict(told.names)
    untested = {name for name in {*planned, *results} if results.get(name) not in GIVEN}
    suites = list(product(*map(any_of, told.suite))) if told.suite else [(0, 0, 0), (1, 0, 0)]
    by_name = [results.get(wanted, "not_run")]
    if by_name == ["not_run"]:
        by_name = ["passed", "failed"]
    failures = list(results.values()).count("failed")
    passes, fails = set(), set()
    for (passed, failed, skipped), result in product(suites, by_name):
        broken = max(failed, failures) > max_failed or result == "failed"
        enough = passed + failed > 0 and max(skipped, len(untested)) <= skips
        fails.add(broken)
        passes.add(not broken and enough and result == "passed")
    return said(passes, fails)


GIVEN = ("passed", "failed")


def jobs(lanes: Iterable[LaneTold], *, least_us: int, validated: int, max_failed: int) -> str:
    """Return what a gate says that wants as much of every lane."""
    each = []
    for lane in lanes:
        goes_on = lane.lasted is None
        worlds = product(
            any_of(lane.lasted),
            any_of(lane.validated, least=goes_on),
            any_of(lane.failed, least=goes_on),
        )
        each.append({a >= least_us and b >= validated and c <= max_failed for a, b, c in worlds})
    good = {all(world) for world in product(*each)}
    return said(good, {not each for each in good})


def registry(told: Checks) -> str:
    """Return what a gate says that wants one file by its bytes."""
    result = dict(told.names).get("file", "not_run")
    if told.file is None or result not in GIVEN:
        return "INCONCLUSIVE"
    return "PASS" if told.file and result == "passed" else "FAIL"


def parity(own: Checks, other: Checks, margin: Fraction) -> str:
    """Return what a gate says that wants two numbers within a margin of one another."""
    if own.value is None or other.value is None:
        return "INCONCLUSIVE"
    if "n" in own.value + other.value:
        return "FAIL"
    return "PASS" if abs(Fraction(own.value) - Fraction(other.value)) <= margin else "FAIL"


def reviews(told: Iterable[tuple[str, str, bool, bool, bool]], wanted: int) -> str:
    """Return what a gate says that wants so many people.

    Args:
        told: holder, outcome, whether independent, superseded and suspect, of each review.
        wanted: how many people.
    """
    stand = [each for each in told if each[2] and not each[3]]
    if any(outcome == "changes_requested" for _, outcome, *_ in stand):
        return "FAIL"
    people = {who for who, outcome, _, _, doubt in stand if outcome == "accepted" and not doubt}
    if len(people) >= wanted:
        return "PASS"
    return "INCONCLUSIVE" if people else "NOT_RUN"


def said(passes: set[bool], fails: set[bool]) -> str:
    """Return the state of one slot from what holds in each world."""
    if passes == {True}:
        return "PASS"
    return "FAIL" if fails == {True} else "INCONCLUSIVE"


def of_slots(states: Iterable[str]) -> str:
    """Return the state over slots, each a state of its own, ``MISSING`` or ``ABANDONED``."""
    each = list(states)
    if "FAIL" in each:
        return "FAIL"
    if set(each) <= {"MISSING", "ABANDONED"}:
        return "INVALID" if "ABANDONED" in each else "NOT_RUN"
    return "PASS" if set(each) == {"PASS"} else "INCONCLUSIVE"
