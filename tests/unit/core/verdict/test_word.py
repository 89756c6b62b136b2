# SPDX-License-Identifier: Apache-2.0
"""The order in which reasons decide, one by one and together."""

from collections.abc import Sequence
from dataclasses import replace

from app.core.identity import Scope
from app.core.statement.verdict import Base, StudyRecord
from app.core.verdict.counting import MovedGates
from app.core.verdict.head_scopes import required_states
from app.core.verdict.policies import Requirement
from app.core.verdict.word import Grounds, reasons_for, word_for
from tests.unit.core.verdict.make import OTHER, P1, P2
from tests.unit.core.verdict.make_records import record

LIVE = "live_correctness"
PASSES = ((LIVE, "PASS", "ALL_GATES_PASS"),)
FAILS = ((LIVE, "FAIL", "GATE_FAILED"),)
INCONCLUSIVE = ((LIVE, "INCONCLUSIVE", "GATE_INCONCLUSIVE"),)
UNTRACKED = Base(commit=None, tracked_branch=None, tip=None, state="NOT_TRACKED")
DEMANDS = (Requirement(Scope.LIVE_CORRECTNESS, frozenset({P1, P2})),)


def grounds(*studies: StudyRecord, demands: Sequence[Requirement] = DEMANDS) -> Grounds:
    return Grounds(
        unknown=(),
        has_policy=True,
        required=required_states(demands, studies),
        studies=studies,
        masked=frozenset(),
        moved=(),
        base=UNTRACKED,
    )


def read(found: Grounds) -> tuple[str, list[str]]:
    reasons = reasons_for(found)
    return word_for(reasons), [reason.code for reason in reasons]


def test_a_head_whose_required_scopes_pass_is_qualified() -> None:
    assert read(grounds(record(1, PASSES))) == ("QUALIFIED", ["ALL_SCOPES_PASS"])


def test_a_required_scope_that_fails_is_not_qualified() -> None:
    found = grounds(record(1, FAILS))
    assert read(found) == ("NOT_QUALIFIED", ["SCOPE_FAILED"])
    (reason,) = reasons_for(found)
    assert (reason.scope, reason.study) == (LIVE, f"{1:064x}")


def test_l02_a_pass_after_a_fail_lifts_nothing_and_conflicts() -> None:
    found = grounds(record(1, FAILS), record(2, PASSES))
    assert read(found) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "CONFLICTING"])
    failed, conflicting = reasons_for(found)
    assert (failed.study, conflicting.study) == (f"{1:064x}", f"{2:064x}")


def test_l02_a_fail_after_a_pass_is_the_same() -> None:
    found = grounds(record(1, PASSES), record(2, FAILS))
    assert read(found) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "CONFLICTING"])


def test_a_fail_under_a_protocol_the_policy_does_not_list_counts() -> None:
    found = grounds(record(1, PASSES), record(2, FAILS, protocol="7" * 64))
    assert read(found)[0] == "NOT_QUALIFIED"


def test_a_fail_in_a_scope_the_claim_does_not_require_leaves_the_claim_alone() -> None:
    other = record(1, (*PASSES, ("performance", "FAIL", "GATE_FAILED")))
    assert read(grounds(other)) == ("QUALIFIED", ["ALL_SCOPES_PASS"])


def test_l31_a_fail_of_another_commit_is_not_this_heads_fail() -> None:
    found = grounds(record(1, FAILS, tested=OTHER))
    assert read(found) == ("HOLD", ["SCOPE_NOT_PASS"])


def test_a_replays_fail_holds_and_is_not_counted() -> None:
    found = grounds(record(1, FAILS, counting="replay"))
    assert read(found) == ("HOLD", ["REPLAY", "SCOPE_NOT_PASS"])


def test_a_replay_that_passes_is_held_as_a_replay_only() -> None:
    assert read(grounds(record(1, PASSES, counting="replay"))) == ("HOLD", ["REPLAY"])


def test_a_replays_pass_conflicts_with_nothing() -> None:
    found = grounds(record(1, FAILS), record(2, PASSES, counting="replay"))
    assert read(found) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "REPLAY"])


def test_a_masked_fail_conflicts_with_a_later_pass() -> None:
    studies = (record(1, INCONCLUSIVE), record(2, PASSES))
    masked = frozenset({(studies[0].study, Scope.LIVE_CORRECTNESS)})
    found = replace(grounds(*studies), masked=masked)
    assert read(found) == ("HOLD", ["CONFLICTING", "SCOPE_NOT_PASS"])
    assert reasons_for(found)[0].study == studies[1].study


def test_a_masked_fail_does_not_conflict_with_an_earlier_pass() -> None:
    studies = (record(1, PASSES), record(2, INCONCLUSIVE))
    masked = frozenset({(studies[1].study, Scope.LIVE_CORRECTNESS)})
    assert read(replace(grounds(*studies), masked=masked)) == ("HOLD", ["SCOPE_NOT_PASS"])


