# SPDX-License-Identifier: Apache-2.0
"""What hides behind what when several things are wrong with one receipt."""

import pytest
from msgspec.structs import replace

from app.core.identity import instant_of
from app.core.reason import Reason
from app.core.receipt.clock import SKEW_US
from app.core.receipt.times import Times
from app.core.statement.capture import StreamsCapture
from tests.documents import commit
from tests.facts import (
    capture,
    incumbent,
    starved,
    starved_newcomer,
)
from tests.unit.core.receipt.make import (
    REPLAYED,
    STUDY,
    outcome,
    receipt,
    with_identities,
    with_topology,
)

TIMES = Times(locked_us=10_000_000_000, reserved_us=20_000_000_000, appended_us=30_000_000_000)


class TestPrecedence:
    """INVALID by identity, FAILED, WARMUP_FAILED, other INVALID, PARTIAL, COMPLETE."""

    def test_other_identity_comes_before_a_failure(self) -> None:
        found = outcome(starved(), said=with_identities(arm_commit=commit("other")))
        assert (found.state, found.fault) == ("INVALID", "identity")
        assert found.reasons == (Reason.ARM_COMMIT_MISMATCH,)
        assert found.measured

    def test_l10_other_rank_comes_before_a_failure(self) -> None:
        ranks = with_topology().topology.ranks
        mixed = [ranks[0], replace(ranks[1], commit=commit("head before"))]
        found = outcome(starved(), said=with_topology(ranks=mixed))
        assert found.reasons == (Reason.RANK_MISMATCH, Reason.ARM_COMMIT_MISMATCH)

    @pytest.mark.parametrize(
        "seen",
        [
            capture(starved_newcomer(http_status=500)),
            capture(incumbent(settled_us=1), starved_newcomer(http_status=500)),
            capture(incumbent(), starved_newcomer(http_status=500), warmup="failed"),
            capture(incumbent(error_class="timeout"), starved_newcomer(http_status=500)),
        ],
    )
    def test_failure_comes_before_trouble_of_the_harness(self, seen: StreamsCapture) -> None:
        assert outcome(seen).state == "FAILED"

    def test_failure_comes_before_a_clock_that_is_off(self) -> None:
        said = receipt(started_at=instant_of(40_000_000_000))
        assert outcome(starved(), said=said, times=TIMES).state == "FAILED"

    def test_trouble_of_the_harness_comes_before_partial(self) -> None:
        seen = capture(incumbent(settled_us=1), starved_newcomer(error_class="interrupted"))
        assert outcome(seen).state == "INVALID"


class TestClientClock:
    """L09: what a client's clock says never moves anything, but may spoil its own capture."""

    @pytest.mark.parametrize(
        ("started_us", "finished_us"),
        [(30_000_000_000 + 3_600_000_000, None), (None, 20_000_000_000 - SKEW_US - 1)],
    )
    def test_l09_future_or_back_dated_receipt_is_invalid_by_its_clock(
        self, started_us: int | None, finished_us: int | None
    ) -> None:
        said = receipt(
            started_at=None if started_us is None else instant_of(started_us),
            finished_at=None if finished_us is None else instant_of(finished_us),
        )
        found = outcome(said=said, times=TIMES)
        assert (found.state, found.reasons) == ("INVALID", (Reason.CLOCK,))
        assert outcome(said=said).state == "COMPLETE"

    def test_run_from_before_the_lock_is_invalid_before_anything_else(self) -> None:
        said = receipt(started_at=instant_of(10_000_000_000 - SKEW_US - 1))
        found = outcome(starved(), said=said, times=TIMES)
        assert (found.state, found.reasons) == ("INVALID", (Reason.ACQUIRED_BEFORE_LOCK,))

    def test_instants_of_a_replay_are_display_only(self) -> None:
        said = receipt(started_at=instant_of(1), finished_at=instant_of(0))
        replayed = replace(STUDY, replay=REPLAYED)
        assert outcome(said=said, pins=replayed, times=TIMES).state == "COMPLETE"
