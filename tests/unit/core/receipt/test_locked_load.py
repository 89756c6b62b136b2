# SPDX-License-Identifier: Apache-2.0
"""The load that ran beside the one that was locked: another prompt, start or end is no evidence."""

from msgspec.structs import replace

from app.core.reason import Reason
from tests.facts import (
    capture,
    incumbent,
    newcomer,
    starved_newcomer,
)
from tests.unit.core.receipt.make import (
    REPLAYED,
    STUDY,
    outcome,
)

# ---- the locked load beside what ran ----


def test_a_prompt_of_another_length_than_the_locked_one_is_no_evidence() -> None:
    found = outcome(capture(incumbent(), newcomer(prompt=3)))
    assert (found.state, found.fault) == ("INVALID", "harness")
    assert found.reasons == (Reason.STREAMS_NOT_AS_PLANNED,)
    assert outcome(capture(incumbent(), newcomer(prompt=None))).state == "COMPLETE"


def test_a_short_prompt_does_not_hide_that_the_server_failed() -> None:
    found = outcome(capture(incumbent(prompt=4000), starved_newcomer()))
    assert (found.state, found.fault) == ("FAILED", "sut")


def test_a_stream_sent_before_its_locked_start_is_no_evidence() -> None:
    """The clock may be off by 1 ms at either reading."""
    early = outcome(capture(incumbent(), newcomer(submitted_us=677_999)))
    assert (early.state, early.reasons) == ("INVALID", (Reason.STREAMS_NOT_AS_PLANNED,))
    assert outcome(capture(incumbent(), newcomer(submitted_us=678_000))).state == "COMPLETE"
    late = newcomer(submitted_us=8_000_000)
    assert outcome(capture(incumbent(), late)).state == "COMPLETE"


def test_instants_of_a_replay_make_no_stream_early() -> None:
    early = capture(incumbent(), newcomer(submitted_us=677_999))
    assert outcome(early, pins=replace(STUDY, replay=REPLAYED)).state == "COMPLETE"


def test_an_end_that_no_fact_shows_is_unfinished_whatever_it_is_called() -> None:
    claimed = newcomer(finish_reason=None, completion_basis="finish_reason")
    found = outcome(capture(incumbent(), claimed))
    assert (found.state, found.fault) == ("PARTIAL", "unknown")


def test_an_exact_amount_that_nobody_counted_leaves_the_slot_partial() -> None:
    uncounted = incumbent(usage=None, token_basis="unknown", finish_reason="stop")
    found = outcome(capture(uncounted, newcomer()))
    assert (found.state, found.reasons) == ("PARTIAL", (Reason.UNFINISHED_STREAM,))


def test_short_output_is_a_failure_however_its_end_is_called() -> None:
    for basis in ("none", "exact_usage_len", "done_marker"):
        short = incumbent(tokens=1023, completion_basis=basis)
        assert outcome(capture(short, newcomer())).reasons == (Reason.SHORT_OUTPUT,)
