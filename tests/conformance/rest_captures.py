# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""From observations of an oracle file to captures: a part of ``rest_adapters``."""

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from app.core.statement.capture import Clock, Counter, Stream, StreamsCapture
from tests import facts as good

LONG_US = 4_000_000_000
"""A slot's deadline beyond every limit and observation of the file."""

Taken = StreamsCapture | None
"""What fills a slot; None: nothing does."""


class NotShownError(ValueError):
    """No capture shows such a value."""


# ---- numbers ----


def integer(number: Decimal, among: range) -> int:
    """Return a whole number that is among those a capture counts."""
    match number.as_integer_ratio():
        case (whole, 1) if whole in among:
            return whole
        case _:
            raise NotShownError(number)


def micros(seconds: str, first: int = 0) -> int:
    """Return seconds as the microseconds that captures count, not before ``first``."""
    return integer(Decimal(seconds).scaleb(6), range(first, LONG_US))


def count(text: str) -> int:
    """Return how often something happened."""
    return integer(Decimal(text), range(LONG_US))


# ---- what is captured ----


def taken(*streams: Stream, resolution_us: int = 0) -> StreamsCapture:
    """Return a capture by a clock of that resolution."""
    clock = Clock(kind="monotonic", zero="slot_start", resolution_us=resolution_us)
    return replace(good.capture(*streams), clock=clock)


def first_token_at(seconds: str) -> Stream:
    """Return a complete stream whose first content came then."""
    at = micros(seconds)
    return good.complete_stream("newcomer", 0, first=at, last=at, tokens=2)


def watched_until(seconds: str) -> Stream:
    """Return a stream that gave nothing until the harness stopped looking."""
    return good.stream("newcomer", 0, observed_until_us=micros(seconds))


def failed_at_once() -> StreamsCapture:
    """Return what a server's error leaves."""
    facts = {"settled_us": 9_000, "observed_until_us": 9_000, "error_class": "http_error"}
    return taken(good.stream("newcomer", 0, http_status=500, **facts))


def not_scorable() -> StreamsCapture:
    """Return what a harness leaves that could not resolve a name."""
    failed = {"http_status": None, "error_class": "name_resolution"}
    return taken(good.stream("newcomer", 0, **failed))


def slot_without(value: Any) -> Taken:
    """Return what there is of a slot in which nothing was measured."""
    match value:
        case {"missing": "harness_invalid"}:
            return not_scorable()
        case {"missing": "not_started" | "capture_missing"}:
            return None
        case _:
            raise NotShownError(value)


def slot_of_time(value: Any) -> Taken:
    """Return the capture that shows a time to the first content."""
    match value:
        case {"gt": low}:
            return taken(watched_until(low))
        case {"iv": ["inf", "inf"]}:
            return failed_at_once()
        case {"v": read}:
            return taken(first_token_at(read), resolution_us=micros(value.get("res", "0")))
        case _:
            return slot_without(value)


def slot_of_request(value: Any) -> Taken:
    """Return the capture of a request that completed, that failed, or of none."""
    match value:
        case {"v": read}:
            return (failed_at_once(), taken(first_token_at("1")))[integer(Decimal(read), range(2))]
        case _:
            return slot_without(value)


def slot_of_count(value: Any) -> Taken:
    """Return the capture that shows a counter; one that was reset is known only from below."""
    match value:
        case {"iv": [low, "inf"]}:
            counter = Counter(name="preemptions", before=LONG_US, after=count(low))
        case {"v": read}:
            counter = Counter(name="preemptions", before=0, after=count(read))
        case _:
            return slot_without(value)
    whole = taken(first_token_at("1"))
    return replace(whole, observations=replace(whole.observations, counters=[counter]))


def slots(inputs: Any, slot_of: Callable[[Any], Taken]) -> Sequence[Taken]:
    """Return what fills each slot of the candidate, of which there is at least one."""
    if not inputs["arms"]["B"]:
        raise NotShownError(inputs)
    return [slot_of(each) for each in inputs["arms"]["B"]]
