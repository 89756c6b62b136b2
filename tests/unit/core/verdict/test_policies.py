# SPDX-License-Identifier: Apache-2.0
"""Which policies speak about a head, and what they demand together."""

from app.core.identity import Scope
from app.core.verdict.policies import (
    Requirement,
    claim_in,
    claims_named,
    demands_of,
    policies_about,
    tracked_branch,
)
from tests.unit.core.verdict.make import P1, P2, claim, policy, standing, study


def test_without_a_study_only_the_policy_in_force_speaks() -> None:
    old, new = policy(claim("land"), index=1), policy(claim("land"), index=5)
    here = standing(policies=[old, new])
    assert here.head is not None
    assert policies_about(here.repository, here.head) == (new,)


def test_with_a_study_the_policy_in_force_at_its_opening_and_all_later_ones_speak() -> None:
    first, second = policy(claim("land"), index=1), policy(claim("land"), index=5)
    third = policy(claim("land"), index=20)
    here = standing(study(index=10), policies=[first, second, third])
    assert here.head is not None
    assert policies_about(here.repository, here.head) == (second, third)


def test_a_policy_that_came_after_the_first_study_still_speaks() -> None:
    late = policy(claim("land"), index=20)
    here = standing(study(index=10), policies=[late])
    assert here.head is not None
    assert policies_about(here.repository, here.head) == (late,)


def test_no_policy_speaks_where_there_is_none() -> None:
    here = standing(study())
    assert here.head is not None
    assert policies_about(here.repository, here.head) == ()
    assert claims_named(()) == ()
    assert tracked_branch(()) is None
    assert claim_in((), None) is None


def test_claims_of_the_newest_policy_come_first_and_dropped_ones_stay() -> None:
    policies = (policy(claim("land"), claim("old")), policy(claim("new"), claim("land"), index=2))
    assert claims_named(policies) == ("new", "land", "old")


def test_the_newest_policy_that_names_a_claim_puts_its_question() -> None:
    old = policy(claim("land", ("cpu", [P1])))
    new = policy(claim("land", ("boot", [P1])), index=2)
    found = claim_in((old, new), "land")
    assert found is not None
    assert found.required[0].scope is Scope.BOOT


def test_l28_a_scope_that_a_later_policy_drops_is_still_demanded() -> None:
    old = policy(claim("land", ("live_correctness", [P1]), ("performance", [P2])))
    new = policy(claim("land", ("live_correctness", [P1])), index=2)
    assert demands_of((old, new), "land") == (
        Requirement(Scope.LIVE_CORRECTNESS, frozenset({P1})),
        Requirement(Scope.PERFORMANCE, frozenset({P2})),
    )


def test_each_policy_demands_its_own_protocols_for_a_scope() -> None:
    old = policy(claim("land", ("cpu", [P1])))
    new = policy(claim("land", ("cpu", [P2])), index=2)
    assert demands_of((old, new), "land") == (
        Requirement(Scope.CPU, frozenset({P1})),
        Requirement(Scope.CPU, frozenset({P2})),
    )


def test_a_policy_that_stops_tracking_does_not_release_the_head() -> None:
    old, new = policy(claim(), branch="main"), policy(claim(), index=2)
    assert tracked_branch((old, new)) == "main"
    assert tracked_branch((old, policy(claim(), branch="next"))) == "next"
    assert tracked_branch((new,)) is None
