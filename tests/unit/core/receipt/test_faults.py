# SPDX-License-Identifier: Apache-2.0
"""Whose fault an unfinished stream is."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from app.core.receipt.faults import (
    Container,
    Fact,
    Fault,
    container_state,
    fault_by_table,
    stream_fault,
)
from app.core.statement.capture import ContainerIdentity, ErrorClass, Stream, StreamsCapture
from app.core.statement.protocol_document import FaultRow, StatusRange, StreamsCell
from tests.documents import SLOT_DEADLINE_US, document, streams_cell
from tests.facts import capture, engine, incumbent, newcomer, starved_newcomer, stream

DOCUMENT = document()
CELL: StreamsCell = streams_cell(DOCUMENT)
CENSORING: StreamsCell = replace(CELL, ends=replace(CELL.ends, cancel_is="censoring"))
NO_CANCELS: StreamsCell = replace(CELL, ends=replace(CELL.ends, cancels=[]))


def fault_in(seen: StreamsCapture, one: Stream, cell: StreamsCell = CELL) -> Fault | None:
    return stream_fault(one, seen, cell=cell, table=DOCUMENT.fault_table)


def fault(one: Stream, cell: StreamsCell = CELL) -> Fault | None:
    return fault_in(capture(incumbent(), one), one, cell)


def other(component: str, **facts: object) -> ContainerIdentity:
    return replace(engine(), component=component, **facts)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ([engine()], "running"),
        ([engine("c-1", "c-2")], "restarted"),
        ([engine("c-1", None, exited=True)], "exited"),
        ([engine("c-1", "c-2", exited=True)], "exited"),
        ([engine("c-1", None, exited=None)], "unobserved"),
        ([engine(None, "c-1")], "unobserved"),
        ([], "unobserved"),
        ([other("gateway", after="c-9")], "unobserved"),
        ([other("engine-0"), other("engine-1")], "running"),
        ([other("engine-0"), other("engine-1", after="c-2")], "restarted"),
        ([other("engine-0"), other("engine-1", after=None)], "unobserved"),
        ([other("engine-0"), other("engine-1", exited=True)], "exited"),
    ],
)
def test_container_state_is_the_worst_that_was_seen_of_an_engine(
    seen: Sequence[ContainerIdentity], expected: Container
) -> None:
    assert container_state(capture(identities=seen)) == expected


def row(fault: Fault, **facts: object) -> FaultRow:
    return FaultRow(**({"phase": "any", "fault": fault} | facts))  # type: ignore[arg-type]  # any


def fact(*errors: ErrorClass, status: int | None = None, container: Container = "running") -> Fact:
    return Fact("measured", status, frozenset(errors), container)


RANGE = StatusRange(first=500, last=502)


@pytest.mark.parametrize(
    ("one", "seen", "matches"),
    [
        (row("sut"), fact(), True),
        (row("sut", phase="measured"), fact(), True),
        (row("sut", phase="warmup"), fact(), False),
        (row("sut", http_status=RANGE), fact(status=500), True),
        (row("sut", http_status=RANGE), fact(status=502), True),
        (row("sut", http_status=RANGE), fact(status=499), False),
        (row("sut", http_status=RANGE), fact(status=503), False),
        (row("sut", http_status=RANGE), fact(), False),
        (row("sut", error="tls"), fact("tls"), True),
        (row("sut", error="tls"), fact("timeout"), False),
        (row("sut", error="tls"), fact(), False),
        (row("sut", container="exited"), fact(container="exited"), True),
        (row("sut", container="exited"), fact(), False),
        (row("sut", http_status=RANGE, error="tls"), fact(status=500), False),
    ],
)
def test_row_matches_when_every_given_fact_holds(
    one: FaultRow, seen: Fact, *, matches: bool
) -> None:
    assert fault_by_table(seen, [one]) == ("sut" if matches else "unknown")


def test_first_matching_row_decides() -> None:
    table = [row("harness", error="tls"), row("sut")]
    assert fault_by_table(fact("tls"), table) == "harness"
    assert fault_by_table(fact("timeout"), table) == "sut"


def test_what_no_row_matches_is_unknown_and_never_excluded() -> None:
    assert fault(starved_newcomer(error_class="malformed_stream")) == "unknown"
    assert fault(starved_newcomer(error_class=None)) == "unknown"


def test_finished_stream_is_nobodys_fault() -> None:
    assert fault(newcomer()) is None


def test_error_status_is_a_fault_even_with_a_completion_basis() -> None:
    assert fault(newcomer(http_status=500)) == "sut"


@pytest.mark.parametrize("error", ["timeout", "cancelled_by_rule", "interrupted", None])
def test_error_status_stays_a_fact_whatever_the_harness_calls_the_end(
    error: ErrorClass | None,
) -> None:
    early = starved_newcomer(error_class=error, http_status=503, observed_until_us=700_000)
    assert fault(early) == "sut"


def test_stream_given_up_by_the_locked_rule_has_met_its_deadline() -> None:
    assert fault(starved_newcomer()) == "sut"


def test_c02_stream_given_up_before_the_locked_rule_allowed_it_is_the_harness_s() -> None:
    # Settled at 21.01 s, 200 ms of grace, one reading may be off by 1 ms.
    assert fault(starved_newcomer(observed_until_us=21_209_000)) == "sut"
    assert fault(starved_newcomer(observed_until_us=21_208_999)) == "harness"


def test_cancelled_stream_is_only_censored_where_the_protocol_says_so() -> None:
    assert fault(starved_newcomer(), CENSORING) == "unknown"


def test_stream_cancelled_without_a_rule_or_its_event_is_unknown() -> None:
    assert fault(starved_newcomer(), NO_CANCELS) == "unknown"
    unsettled = stream("incumbent", 0)
    assert fault_in(capture(unsettled, starved_newcomer()), starved_newcomer()) == "unknown"


@pytest.mark.parametrize("error", ["timeout", "deadline"])
def test_timeout_at_the_locked_deadline_is_the_server_s(error: ErrorClass) -> None:
    at = starved_newcomer(error_class=error, observed_until_us=SLOT_DEADLINE_US)
    assert fault(at) == "sut"
    within_a_reading = replace(at, observed_until_us=SLOT_DEADLINE_US - 1_000)
    assert fault(within_a_reading) == "sut"


@pytest.mark.parametrize("error", ["timeout", "deadline"])
def test_timeout_before_the_locked_deadline_is_the_harness_s(error: ErrorClass) -> None:
    early = starved_newcomer(error_class=error, observed_until_us=SLOT_DEADLINE_US - 1_001)
    assert fault(early) == "harness"


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        (engine(), "unknown"),
        (engine("c-1", "c-2"), "sut"),
        (engine("c-1", None, exited=True), "sut"),
        (engine("c-1", None, exited=None), "unknown"),
    ],
)
def test_connection_reset_is_judged_by_what_the_container_did(
    container: ContainerIdentity, expected: Fault
) -> None:
    cut = starved_newcomer(error_class="connection_reset")
    assert fault_in(capture(incumbent(), cut, identities=[container]), cut) == expected
