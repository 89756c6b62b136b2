# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it
"""What a stream's facts say about a metric, for each way a stream can end."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from app.core.reason import Reason
from app.core.score.interval import INFINITY, Interval, Truth, finite
from app.core.score.measure import (
    answer_of,
    complete,
    event_time,
    scaled,
    stream_metric,
    tokens_of,
)
from app.core.score.observed import (
    Basis,
    Observed,
    above,
    at_least,
    exact,
    never,
    unknown,
    zero_or_one,
)
from app.core.score.reading import Ending, Reading
from app.core.statement.capture import AnswerParts, Stream, Usage
from app.core.statement.gate_record import Metric
from tests import facts
from tests.documents import document, streams_cell

CELL = streams_cell(document())
INCUMBENT, NEWCOMER = CELL.streams
NO_RESOLUTION = Fraction(0)


def metric(name: str, **members: Any) -> Metric:
    given = {"unit": "us", "direction": "lower_is_better", "domain": ["0", None]}
    return msgspec.convert({"name": name, **given, **members}, Metric)


def reading(
    ending: Ending = Ending.COMPLETE, stream: Stream | None = None, **members: Any
) -> Reading:
    seen = facts.newcomer() if stream is None else stream
    given = Reading(NEWCOMER, seen, ending, 0, deadline_passed=False)
    return replace(given, **members)


def measured(name: str, of: Reading, **members: Any) -> Observed:
    return stream_metric(metric(name, **members), of, resolution=NO_RESOLUTION)


def usage(tokens: int | None) -> Usage:
    return Usage(prompt=64, completion=tokens, cached=None, reasoning=None)


WAITING = facts.stream("newcomer", 1, submitted_us=1_000, observed_until_us=9_000)
BLANK = facts.complete_stream("newcomer", 1, first_generated_us=None, usage=None)
UNSENT = facts.stream("newcomer", 1, submitted_us=None)
ZERO = zero_or_one(value=False).interval
OPEN_RATE = Interval(finite(0), INFINITY, hi_open=True)


@pytest.mark.parametrize("name", ["ttft", "settlement", "max_content_gap"])
def test_times_of_a_stream_that_the_server_failed_are_infinite(name: str) -> None:
    assert measured(name, reading(Ending.SERVER_FAILURE)) == never()
    assert measured(name, reading(Ending.SERVER_FAILURE, stream=UNSENT)) == never()


@pytest.mark.parametrize(
    "name",
    ["ttft", "settlement", "max_content_gap", "decode_rate", "completion_tokens", "complete"],
)
def test_every_metric_of_unknown_facts_is_unknown(name: str) -> None:
    assert measured(name, reading(Ending.UNKNOWN)).interval is None
    assert measured(name, reading(Ending.UNKNOWN, stream=UNSENT)).interval is None


def test_ttft_is_from_dispatch_to_the_first_content() -> None:
    assert measured("ttft", reading()) == exact(8_837_000 - 680_000)
    resolved = stream_metric(metric("ttft"), reading(), resolution=Fraction(1000))
    assert resolved == exact(8_157_000, 1000)
    assert measured("time_to_first_answer", reading()) == exact(8_157_000)


def test_l21_ttft_of_a_stream_that_was_cut_lies_beyond_the_cut() -> None:
    assert measured("ttft", reading(Ending.UNFINISHED, WAITING)) == above(8_000)
    assert measured("settlement", reading(Ending.UNFINISHED, WAITING)) == above(8_000)


def test_first_content_that_was_not_recorded_is_unknown_and_one_that_never_came_is_infinite() -> (
    None
):
    assert measured("ttft", reading(stream=BLANK)) == unknown()
    nothing = msgspec.structs.replace(BLANK, usage=usage(0))
    assert measured("ttft", reading(stream=nothing)) == never()
    some = msgspec.structs.replace(BLANK, usage=usage(5))
    assert measured("ttft", reading(stream=some)) == unknown()
    assert measured("ttft", reading(stream=UNSENT)) == unknown()


def test_settlement_of_a_short_stream_is_infinite() -> None:
    assert measured("settlement", reading()) == exact(9_023_000 - 680_000)
    assert measured("settlement", reading(Ending.SHORT)) == never()
    unsettled = facts.newcomer(settled_us=None)
    assert measured("settlement", reading(stream=unsettled)) == unknown()
    assert measured("settlement", reading(stream=UNSENT)) == unknown()


def test_progress_of_an_unfinished_stream_is_at_least_what_was_seen() -> None:
    assert measured("max_content_gap", reading(Ending.UNFINISHED, WAITING)) == at_least(8_000)
    seen = measured("max_content_gap", reading())
    assert seen == exact(8_157_000)


def test_decode_rate_is_tokens_after_the_first_over_its_time() -> None:
    made = facts.complete_stream("newcomer", 1, first=0, last=10, tokens=21)
    assert measured("decode_rate", reading(stream=made)) == exact(2)
    for tokens in (0, 1):
        none_after = facts.complete_stream("newcomer", 1, first=0, last=10, tokens=tokens)
        assert measured("decode_rate", reading(stream=none_after)) == exact(0)
    assert measured("decode_rate", reading(Ending.SERVER_FAILURE)) == exact(0)
    assert measured("decode_rate", reading(Ending.SHORT)) == exact(0)
    unfinished = measured("decode_rate", reading(Ending.UNFINISHED, WAITING))
    assert (unfinished.interval, unfinished.basis) == (OPEN_RATE, Basis.CENSORED)


def test_decode_rate_within_one_reading_is_unbounded_above() -> None:
    made = facts.complete_stream("newcomer", 1, first=0, last=10, tokens=21)
    near = stream_metric(metric("decode_rate"), reading(stream=made), resolution=Fraction(10))
    assert near.interval == Interval(finite(1), INFINITY, hi_open=True)
    wide = stream_metric(metric("decode_rate"), reading(stream=made), resolution=Fraction(5))
    assert wide.interval == Interval(finite(Fraction(4, 3)), finite(4))


def test_decode_rate_without_its_instants_is_unknown() -> None:
    assert measured("decode_rate", reading(stream=BLANK)) == unknown()
    at_once = facts.complete_stream("newcomer", 1, first=7, last=7, tokens=21)
    assert measured("decode_rate", reading(stream=at_once)) == unknown()


def test_l17_missing_usage_is_never_zero() -> None:
    silent = facts.newcomer(usage=None)
    assert tokens_of(reading(stream=silent), fallback=False) == unknown()
    assert measured("completion_tokens", reading(stream=silent)) == unknown()
    assert measured("decode_rate", reading(stream=silent)) == unknown()
    partly = facts.newcomer(usage=usage(None))
    assert measured("completion_tokens", reading(stream=partly)) == unknown()


def test_l17_missing_usage_lies_between_the_bounds_declared_for_it() -> None:
    silent = facts.newcomer(usage=None, content_gaps_us=[1, 2])
    bounds = {"fallback_bounds": "content_deltas_to_max_tokens"}
    seen = measured("completion_tokens", reading(stream=silent), **bounds)
    assert seen.interval == Interval(finite(3), finite(16))
    assert measured("decode_rate", reading(stream=silent), **bounds).basis is Basis.BOUNDED
    no_stream = replace(reading(), stream=None)
    assert tokens_of(no_stream, fallback=True) == unknown()


def test_tokens_of_a_stream_that_the_server_failed_are_none() -> None:
    assert measured("completion_tokens", reading(Ending.SERVER_FAILURE)) == exact(0)
    assert measured("completion_tokens", reading(Ending.UNFINISHED)) == exact(2)


def test_complete_is_what_ended_on_an_accepted_basis() -> None:
    assert complete(reading(), ("finish_reason",)) == zero_or_one(value=True)
    accepted = {"unit": "1", "domain": ["0", "1"], "accepted_bases": ["finish_reason"]}
    assert measured("complete", reading(), **accepted) == zero_or_one(value=True)
    other = complete(reading(), ("done_marker",))
    assert (other.interval, other.basis) == (Interval(finite(0), finite(1)), Basis.CENSORED)


def test_unfinished_stream_is_undecided_until_the_declared_deadline_and_then_incomplete() -> None:
    open_still = complete(reading(Ending.UNFINISHED, WAITING), ("finish_reason",))
    assert open_still.interval == Interval(finite(0), finite(1))
    late = complete(reading(Ending.UNFINISHED, WAITING, deadline_passed=True), ("finish_reason",))
    assert (late.interval, late.why) == (ZERO, Reason.UNFINISHED_STREAM)


def test_failed_and_short_streams_are_not_complete() -> None:
    failed = complete(reading(Ending.SERVER_FAILURE), ("finish_reason",))
    assert (failed.interval, failed.why) == (ZERO, Reason.SERVER_FAULT)
    short = complete(reading(Ending.SHORT), ("finish_reason",))
    assert (short.interval, short.why) == (ZERO, Reason.SHORT_OUTPUT)


def test_answer_is_only_of_a_stream_that_finished() -> None:
    assert answer_of(reading()) is Truth.TRUE
    assert answer_of(reading(stream=facts.newcomer(answer_matched=False))) is Truth.FALSE
    assert answer_of(reading(stream=facts.newcomer(answer_matched=None))) is Truth.OPEN
    assert answer_of(reading(Ending.UNFINISHED)) is Truth.OPEN
    assert answer_of(replace(reading(), stream=None)) is Truth.OPEN


def test_answer_in_parts_needs_every_planned_part() -> None:
    parts = msgspec.structs.replace(NEWCOMER, answer_parts=["head", "middle"])
    for expected, matched, truth in ((2, 2, Truth.TRUE), (2, 1, Truth.FALSE), (1, 1, Truth.FALSE)):
        seen = facts.newcomer(
            answer_matched=None, answer_parts=AnswerParts(expected=expected, matched=matched)
        )
        assert answer_of(reading(stream=seen, planned=parts)) is truth
        assert answer_of(reading(stream=seen)) is Truth.OPEN


def test_answer_in_parts_counts_beside_a_whole_answer() -> None:
    parts = msgspec.structs.replace(NEWCOMER, answer_parts=["head", "middle", "tail"])
    unrecorded = facts.newcomer(answer_matched=True, answer_parts=None)
    assert answer_of(reading(stream=unrecorded, planned=parts)) is Truth.OPEN
    denied = facts.newcomer(answer_matched=False, answer_parts=AnswerParts(expected=3, matched=3))
    assert answer_of(reading(stream=denied, planned=parts)) is Truth.FALSE
    both = facts.newcomer(answer_matched=True, answer_parts=AnswerParts(expected=3, matched=2))
    assert answer_of(reading(stream=both, planned=parts)) is Truth.FALSE
    unasked = msgspec.structs.replace(NEWCOMER, expected_answer=None)
    silent = facts.newcomer(answer_matched=None)
    assert answer_of(reading(stream=silent, planned=unasked)) is Truth.OPEN


@pytest.mark.parametrize(
    ("expected", "matched", "value"), [(3, 3, 3), (3, 2, 2), (3, 0, 0), (2, 2, 2), (3, 9, 3)]
)
def test_answer_parts_are_as_many_as_came(expected: int, matched: int, value: int) -> None:
    parts = msgspec.structs.replace(NEWCOMER, answer_parts=["head", "middle", "tail"])
    came = AnswerParts(expected=expected, matched=matched)
    seen = facts.newcomer(answer_parts=came)
    assert measured("answer_parts", reading(stream=seen, planned=parts)) == exact(value)


def test_answer_parts_that_nobody_planned_or_recorded_are_unknown() -> None:
    parts = msgspec.structs.replace(NEWCOMER, answer_parts=["head"])
    silent, more = facts.newcomer(), facts.newcomer(answer_parts=AnswerParts(expected=2, matched=2))
    open_ = unknown(Reason.ANSWER_UNKNOWN)
    assert measured("answer_parts", reading(stream=silent, planned=parts)) == open_
    assert measured("answer_parts", reading(stream=more, planned=parts)) == open_
    assert measured("answer_parts", reading(stream=more)) == open_
    assert measured("answer_parts", reading(Ending.UNFINISHED, planned=parts)) == open_
    assert measured("answer_parts", reading(Ending.SERVER_FAILURE, planned=parts)) == exact(0)


def test_thought_and_answer_have_a_time_to_the_first_of_each() -> None:
    seen = facts.newcomer(first_generated_us=1_000_000, first_answer_us=1_500_000)
    of = reading(stream=seen)
    assert measured("ttft", of) == exact(320_000)
    assert measured("time_to_first_answer", of) == exact(820_000)
    thinking = reading(Ending.UNFINISHED, facts.newcomer(first_answer_us=None))
    assert measured("ttft", thinking).basis is Basis.EXACT
    assert measured("time_to_first_answer", thinking).basis is Basis.CENSORED


def test_answer_metric_says_why() -> None:
    assert measured("answer", reading()) == zero_or_one(value=True)
    wrong = measured("answer", reading(stream=facts.newcomer(answer_matched=False)))
    assert (wrong.interval, wrong.why) == (ZERO, Reason.WRONG_ANSWER)
    assert measured("answer", reading(Ending.UNFINISHED)) == unknown(Reason.ANSWER_UNKNOWN)


def when(event: Any, of: Reading, *, late: bool = True) -> Observed:
    return event_time(of, event, resolution=NO_RESOLUTION, failure_is_late=late)


def test_event_of_a_failed_stream_is_the_worst_for_what_is_demanded() -> None:
    failed = reading(Ending.SERVER_FAILURE, facts.newcomer(last_content_us=9_000))
    assert when("last_content", failed).interval == never().interval
    assert when("last_content", failed, late=False) == exact(9_000)
    assert when("last_content", reading(Ending.SERVER_FAILURE, UNSENT), late=False) == exact(0)
    assert when("submitted", failed) == exact(680_000)
    assert when("first_content", reading(Ending.SERVER_FAILURE, WAITING)) == never(9_000)
    assert when("last_content", replace(failed, stream=None)) == never()


def test_event_of_an_unfinished_stream_is_a_bound() -> None:
    cut = reading(Ending.UNFINISHED, facts.stream("newcomer", 1, last_content_us=5))
    assert when("last_content", cut) == at_least(5)
    assert when("settled", cut) == above(21_210_000)
    assert when("first_content", cut) == above(21_210_000)


def test_event_that_was_not_recorded_is_unknown() -> None:
    assert when("last_content", reading()) == exact(9_013_000)
    assert when("first_content", reading(stream=BLANK)) == unknown()
    assert when("last_content", reading(Ending.UNKNOWN)) == unknown()
    assert when("last_content", replace(reading(), stream=None)) == unknown()


def test_scaling_keeps_what_is_infinite_and_what_is_unknown() -> None:
    assert scaled(exact(1_500_000), Fraction(1, 1_000_000)) == exact(Fraction("1.5"))
    assert scaled(never(), Fraction(1, 1000)) == never()
    assert scaled(unknown(), Fraction(2)) == unknown()
