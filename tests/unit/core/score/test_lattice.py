# SPDX-License-Identifier: Apache-2.0
"""States together, and the accounts of a study."""

from fractions import Fraction

from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.balance import Accounts, accounts_of
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY, finite
from app.core.score.judge import ScoredSlot
from app.core.score.lattice import (
    combine,
    combined_reason,
    count_vector,
    enters,
    from_control,
    together,
)
from app.core.score.number import number_text
from app.core.score.retries import retry_caps
from app.core.score.state import State
from app.core.statement.judgement import StateCount
from tests.documents import CELL, document


def test_reason_of_several_gates_is_the_one_they_share() -> None:
    masked = (State.INCONCLUSIVE, Reason.FAIL_MASKED)
    assert together([(State.PASS, Reason.BOUND_HELD), masked, masked]) == masked
    other = (State.INCONCLUSIVE, Reason.INSUFFICIENT_N)
    assert together([masked, other]) == (State.INCONCLUSIVE, Reason.GATE_INCONCLUSIVE)
    assert together([(State.PASS, Reason.BOUND_HELD)]) == (State.PASS, Reason.ALL_GATES_PASS)
    assert combined_reason(State.FAIL, []) is Reason.GATE_FAILED


def test_nothing_together_is_not_run_in_every_mode() -> None:
    assert {combine([]), combine([], mode="any"), combine([], mode="k_of_n", k=2)} == {
        State.NOT_RUN
    }
    assert combine([State.PASS, State.PASS], mode="k_of_n", k=3) is State.FAIL
    assert combine([State.PASS, State.FAIL], mode="any") is State.PASS
    assert combine([State.PASS, State.FAIL], mode="any", k=2) is State.PASS
    assert combine([State.PASS, State.FAIL, State.INCONCLUSIVE], mode="k_of_n", k=2) is (
        State.INCONCLUSIVE
    )


def test_validity_and_exploration_never_enter() -> None:
    assert [enters(role) for role in ("primary", "secondary", "integrity")] == [True] * 3
    assert not enters("validity")
    assert not enters("exploratory")


def test_control_enters_with_what_could_not_be_scored_only() -> None:
    entering = [state for state in State if from_control(state) is not None]
    assert entering == [State.INVALID, State.NOT_RUN]


def test_count_vector_counts_every_state() -> None:
    vector = count_vector([State.FAIL, State.PASS, State.PASS])
    assert vector == StateCount(PASS=2, FAIL=1, INCONCLUSIVE=0, INVALID=0, NOT_RUN=0)
    vector = count_vector([State.NOT_RUN, *[State.INCONCLUSIVE] * 2])
    assert vector == StateCount(PASS=0, FAIL=0, INCONCLUSIVE=2, INVALID=0, NOT_RUN=1)


def slots(*states: str, retried: tuple[int, ...] = ()) -> list[ScoredSlot]:
    return [
        ScoredSlot(planned, state, None, (), (), retried=index in retried)  # type: ignore[arg-type]  # states
        for index, (planned, state) in enumerate(
            zip(plan(document(repetitions=2)), states, strict=False)
        )
    ]


STATES = ("COMPLETE", "PARTIAL", "FAILED", "INVALID", "WARMUP_FAILED", "MISSING")


def test_planned_slots_are_the_sum_of_their_states() -> None:
    accounts = accounts_of(plan(document(repetitions=2)), slots(*STATES))
    assert accounts == Accounts(6, 1, 5, 1, 4, 1, 1, 1, 1)
    assert accounts.balanced
    assert accounts.broken is None
    assert (accounts.denominator, accounts.fully_observed, accounts.bounded_or_unknown) == (6, 1, 5)


def test_slot_left_out_or_counted_twice_unbalances_the_ledger() -> None:
    planned = plan(document(repetitions=2))
    all_of_them = slots(*STATES)
    for wrong in (all_of_them[:-1], [*all_of_them, all_of_them[0]]):
        accounts = accounts_of(planned, wrong)
        assert not accounts.balanced
        assert accounts.broken == (State.INVALID, Reason.LEDGER_UNBALANCED)
    unplanned = accounts_of(planned[:-1], all_of_them)
    assert not unplanned.balanced


def test_each_sum_of_the_accounts_must_close() -> None:
    good = {
        "planned": 6,
        "not_started": 1,
        "started": 5,
        "warmup_failed": 1,
        "measured": 4,
        "complete": 1,
        "partial": 1,
        "failed": 1,
        "invalid": 1,
    }
    assert Accounts(**good).balanced
    for name, count in good.items():
        assert not Accounts(**(good | {name: count + 1})).balanced


def test_retries_cap_when_unequal_between_arms_or_more_than_one_in_five() -> None:
    complete = ("COMPLETE",) * 6
    assert retry_caps(slots(*complete)) == set()
    assert retry_caps(slots(*complete, retried=(0,))) == {CELL}
    assert retry_caps(slots(*complete, retried=(0, 2, 4))) == {CELL}


def test_number_is_a_decimal_a_fraction_or_infinite() -> None:
    texts = ("0", "-0.2", "12.5", "1000000", "-3")
    assert tuple(number_text(finite(Fraction(each))) for each in texts) == texts
    assert number_text(finite(Fraction(1, 3))) == "1/3"
    assert (number_text(INFINITY), number_text(NEGATIVE_INFINITY)) == ("inf", "-inf")
