# SPDX-License-Identifier: Apache-2.0
"""A second scorer, of facts to states: it lists every completion and asks what holds in all.

It is written from SCORING's tables alone and shares no code with the first. A stream is told in
plain numbers, what could still be of it is a list of worlds, and a gate looks at all of them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, product

DEADLINE = 240
LATE = (Fraction(10**6), Fraction(2 * 10**6))
"""Two late instants, so that either of two unfinished streams may be the first to end."""
NEVER = Fraction(10**9)
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Told:
    """One stream in seconds from slot start.

    Attributes:
        end: ``done``, ``failed`` by the server, or ``cut``: no longer watched.
        contents: when content came.
        until: when it settled, failed, or was no longer watched.
        answered: the expected answer came; None: not recorded.
    """

    end: str
    contents: tuple[int, ...]
    until: int
    answered: bool | None = None


@dataclass(frozen=True)
class Slot:
    """A slot in plain facts.

    Attributes:
        absence: ``missing``, ``abandoned`` or ``not_warm``; "" where it was measured.
        restarts: the counter before and after.
    """

    absence: str
    incumbent: Told
    newcomer: Told
    restarts: tuple[int | None, int | None] = (0, 0)


def restarts_of(slot: Slot) -> list[Fraction]:
    """Return how many restarts there may have been."""
    before, after = slot.restarts
    if slot.absence or before is None or after is None:
        return [Fraction(0), Fraction(1), LATE[0]]
    if after < before:
        return [Fraction(after), Fraction(after + 1), LATE[0]]
    return [Fraction(after - before)]


def is_unknown(slot: Slot, stream: Told) -> bool:
    """Return whether nothing is known of a stream: its slot is empty, or its server restarted."""
    restarted = min(restarts_of(slot)) > 0
    return bool(slot.absence) or (restarted and stream.end != "failed")


def last_contents(slot: Slot, stream: Told, *, must_be_first: bool) -> list[Fraction]:
    """Return when a stream's last content may come; of a failed one the worst for the demand."""
    seen = Fraction(stream.contents[-1]) if stream.contents else None
    if is_unknown(slot, stream):
        return [Fraction(0), HALF, *LATE]
    match stream.end:
        case "failed":
            return [NEVER if must_be_first else seen or Fraction(0)]
        case "done":
            return [seen or Fraction(0)]
        case _:
            return [stream.until + HALF if seen is None else seen, *LATE]


def answers(slot: Slot, stream: Told) -> list[bool]:
    """Return whether the expected answer may have come."""
    if is_unknown(slot, stream) or stream.end != "done" or stream.answered is None:
        return [True, False]
    return [stream.answered]


def canaries(slot: Slot) -> set[bool]:
    """Return whether the newcomer's last content may be before the incumbent's, and right."""
    newcomer = last_contents(slot, slot.newcomer, must_be_first=True)
    incumbent = last_contents(slot, slot.incumbent, must_be_first=False)
    right = answers(slot, slot.newcomer)
    return {early < late and fits for early, late, fits in product(newcomer, incumbent, right)}


def silences(slot: Slot) -> list[Fraction]:
    """Return the longest silences that the incumbent may have had."""
    stream = slot.incumbent
    if is_unknown(slot, stream):
        return [Fraction(0), *LATE]
    if stream.end == "failed":
        return [NEVER]
    longest = max(late - early for early, late in pairwise((0, *stream.contents, stream.until)))
    return [Fraction(longest), *(LATE if stream.end == "cut" else ())]


def ends(slot: Slot, stream: Told) -> list[int]:
    """Return whether a stream may come to its end, as 1 or 0."""
    if is_unknown(slot, stream):
        return [0, 1]
    if stream.end == "cut":
        return [0] if stream.until >= DEADLINE else [0, 1]
    return [int(stream.end == "done")]


def state_of(slots: Sequence[Slot], found: Iterable[bool]) -> str:
    """Return the state that follows from what holds in each completion."""
    if all(slot.absence for slot in slots):
        attempts = any(slot.absence != "missing" for slot in slots)
        return "INVALID" if attempts else "NOT_RUN"
    seen = set(found)
    if seen == {True}:
        return "PASS"
    return "FAIL" if seen == {False} else "INCONCLUSIVE"


def canary(slots: Sequence[Slot]) -> str:
    """Return what the canary says."""
    return state_of(slots, (all(each) for each in product(*map(canaries, slots))))


def progress(slots: Sequence[Slot], holds: Callable[[Fraction], bool]) -> str:
    """Return what a bound on the longest silence says."""
    return state_of(slots, (holds(max(each)) for each in product(*map(silences, slots))))


def completeness(slots: Sequence[Slot]) -> str:
    """Return what a gate says that wants every stream complete."""
    streams = [ends(slot, each) for slot in slots for each in (slot.incumbent, slot.newcomer)]
    return state_of(slots, (sum(each) == len(streams) for each in product(*streams)))


def integrity(slots: Sequence[Slot]) -> str:
    """Return what a gate says that allows no restart."""
    return state_of(slots, (sum(each) == 0 for each in product(*map(restarts_of, slots))))
