# SPDX-License-Identifier: Apache-2.0
"""Was the load the one that was declared?"""

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from app.core.receipt.preconditions import Unsent, demands_sending, is_broken, unsent
from app.core.statement.capture import Stream
from app.core.statement.gate_record import EventOf, Operator
from app.core.statement.protocol_document import PlannedStream, Precondition, Start, StreamsCell
from tests.documents import SLOT_DEADLINE_US, document, streams_cell
from tests.facts import capture, incumbent, newcomer, stream

CELL: StreamsCell = streams_cell(document())
PLANNED: PlannedStream = CELL.streams[1]
LATER, EARLIER = CELL.preconditions
UNSENT = stream("newcomer", 1, submitted_us=None, planned_us=None, http_status=None)


@pytest.mark.parametrize(
    ("op", "left", "broken"),
    [
        ("<", 429_999, False),
        ("<", 430_000, True),
        ("<=", 430_000, False),
        ("<=", 430_001, True),
        ("==", 430_000, False),
        ("==", 430_001, True),
        (">=", 430_000, False),
        (">=", 429_999, True),
        (">", 430_001, False),
        (">", 430_000, True),
    ],
)
def test_precondition_breaks_exactly_at_its_limit(op: Operator, left: int, *, broken: bool) -> None:
    streams = [incumbent(), newcomer(submitted_us=left)]
    assert is_broken(replace(LATER, op=op), streams) is broken


def test_precondition_holds_for_every_pair_of_its_streams() -> None:
    late = incumbent(first=700_000)
    assert is_broken(LATER, [incumbent(), late, newcomer()])
    assert not is_broken(LATER, [incumbent(), newcomer()])


@pytest.mark.parametrize("streams", [[incumbent()], [stream("incumbent", 0), newcomer()]])
def test_instant_that_was_not_observed_breaks_nothing(streams: list[Stream]) -> None:
    assert not is_broken(LATER, streams)
    assert not is_broken(EARLIER, streams)


SETTLED_WITHOUT_TOKEN = stream(
    "incumbent", 0, settled_us=9_000, finish_reason="stop", completion_basis="finish_reason"
)


@pytest.mark.parametrize(
    ("awaited", "waits", "expected"),
    [
        (incumbent(), newcomer(), None),
        (incumbent(), UNSENT, "not_sent"),
        (incumbent(), replace(UNSENT, error_class="interrupted"), "explained"),
        (stream("incumbent", 0, observed_until_us=SLOT_DEADLINE_US), UNSENT, "event_never_came"),
        (
            stream("incumbent", 0, observed_until_us=SLOT_DEADLINE_US, error_class="deadline"),
            UNSENT,
            "event_never_came",
        ),
        (SETTLED_WITHOUT_TOKEN, UNSENT, "event_never_came"),
        (stream("incumbent", 0), UNSENT, "explained"),
        (stream("incumbent", 0, error_class="connection_reset"), UNSENT, "explained"),
        (stream("incumbent", 0, submitted_us=None, observed_until_us=SLOT_DEADLINE_US),
         UNSENT, "explained"),
    ],
)  # fmt: skip
def test_unsent_stream_is_told_by_what_it_waited_for(
    awaited: Stream, waits: Stream, expected: Unsent | None
) -> None:
    assert unsent(PLANNED, capture(awaited, waits), CELL) == expected


@pytest.mark.parametrize(
    "starts",
    [
        Start(at="slot_start"),
        Start(after=EventOf(stream_role="incumbent", event="submitted"), delay_us=0),
    ],
)
def test_stream_that_waits_for_no_event_of_the_server_was_not_sent(starts: Start) -> None:
    planned = replace(PLANNED, starts=starts)
    assert unsent(planned, capture(stream("incumbent", 0), UNSENT), CELL) == "not_sent"


def test_stream_that_waits_for_one_that_an_error_kept_from_leaving_is_explained_by_it() -> None:
    starts = Start(after=EventOf(stream_role="incumbent", event="submitted"))
    planned = replace(PLANNED, starts=starts)
    refused = stream("incumbent", 0, submitted_us=None, error_class="connection_refused")
    assert unsent(planned, capture(refused, UNSENT), CELL) == "explained"
    reset = stream("incumbent", 0, error_class="connection_reset")
    assert unsent(planned, capture(reset, UNSENT), CELL) == "not_sent"


def test_stream_that_is_not_in_the_capture_is_nobodys_to_explain() -> None:
    assert unsent(PLANNED, capture(incumbent()), CELL) is None
    assert PLANNED.starts.after is not UNSET


def test_preconditions_on_either_side_demand_a_submission() -> None:
    submitted = EventOf(stream_role="incumbent", event="submitted")
    right = Precondition(left=LATER.right, op=">=", right=submitted)
    assert demands_sending(CELL, "newcomer")
    assert not demands_sending(CELL, "incumbent")
    assert demands_sending(replace(CELL, preconditions=[right]), "incumbent")
