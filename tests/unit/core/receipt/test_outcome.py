# SPDX-License-Identifier: Apache-2.0
"""What one receipt makes of its attempt, and what hides behind what."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.faults import Fault
from app.core.receipt.outcome import SEALED_OUTCOME
from app.core.statement.protocol_document import FaultRow, Retry, RetryCode
from tests.documents import SLOT_DEADLINE_US, streams_cell
from tests.facts import (
    capture,
    incumbent,
    interrupted,
    newcomer,
    server_error,
    starved,
    starved_newcomer,
    stream,
    warmup_failed,
)
from tests.unit.core.receipt.make import (
    DOCUMENT,
    cell,
    outcome,
    receipt,
)

WARM = stream("incumbent", 0, phase="warmup")
ENDED: dict[str, Any] = {"finish_reason": "stop", "completion_basis": "finish_reason"}
UNSENT = stream("newcomer", 1, submitted_us=None, planned_us=None, http_status=None)


def test_capture_whose_streams_all_finished_is_complete() -> None:
    found = outcome()
    assert (found.state, found.fault, found.measured) == ("COMPLETE", None, True)
    assert found.reasons == (Reason.ALL_STREAMS_COMPLETE,)


def test_starved_newcomer_with_http_200_is_a_failure_of_the_server() -> None:
    found = outcome(starved())
    assert (found.state, found.fault, found.measured) == ("FAILED", "sut", True)
    assert found.reasons == (Reason.SERVER_FAULT,)


def test_server_error_is_a_failure_of_the_server() -> None:
    assert outcome(server_error(500)).state == "FAILED"
    assert outcome(server_error(599)).state == "FAILED"


def test_unfinished_stream_without_a_decided_fault_is_partial() -> None:
    found = outcome(interrupted())
    assert (found.state, found.fault) == ("PARTIAL", "unknown")
    assert found.reasons == (Reason.UNFINISHED_STREAM,)


@pytest.mark.parametrize(
    ("status", "retryable"), [(404, True), (405, False), (401, False), (403, False)]
)
def test_l16_wrong_url_is_the_harness_s_and_nothing_was_measured(
    status: int, *, retryable: bool
) -> None:
    found = outcome(warmup_failed(status))
    assert (found.state, found.fault, found.measured) == ("WARMUP_FAILED", "harness", False)
    assert found.reasons == (Reason.WARMUP_NOT_COMPLETED, Reason.HARNESS_FAULT)
    assert found.retryable is retryable


def test_warmup_that_the_server_failed_is_a_failed_slot_and_no_retry() -> None:
    found = outcome(warmup_failed(503))
    assert (found.state, found.fault, found.measured) == ("FAILED", "sut", False)
    assert not found.retryable


@pytest.mark.parametrize(
    ("error", "fault", "reasons"),
    [
        ("connection_refused", "unknown", (Reason.WARMUP_NOT_COMPLETED,)),
        (
            "name_resolution",
            "environment",
            (Reason.WARMUP_NOT_COMPLETED, Reason.ENVIRONMENT_FAULT),
        ),
    ],
)
def test_warmup_that_failed_otherwise_keeps_its_fault(
    error: str, fault: Fault, reasons: tuple[Reason, ...]
) -> None:
    found = outcome(warmup_failed(None, error))
    assert (found.state, found.fault, found.reasons) == ("WARMUP_FAILED", fault, reasons)
    assert not found.retryable


def test_no_retry_after_a_response_had_succeeded() -> None:
    listed = warmup_failed().streams[0]
    answered = replace(WARM, lane=1, settled_us=9_000, **ENDED)
    assert not outcome(capture(answered, listed, warmup="failed", measured="not_started")).retryable


def test_no_retry_by_a_code_only_some_warmup_requests_failed_by() -> None:
    listed = warmup_failed().streams[0]
    refused = replace(listed, lane=1, http_status=405)
    seen = capture(listed, refused, warmup="failed", measured="not_started")
    assert not outcome(seen).retryable


def test_no_retry_where_the_protocol_allows_none() -> None:
    none = replace(DOCUMENT, retry=Retry(max_per_slot=0, only=[RetryCode("warmup", 404)]))
    assert not outcome(warmup_failed(), locked=none).retryable


def test_capture_that_never_came_to_measure_is_no_retry_and_says_not_started() -> None:
    answered = replace(WARM, settled_us=9_000, **ENDED)
    found = outcome(capture(answered, measured="not_started"))
    assert (found.state, found.fault, found.measured) == ("WARMUP_FAILED", "unknown", False)
    assert found.reasons == (Reason.NOT_STARTED,)
    assert not found.retryable


def test_word_that_nothing_was_measured_does_not_hide_streams_that_were_sent() -> None:
    lied = replace(starved(), phases=replace(starved().phases, measured="not_started"))
    found = outcome(lied)
    assert (found.state, found.measured) == ("FAILED", True)


def test_short_output_is_a_failure_of_the_server() -> None:
    found = outcome(capture(incumbent(tokens=1023), newcomer()))
    assert (found.state, found.fault) == ("FAILED", "sut")
    assert found.reasons == (Reason.SHORT_OUTPUT,)


def test_server_s_event_that_never_came_by_the_deadline_is_a_failure_of_the_server() -> None:
    silent = stream("incumbent", 0, observed_until_us=SLOT_DEADLINE_US, error_class="deadline")
    found = outcome(capture(silent, UNSENT))
    assert found.state == "FAILED"
    assert found.reasons == (Reason.EVENT_NEVER_CAME, Reason.SERVER_FAULT)


def test_newcomer_that_was_not_sent_although_it_could_be_breaks_the_precondition() -> None:
    found = outcome(capture(incumbent(), UNSENT))
    assert (found.state, found.fault) == ("INVALID", "harness")
    assert found.reasons == (Reason.PRECONDITION_NOT_MET,)


def test_stream_that_was_not_sent_without_precondition_is_not_as_planned() -> None:
    found = outcome(capture(incumbent(), UNSENT), locked=cell(preconditions=[]))
    assert found.reasons == (Reason.STREAMS_NOT_AS_PLANNED,)


@pytest.mark.parametrize(
    ("submitted_us", "also"), [(429_999, (Reason.STREAMS_NOT_AS_PLANNED,)), (21_000_000, ())]
)
def test_c05_newcomer_outside_the_overlap_breaks_the_precondition(
    submitted_us: int, also: tuple[Reason, ...]
) -> None:
    late = newcomer(submitted_us=submitted_us, first=22_000_000, last=23_000_000)
    found = outcome(capture(incumbent(), late))
    assert (found.state, found.fault) == ("INVALID", "harness")
    assert found.reasons == (Reason.PRECONDITION_NOT_MET, *also)


def test_capture_without_its_newcomer_is_not_as_planned() -> None:
    found = outcome(capture(incumbent()))
    assert (found.state, found.reasons) == ("INVALID", (Reason.STREAMS_NOT_AS_PLANNED,))


def test_capture_whose_times_are_out_of_order_is_invalid_by_its_clock() -> None:
    found = outcome(capture(incumbent(settled_us=1), newcomer()))
    assert (found.state, found.fault) == ("INVALID", "harness")
    assert found.reasons == (Reason.CLOCK,)


@pytest.mark.parametrize("warmup", ["none", "failed"])
def test_measured_phase_behind_a_warmup_that_did_not_complete_is_invalid(warmup: str) -> None:
    found = outcome(capture(incumbent(), newcomer(), warmup=warmup))
    assert (found.state, found.reasons) == ("INVALID", (Reason.WARMUP_NOT_COMPLETED,))


def test_warmup_stream_that_did_not_finish_is_no_warmup() -> None:
    cut = replace(WARM, error_class="interrupted")
    found = outcome(capture(cut, incumbent(), newcomer()))
    assert found.reasons == (Reason.WARMUP_NOT_COMPLETED,)


@pytest.mark.parametrize("requests", [None, 0])
def test_cell_without_warmup_needs_none(requests: int | None) -> None:
    planned = streams_cell(DOCUMENT).warmup
    assert planned is not None
    cold = None if requests is None else replace(planned, requests=requests)
    seen = capture(incumbent(), newcomer(), warmup="none")
    assert outcome(seen, locked=cell(warmup=cold)).state == "COMPLETE"


def test_s17_binding_that_the_protocol_does_not_take_has_not_used_its_challenge() -> None:
    found = outcome(said=receipt(binding="seeded"), locked=replace(DOCUMENT, binding=["echoed"]))
    assert (found.state, found.reasons) == ("INVALID", (Reason.CHALLENGE_NOT_USED,))


@pytest.mark.parametrize(
    ("error", "fault", "reason"),
    [
        ("name_resolution", "environment", Reason.ENVIRONMENT_FAULT),
        ("timeout", "harness", Reason.HARNESS_FAULT),
    ],
)
def test_measured_stream_that_others_than_the_server_broke_is_invalid(
    error: str, fault: Fault, reason: Reason
) -> None:
    found = outcome(capture(incumbent(), starved_newcomer(error_class=error)))
    assert (found.state, found.fault, found.reasons) == ("INVALID", fault, (reason,))


def test_harness_is_blamed_before_the_environment() -> None:
    seen = capture(
        incumbent(completion_basis="none", error_class="name_resolution"),
        starved_newcomer(error_class="timeout"),
    )
    found = outcome(seen)
    assert found.fault == "harness"
    assert found.reasons == (Reason.HARNESS_FAULT, Reason.ENVIRONMENT_FAULT)


def test_row_that_finds_an_identity_fault_makes_the_slot_invalid_by_identity() -> None:
    row = FaultRow(phase="any", fault="identity", error="tls")
    locked = replace(DOCUMENT, fault_table=[row])
    found = outcome(capture(incumbent(), starved_newcomer(error_class="tls")), locked=locked)
    assert (found.state, found.fault) == ("INVALID", "identity")
    assert found.reasons == (Reason.IDENTITY_MISMATCH,)


def test_receipt_whose_capture_is_sealed_stands_as_undecided() -> None:
    assert SEALED_OUTCOME.state == "PARTIAL"
    assert not SEALED_OUTCOME.measured