def test_a_masked_fail_of_another_scope_conflicts_with_nothing() -> None:
    studies = (record(1, INCONCLUSIVE), record(2, PASSES))
    masked = frozenset({(studies[0].study, Scope.PERFORMANCE)})
    assert read(replace(grounds(*studies), masked=masked)) == ("HOLD", ["SCOPE_NOT_PASS"])


def test_l30_an_unknown_statement_decides_before_everything_else() -> None:
    found = replace(grounds(record(1, FAILS)), unknown=(12,))
    assert read(found) == ("HOLD", ["UNKNOWN_STATEMENT", "SCOPE_FAILED"])
    assert reasons_for(found)[0].entry == 12


def test_no_policy_holds_whatever_the_studies_say() -> None:
    found = replace(grounds(record(1, FAILS), demands=()), has_policy=False)
    assert read(found) == ("HOLD", ["NO_POLICY"])


def test_a_study_that_is_not_closed_holds() -> None:
    sealed = ((LIVE, "NOT_RUN", "STUDY_OPEN"),)
    found = grounds(record(1, PASSES), record(2, sealed, phase="OPEN", measured=None))
    assert read(found) == ("HOLD", ["OPEN_STUDY", "SCOPE_NOT_PASS"])
    draining = grounds(record(1, PASSES), record(2, sealed, phase="DRAINING", measured=None))
    assert read(draining)[1][0] == "OPEN_STUDY"


def test_an_open_study_of_another_scope_holds_too() -> None:
    other = record(2, (("cpu", "NOT_RUN", "STUDY_OPEN"),), phase="OPEN", measured=None)
    assert read(grounds(record(1, PASSES), other)) == ("HOLD", ["OPEN_STUDY"])


def test_an_open_exploratory_study_holds_nothing() -> None:
    looking = record(2, PASSES, phase="OPEN", counting="exploratory")
    assert read(grounds(record(1, PASSES), looking))[0] == "QUALIFIED"


def test_an_open_study_does_not_hide_a_fail() -> None:
    sealed = ((LIVE, "NOT_RUN", "STUDY_OPEN"),)
    found = grounds(record(1, FAILS), record(2, sealed, phase="OPEN", measured=None))
    assert read(found) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "OPEN_STUDY"])


def test_l27_moved_gates_hold_a_head_that_would_pass() -> None:
    study = record(2, PASSES)
    found = replace(grounds(record(1, PASSES), study), moved=(MovedGates(study.study, 50),))
    assert read(found) == ("HOLD", ["GATES_MOVED_AFTER_RESULT"])
    (reason,) = reasons_for(found)
    assert (reason.study, reason.entry) == (study.study, 50)


def test_a_tracked_branch_without_a_known_tip_holds() -> None:
    base = Base(commit=OTHER, tracked_branch="main", tip=None, state="UNKNOWN")
    found = replace(grounds(record(1, PASSES)), base=base)
    assert read(found) == ("HOLD", ["BASE_NOT_TRACKED"])


def test_scopes_that_do_not_pass_are_named_worst_first() -> None:
    demands = (
        Requirement(Scope.CPU, frozenset({P1})),
        Requirement(Scope.LIVE_CORRECTNESS, frozenset({P1})),
        Requirement(Scope.PERFORMANCE, frozenset({P1})),
    )
    states = (
        ("cpu", "INCONCLUSIVE", "GATE_INCONCLUSIVE"),
        (LIVE, "PASS", "ALL_GATES_PASS"),
        ("performance", "INVALID", "GATE_INVALID"),
    )
    reasons = reasons_for(grounds(record(1, states), demands=demands))
    assert [(r.code, r.scope) for r in reasons] == [
        ("SCOPE_NOT_PASS", "performance"),
        ("SCOPE_NOT_PASS", "cpu"),
    ]


def test_every_reason_that_applies_is_listed_in_the_fixed_order() -> None:
    sealed = ((LIVE, "NOT_RUN", "STUDY_OPEN"),)
    studies = (
        record(1, FAILS),
        record(2, PASSES),
        record(3, sealed, phase="OPEN", measured=None),
        record(4, PASSES, counting="replay"),
    )
    demands = (*DEMANDS, Requirement(Scope.CPU, frozenset({P1})))
    found = replace(
        grounds(*studies, demands=demands),
        unknown=(7,),
        has_policy=False,
        moved=(MovedGates(studies[1].study, 50),),
        base=Base(commit=None, tracked_branch="main", tip=None, state="UNKNOWN"),
    )
    assert read(found)[1] == [
        "UNKNOWN_STATEMENT",
        "NO_POLICY",
        "SCOPE_FAILED",
        "CONFLICTING",
        "OPEN_STUDY",
        "GATES_MOVED_AFTER_RESULT",
        "BASE_NOT_TRACKED",
        "REPLAY",
        "SCOPE_NOT_PASS",
    ]
