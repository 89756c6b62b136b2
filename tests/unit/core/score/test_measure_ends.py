# SPDX-License-Identifier: Apache-2.0
"""Readings at their resolution, in another unit, and of streams of which an instant is missing."""

from dataclasses import replace
from fractions import Fraction

import msgspec
import pytest

from app.core.reason import Reason
from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.measure import complete, event_time, scaled, stream_metric
from app.core.score.observed import (
    Absence,
    Basis,
    Observed,
    above,
    at_least,
    between,
    exact,
    never,
    unknown,
    zero_or_one,
)
from app.core.score.reading import Ending, Reading
from app.core.statement.capture import AnswerParts, Stream
from app.core.statement.gate_record import Metric, StreamEvent
from tests import facts
from tests.documents import document, streams_cell

NEWCOMER = streams_cell(document()).streams[1]
TEN = Fraction(10)


def reading(stream: Stream | None, ending: Ending = Ending.COMPLETE) -> Reading:
    return Reading(NEWCOMER, stream, ending, 0, deadline_passed=False)


def measured(name: str, of: Reading, **members: object) -> Observed:
    given = {"unit": "us", "direction": "lower_is_better", "domain": ["0", None]}
    metric = msgspec.convert({"name": name, **given, **members}, Metric)
    return stream_metric(metric, of, resolution=TEN)


def test_event_may_have_been_earlier_by_the_resolution_and_later_by_anything() -> None:
    seen = facts.newcomer(last=9_000_000)
    finished, cut = reading(seen), reading(seen, Ending.UNFINISHED)

    def when(of: Reading) -> Observed:
        return event_time(of, "last_content", resolution=TEN, failure_is_late=True)

    assert when(finished) == exact(9_000_000, 10)
    assert when(cut) == at_least(8_999_990)


@pytest.mark.parametrize(
    ("factor", "expected"),
    [
        (Fraction(1), between(finite(2), finite(4))),
        (Fraction(2), between(finite(4), finite(8))),
        (Fraction(1, 2), between(finite(1), finite(2))),
    ],
)
def test_other_unit_scales_both_ends(factor: Fraction, expected: Observed) -> None:
    assert scaled(between(finite(2), finite(4)), factor) == expected
    assert scaled(exact(3), factor) == exact(3 * factor)
    assert scaled(above(3), factor) == above(3 * factor)
    assert scaled(unknown(), factor) == unknown()


@pytest.mark.parametrize("name", ["ttft", "settlement"])
def test_time_of_a_stream_without_its_submission_is_unknown(name: str) -> None:
    assert measured(name, reading(facts.newcomer(submitted_us=None))) == unknown()
    assert measured(name, reading(None)) == unknown()


@pytest.mark.parametrize("gone", ["first_generated_us", "last_content_us", "usage"])
def test_rate_without_one_of_its_facts_is_unknown(gone: str) -> None:
    assert measured("decode_rate", reading(facts.newcomer(**{gone: None}))) == unknown()


def test_rate_is_between_fewest_tokens_in_the_longest_time_and_most_in_the_shortest() -> None:
    timing = {"first": 1000, "last": 2000, "submitted_us": 0}
    got = measured("decode_rate", reading(facts.newcomer(tokens=102, **timing)))
    assert got.interval == Interval(finite(Fraction(101, 1010)), finite(Fraction(101, 990)))
    counted = replace_usage(facts.newcomer(**timing))
    both = measured("decode_rate", reading(counted), fallback_bounds="content_deltas_to_max_tokens")
    assert both.interval is not None
    assert both.interval.lo == finite(Fraction(1, 1010))
    assert both.interval.lo < both.interval.hi
    short = facts.newcomer(tokens=102, first=1000, last=1010, submitted_us=0)
    unbounded = measured("decode_rate", reading(short)).interval
    assert unbounded == Interval(finite(Fraction(101, 20)), INFINITY, hi_open=True)


def replace_usage(stream: Stream) -> Stream:
    return msgspec.structs.replace(stream, usage=None)


def test_stream_that_did_not_end_is_not_complete_whatever_it_says_of_its_end() -> None:
    seen, accepted = facts.newcomer(), ("finish_reason",)
    assert complete(reading(seen), accepted) == zero_or_one(value=True)
    assert complete(reading(seen, Ending.UNFINISHED), accepted).basis is Basis.CENSORED
    assert complete(reading(seen), ("done_marker",)).basis is Basis.CENSORED


def test_parts_of_an_answer_that_was_cut_off_are_unknown() -> None:
    planned = msgspec.structs.replace(NEWCOMER, answer_parts=["a", "b"])
    seen = facts.newcomer(answer_parts=AnswerParts(matched=1, expected=2))

    def parts(stream: Stream | None, ending: Ending) -> Observed:
        return measured("answer_parts", replace(reading(stream, ending), planned=planned))

    assert parts(seen, Ending.COMPLETE) == exact(1)
    assert parts(seen, Ending.UNFINISHED) == unknown(Reason.ANSWER_UNKNOWN)
    assert parts(None, Ending.COMPLETE) == unknown(Reason.ANSWER_UNKNOWN)


def test_silence_of_a_stream_is_read_with_the_clock_resolution() -> None:
    seen = measured("max_content_gap", reading(facts.newcomer())).interval
    assert seen is not None
    assert seen.hi.value - seen.lo.value == 2 * TEN


def test_other_unit_keeps_why_a_unit_establishes_nothing() -> None:
    held = between(finite(2), finite(4)).interval
    doubted = Observed(held, Basis.UNKNOWN, Absence.DOUBTED, Reason.WRONG_ANSWER)
    changed = scaled(doubted, Fraction(2))
    assert (changed.basis, changed.absence, changed.why) == (
        Basis.UNKNOWN,
        Absence.DOUBTED,
        Reason.WRONG_ANSWER,
    )


@pytest.mark.parametrize("event", ["last_content", "settled"])
def test_end_of_a_stream_that_the_server_failed_never_came_or_came_as_it_was_seen(
    event: StreamEvent,
) -> None:
    seen = facts.newcomer(last=9_000_000, settled_us=9_000_000)
    failed = reading(seen, Ending.SERVER_FAILURE)

    def when(*, late: bool) -> Observed:
        return event_time(failed, event, resolution=TEN, failure_is_late=late)

    assert when(late=True) == never(seen.observed_until_us)
    assert when(late=False) == exact(9_000_000, 10)
