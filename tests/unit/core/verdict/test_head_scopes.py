# SPDX-License-Identifier: Apache-2.0
"""What several studies say together about one scope of a head."""

import itertools

import pytest

from app.core.identity import Scope
from app.core.statement.verdict import State
from app.core.verdict.head_scopes import required_states, scope_states, severity_of
from app.core.verdict.policies import Requirement
from tests.unit.core.verdict.make import OTHER, P1, P2
from tests.unit.core.verdict.make_records import record

SEVERITY: tuple[State, ...] = ("FAIL", "INVALID", "NOT_RUN", "INCONCLUSIVE", "PASS")
LIVE = "live_correctness"
DEMAND = (Requirement(Scope.LIVE_CORRECTNESS, frozenset({P1})),)


def said(state: str) -> tuple[tuple[str, str, str], ...]:
    return ((LIVE, state, f"WHY_{state}"),)


@pytest.mark.parametrize("pair", list(itertools.product(SEVERITY, SEVERITY)))
def test_the_worst_of_two_counting_studies_wins(pair: tuple[State, State]) -> None:
    studies = [record(n, said(state)) for n, state in enumerate(pair, start=1)]
    (found,) = required_states(DEMAND, studies)
    worst = min(pair, key=SEVERITY.index)
    assert (found.state, found.reason) == (worst, f"WHY_{worst}")
    assert found.studies == [study.study for study in studies]


def test_without_any_study_a_required_scope_is_not_run() -> None:
    (found,) = required_states(DEMAND, [])
    assert (found.state, found.reason, found.studies) == ("NOT_RUN", "NO_STUDY", [])
    assert found.protocols == [P1]


def test_a_study_under_a_protocol_the_policy_does_not_list_cannot_satisfy_a_scope() -> None:
    (found,) = required_states(DEMAND, [record(1, said("PASS"), protocol=P2)])
    assert (found.state, found.reason) == ("NOT_RUN", "NO_STUDY")


def test_a_study_under_a_protocol_the_policy_does_not_list_still_lowers_a_scope() -> None:
    studies = [record(1, said("PASS")), record(2, said("FAIL"), protocol=P2)]
    (found,) = required_states(DEMAND, studies)
    assert found.state == "FAIL"


def test_each_demand_needs_a_study_of_its_own_protocols() -> None:
    both = (*DEMAND, Requirement(Scope.LIVE_CORRECTNESS, frozenset({P2})))
    (found,) = required_states(both, [record(1, said("PASS"))])
    assert (found.state, found.reason, found.protocols) == ("NOT_RUN", "NO_STUDY", [P1, P2])
    (met,) = required_states(both, [record(1, said("PASS")), record(2, said("PASS"), protocol=P2)])
    assert met.state == "PASS"


@pytest.mark.parametrize("state", ["PASS", "FAIL"])
@pytest.mark.parametrize("tested", [OTHER, None])
def test_l31_a_study_of_another_commit_says_nothing_about_this_head(
    state: str, tested: str | None
) -> None:
    (found,) = required_states(DEMAND, [record(1, said(state), tested=tested)])
    assert (found.state, found.reason) == ("NOT_RUN", "OTHER_COMMIT")


def test_an_exploratory_study_enters_nothing() -> None:
    study = record(1, said("PASS"), counting="exploratory")
    (found,) = required_states(DEMAND, [study])
    assert found.reason == "NO_STUDY"
    assert scope_states([study]) == []


def test_a_replay_enters_the_display() -> None:
    (found,) = required_states(DEMAND, [record(1, said("PASS"), counting="replay")])
    assert found.state == "PASS"


def test_a_void_study_is_shown_only_where_no_other_speaks() -> None:
    void = record(1, said("INVALID"), counting="void")
    (alone,) = required_states(DEMAND, [void])
    assert alone.state == "INVALID"
    (beside,) = required_states(DEMAND, [void, record(2, said("PASS"))])
    assert (beside.state, beside.studies) == ("PASS", [f"{2:064x}"])


def test_scopes_are_never_merged_and_stand_in_their_fixed_order() -> None:
    study = record(1, (("performance", "FAIL", "GATE_FAILED"), ("cpu", "PASS", "ALL_GATES_PASS")))
    found = scope_states([study])
    assert [(s.scope, s.state) for s in found] == [("cpu", "PASS"), ("performance", "FAIL")]


def test_a_scope_counts_the_studies_behind_it() -> None:
    (found,) = scope_states([record(1, said("PASS")), record(2, said("FAIL"))])
    assert (found.counts.PASS, found.counts.FAIL, found.state) == (1, 1, "FAIL")


def test_failing_is_the_worst() -> None:
    assert severity_of("FAIL") < severity_of("INVALID") < severity_of("NOT_RUN")
    assert severity_of("NOT_RUN") < severity_of("INCONCLUSIVE") < severity_of("PASS")
