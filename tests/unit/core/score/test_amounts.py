# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a filled slot is any of them
"""Unequal amounts of output: of which streams, of which slots, and of which role."""

from typing import Any

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.amounts import amounts_differ
from app.core.score.observe import Evidence, evidence_of
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.capture import Stream
from tests import facts
from tests.documents import document, streams_cell
from tests.scores import COMPLETE, OTHER_IMAGE

OF = document()
A, B = (next(each for each in plan(OF) if each.arm == arm) for arm in ("A", "B"))


def slot(planned: Any, *streams: Stream, filled: Any = COMPLETE) -> Evidence:
    held = (*filled[:3], (facts.capture(*streams),))
    return evidence_of(OF, ScoredSlot(planned, *held))


def both(tokens: int | None, **changes: Any) -> tuple[Stream, Stream]:
    if tokens is None:
        return facts.incumbent(), facts.newcomer(usage=None, **changes)
    return facts.incumbent(), facts.newcomer(tokens=tokens, **changes)


def test_protocol_of_these_tests_locks_the_amount_of_one_role_only() -> None:
    assert [each.exact_output for each in streams_cell(OF).streams] == [True, False]


def test_unequal_amounts_of_one_lane_differ_and_equal_ones_do_not() -> None:
    assert amounts_differ([slot(A, *both(2)), slot(B, *both(3))], "newcomer")
    assert amounts_differ([slot(A, *both(2)), slot(B, *both(3))], "any")
    assert not amounts_differ([slot(A, *both(2)), slot(B, *both(2))], "any")
    assert amounts_differ([slot(A, *both(2)), slot(B, *both(None))], "newcomer")


def test_amounts_of_another_role_or_of_a_locked_one_say_nothing() -> None:
    assert not amounts_differ([slot(A, *both(2)), slot(B, *both(3))], "incumbent")
    short = facts.incumbent(tokens=1000), facts.newcomer()
    assert not amounts_differ([slot(A, *both(2)), slot(B, *short)], "incumbent")


def test_amounts_of_slots_that_cannot_be_scored_say_nothing() -> None:
    unscored = slot(B, *both(3), filled=OTHER_IMAGE)
    assert Reason.IMAGE_MISMATCH in unscored.slot.reasons
    assert not amounts_differ([slot(A, *both(2)), unscored], "newcomer")


def test_amounts_of_streams_that_did_not_finish_say_nothing() -> None:
    unfinished = facts.incumbent(), facts.starved_newcomer(error_class="connection_reset")
    assert not amounts_differ([slot(A, *both(2)), slot(B, *unfinished)], "newcomer")


def test_amounts_of_other_repetitions_and_lanes_need_not_be_equal() -> None:
    twice = [each for each in plan(document(repetitions=2)) if each.arm == "A"]
    assert not amounts_differ([slot(one, *both(n)) for n, one in enumerate(twice, 2)], "any")
    assert amounts_differ([slot(one, *both(n)) for n, one in enumerate((A, A), 2)], "any")
