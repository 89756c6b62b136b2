# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""Arms of which the answer is known: a pass stands only where the bad one is seen to fail."""

from typing import Any

import pytest

from app.core.protocol.plan import plan
from app.core.score.judge import ScoredSlot, judge_study
from tests import contended, documents
from tests.claims import times
from tests.documents import completeness_gate
from tests.gates import bound, gate
from tests.judged import ARMS, FAST, SLOW
from tests.scores import MISSING, only, protocol, said


def assay_study(shown: Any, *, kind: Any = None, candidate: Any = None) -> Any:
    limit: Any = {"comparison": {"kind": "absolute", "op": "<=", "limit": "9000000"}}
    gates = [
        bound(**limit),
        bound(**limit, arm="P", id="bound-p", expect="FAIL"),
        completeness_gate("B", 12),
        gate("assay", "P", role="validity", expect="FAIL"),
    ]
    of = protocol(*(kind or gates), repetitions=6, arms=("A", "B", "A2", "P"))
    return times(of, {**ARMS, "P": shown, **({} if candidate is None else {"B": candidate})})


@pytest.fixture(autouse=True)
def values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(documents.VALUES, "P", "none")


def test_known_bad_arm_that_fails_lets_a_pass_stand() -> None:
    score = assay_study(SLOW)
    assert said(only(score, "assay-p")) == ("PASS", "ASSAY_SENSITIVE")
    assert said(only(score, "bound-b")) == ("PASS", "BOUND_HELD")


def test_known_bad_arm_that_passes_takes_the_pass_away_and_leaves_a_fail() -> None:
    score = assay_study(FAST)
    assert said(only(score, "assay-p")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "bound-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "complete-b")) == ("PASS", "BOUND_HELD")
    assert said(only(assay_study(FAST, candidate=SLOW), "bound-b")) == ("FAIL", "BOUND_VIOLATED")


def test_assay_that_looks_at_nothing_takes_every_pass_away() -> None:
    alone = [completeness_gate("B", 12), gate("assay", "P", role="validity", expect="FAIL")]
    score = assay_study(SLOW, kind=alone)
    assert said(only(score, "complete-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_control_expected_to_pass_may() -> None:
    gates = [bound(), bound(arm="P", id="p", expect="PASS")]
    gates += [gate("assay", "P", role="validity", expect="PASS")]
    assert said(only(assay_study(FAST, kind=gates), "assay-p")) == ("PASS", "ASSAY_SENSITIVE")


def test_known_bad_arm_whose_validity_is_broken_shows_nothing() -> None:
    limit: Any = {"comparison": {"kind": "absolute", "op": "<=", "limit": "9000000"}}
    gates = [
        bound(**limit),
        bound(**limit, arm="P", id="bound-p", expect="FAIL"),
        bound(**limit, arm="P", id="broken", role="validity"),
        gate("assay", "P", role="validity", expect="FAIL"),
    ]
    score = assay_study(SLOW, kind=gates)
    assert said(only(score, "assay-p")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")


def test_second_assay_that_shows_nothing_takes_the_pass_away_that_the_first_left() -> None:
    limit: Any = {"comparison": {"kind": "absolute", "op": "<=", "limit": "9000000"}}
    gates = [
        gate("assay", "P", role="validity", expect="FAIL"),
        gate("assay", "A2", role="validity", expect="FAIL"),
        bound(**limit),
        bound(**limit, arm="P", id="bound-p", expect="FAIL"),
        bound(**limit, arm="A2", id="bound-a2", expect="FAIL"),
    ]
    score = assay_study(SLOW, kind=gates)
    assert said(only(score, "assay-p")) == ("PASS", "ASSAY_SENSITIVE")
    assert said(only(score, "assay-a2")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "bound-b")) == ("INCONCLUSIVE", "NO_ASSAY_SENSITIVITY")
    assert said(only(score, "bound-a2")) == ("PASS", "BOUND_HELD")


def test_accounts_that_do_not_close_say_so_of_each_gate_with_the_slots_of_its_own_arm() -> None:
    gates = (contended.envelope(), contended.contention())
    of = contended.protocol(*gates, lanes=2, repetitions=2)
    slots = [ScoredSlot(each, *MISSING) for each in plan(of)]
    for name, arm in (("envelope-b", "B"), ("contends-a", "A")):
        judgement = only(judge_study(of, slots[:-1]), name)
        assert said(judgement) == ("INVALID", "LEDGER_UNBALANCED")
        assert [each.slot for each in judgement.observations] == [f"{arm}/C4/1", f"{arm}/C4/2"]
