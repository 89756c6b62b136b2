# SPDX-License-Identifier: Apache-2.0
"""Reading one stream's facts."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.receipt.streams import (
    are_planned,
    has_measured,
    instant,
    is_complete,
    is_of_size,
    is_short,
    of_plan,
    plan_of,
    succeeded,
)
from app.core.statement.capture import Stream, Usage
from app.core.statement.gate_record import StreamEvent
from app.core.statement.protocol_document import StreamsCell
from tests.documents import document, streams_cell
from tests.facts import capture, incumbent, newcomer, starved_newcomer, stream, warmup_failed

CELL: StreamsCell = streams_cell(document())
SIGNLESS: dict[str, Any] = {"finish_reason": None, "done_marker": None}
NO_COUNTS = Usage(prompt=None, completion=None, cached=None, reasoning=None)
WARM = stream("incumbent", 0, phase="warmup")


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("submitted", 680_000),
        ("first_content", 8_837_000),
        ("first_answer", 8_900_000),
        ("last_content", 9_013_000),
        ("settled", 9_023_000),
    ],
)
def test_instant_of_an_event(event: StreamEvent, expected: int) -> None:
    assert instant(newcomer(first_answer_us=8_900_000), event) == expected
    assert instant(stream("newcomer", 1, submitted_us=None), event) is None


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (incumbent(), True),
        (incumbent(http_status=None), True),
        (incumbent(http_status=399), True),
        (incumbent(http_status=400), False),
        (incumbent(completion_basis="none"), False),
        (incumbent(error_class="connection_reset"), False),
        (starved_newcomer(), False),
    ],
)
def test_complete_needs_a_basis_and_neither_error_nor_error_status(
    one: Stream, *, expected: bool
) -> None:
    assert is_complete(one) is expected


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"settled_us": None}, False),
        ({"finish_reason": None}, False),
        ({"completion_basis": "done_marker", "finish_reason": None}, True),
        ({"completion_basis": "done_marker", "done_marker": False}, False),
        ({"completion_basis": "done_marker", "done_marker": None}, False),
        ({"completion_basis": "exact_usage_len", **SIGNLESS}, True),
        ({"completion_basis": "exact_usage_len", "tokens": 1025}, False),
        ({"completion_basis": "exact_usage_len", "usage": None}, False),
        ({"completion_basis": "tool_claim", **SIGNLESS}, True),
    ],
)
def test_a_word_for_the_end_without_its_own_fact_counts_for_nothing(
    facts: dict[str, Any], *, expected: bool
) -> None:
    assert is_complete(incumbent(**facts), CELL.streams[0]) is expected


def test_an_exact_amount_is_a_basis_only_where_one_is_locked() -> None:
    one = incumbent(completion_basis="exact_usage_len")
    assert not is_complete(one)
    assert not is_complete(one, replace(CELL.streams[0], exact_output=False))


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"usage": None, "finish_reason": "stop"}, False),
        ({"usage": NO_COUNTS, "finish_reason": "stop"}, False),
        ({"usage": None, "finish_reason": "length"}, True),
        ({"finish_reason": "stop"}, True),
        ({"tokens": 1023, "finish_reason": "stop"}, True),
    ],
)
def test_an_exact_amount_that_nobody_counted_is_not_taken_for_full(
    facts: dict[str, Any], *, expected: bool
) -> None:
    one = incumbent(**facts)
    assert is_complete(one, CELL.streams[0]) is expected
    assert is_complete(one, replace(CELL.streams[0], exact_output=False))


def test_a_stream_carries_out_the_plan_of_its_role_and_lane_in_the_measured_phase() -> None:
    assert plan_of(newcomer(), CELL) == CELL.streams[1]
    assert plan_of(replace(newcomer(), lane=2), CELL) is None
    assert plan_of(WARM, CELL) is None


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [(7972, False), (7973, True), (8101, True), (8102, False), (3, False), (None, True)],
)
def test_a_prompt_of_another_length_is_not_the_locked_one(
    prompt: int | None, *, expected: bool
) -> None:
    assert is_of_size(newcomer(prompt=prompt), CELL.streams[1]) is expected
    assert is_of_size(newcomer(usage=None), CELL.streams[1])


@pytest.mark.parametrize(
    ("status", "expected"), [(199, False), (200, True), (299, True), (300, False), (None, False)]
)
def test_success_is_a_2xx_status(status: int | None, *, expected: bool) -> None:
    assert succeeded(stream("incumbent", 0, http_status=status)) is expected


def test_measured_phase_started_by_its_word_or_by_a_stream_that_was_sent() -> None:
    sent, unsent = stream("incumbent", 0), stream("incumbent", 0, submitted_us=None)
    assert has_measured(capture(sent, measured="not_started"))
    assert has_measured(capture(unsent, measured="started"))
    assert not has_measured(capture(unsent, measured="not_started"))
    assert not has_measured(warmup_failed())


def test_stream_of_a_plan_has_its_role_and_lane() -> None:
    first, second = CELL.streams
    assert of_plan([newcomer(), incumbent()], first) == incumbent()
    assert of_plan([replace(newcomer(), lane=2)], second) is None


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ([incumbent(), newcomer()], True),
        ([newcomer(), incumbent()], True),
        ([incumbent()], False),
        ([incumbent(), replace(newcomer(), lane=2)], False),
        ([incumbent(), newcomer(), newcomer()], False),
        ([WARM, incumbent(), newcomer()], True),
        ([WARM, WARM, incumbent(), newcomer()], False),
        ([replace(WARM, role="newcomer"), incumbent(), newcomer()], False),
    ],
)
def test_streams_are_planned_when_each_stands_there_once(
    streams: list[Stream], *, expected: bool
) -> None:
    assert are_planned(capture(*streams), CELL) is expected


def test_no_measured_stream_is_missed_in_a_capture_that_never_measured() -> None:
    assert are_planned(warmup_failed(), CELL)


def test_warmup_streams_in_a_cell_without_warmup_are_not_planned() -> None:
    cold = replace(CELL, warmup=None)
    assert are_planned(capture(), cold)
    assert not are_planned(capture(WARM, incumbent(), newcomer()), cold)


@pytest.mark.parametrize(
    ("one", "exact", "expected"),
    [
        (incumbent(tokens=1024), True, False),
        (incumbent(tokens=1023), True, True),
        (incumbent(tokens=1023), False, False),
        (incumbent(usage=None), True, False),
        (incumbent(usage=Usage(None, None, None, None)), True, False),
        (incumbent(tokens=1023, completion_basis="none"), True, True),
        (incumbent(tokens=1023, completion_basis="none", finish_reason=None), True, True),
        (incumbent(tokens=1023, completion_basis="exact_usage_len", **SIGNLESS), True, True),
        (incumbent(tokens=1023, completion_basis="none", **SIGNLESS), True, False),
        (incumbent(tokens=1023, settled_us=None), True, False),
        (incumbent(tokens=1023, error_class="interrupted"), True, False),
    ],
)
def test_short_output_is_known_to_be_below_its_exact_amount(
    one: Stream, *, exact: bool, expected: bool
) -> None:
    assert is_short(one, replace(CELL.streams[0], exact_output=exact)) is expected
