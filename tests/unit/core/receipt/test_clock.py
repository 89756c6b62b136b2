# SPDX-License-Identifier: Apache-2.0
"""Do a receipt's times make sense?"""

from typing import Any

import pytest

from app.core.identity import instant_of
from app.core.receipt.clock import (
    SKEW_US,
    acquired_before_lock,
    contradicts_log,
    is_before_lock,
    is_disordered,
)
from app.core.receipt.times import Times
from app.core.statement.capture import Stream
from app.core.statement.receipt import ReceiptPredicate
from tests.factories import opened
from tests.facts import capture, incumbent, starved_newcomer, stream

LOCKED, RESERVED, APPENDED = 1_000_000_000, 2_000_000_000, 3_000_000_000
TIMES = Times(LOCKED, RESERVED, APPENDED)


def receipt(started: int | None, finished: int | None) -> ReceiptPredicate:
    story = opened()
    story.reserve("A/C2-canary/1")
    said: dict[str, Any] = {
        "started_at": None if started is None else instant_of(started),
        "finished_at": None if finished is None else instant_of(finished),
    }
    predicate = story.receipt("A/C2-canary/1", **said).parsed.predicate
    assert isinstance(predicate, ReceiptPredicate)
    return predicate


@pytest.mark.parametrize(
    ("started", "finished", "contradicts"),
    [
        (None, None, False),
        (RESERVED, APPENDED, False),
        (RESERVED, RESERVED, False),
        (RESERVED - SKEW_US, APPENDED + SKEW_US, False),
        (RESERVED - SKEW_US - 1, None, True),
        (None, RESERVED - SKEW_US - 1, True),
        (APPENDED + SKEW_US + 1, None, True),
        (None, APPENDED + SKEW_US + 1, True),
        (RESERVED + 1, RESERVED, True),
    ],
)
def test_l09_client_instants_outside_reservation_and_append_contradict_the_log(
    started: int | None, finished: int | None, *, contradicts: bool
) -> None:
    assert contradicts_log(receipt(started, finished), TIMES) is contradicts


def test_run_before_the_lock_is_told_from_a_clock_that_is_off() -> None:
    assert is_before_lock(receipt(LOCKED - SKEW_US - 1, None), TIMES)
    assert is_before_lock(receipt(None, LOCKED - SKEW_US - 1), TIMES)
    assert not is_before_lock(receipt(LOCKED - SKEW_US, None), TIMES)
    assert not is_before_lock(receipt(None, None), TIMES)


def test_acquisition_at_the_lock_is_not_before_it() -> None:
    assert acquired_before_lock(acquired_us=LOCKED - 1, locked_us=LOCKED)
    assert not acquired_before_lock(acquired_us=LOCKED, locked_us=LOCKED)


NEVER: dict[str, Any] = {"submitted_us": None, "http_status": None}


@pytest.mark.parametrize(
    ("one", "disordered"),
    [
        (incumbent(), False),
        (starved_newcomer(), False),
        (incumbent(content_gaps_us=[]), False),
        (incumbent(submitted_us=430_001), True),
        (incumbent(first_answer_us=429_999), True),
        (incumbent(first_answer_us=21_000_001), True),
        (incumbent(settled_us=20_999_999), True),
        (incumbent(observed_until_us=21_009_999), True),
        (incumbent(content_gaps_us=[20_574_000]), False),
        (incumbent(content_gaps_us=[20_574_001]), True),
        (incumbent(first_generated_us=None, content_gaps_us=[99_000_000]), False),
        (incumbent(last_content_us=None, content_gaps_us=[99_000_000]), False),
        (stream("newcomer", 1, **NEVER), False),
        (stream("newcomer", 1, **NEVER, first_generated_us=1), True),
        (stream("newcomer", 1, **NEVER, last_content_us=1), True),
        (stream("newcomer", 1, **NEVER, settled_us=1), True),
    ],
)
def test_offsets_that_could_not_have_happened_in_order_are_disordered(
    one: Stream, *, disordered: bool
) -> None:
    assert is_disordered(capture(one)) is disordered
