# SPDX-License-Identifier: Apache-2.0
"""Cases that a whole head decides, and cautions about what may count as overlap."""

from tests import documents, facts
from tests.documents import CELL
from tests.factories import HEAD, begun
from tests.scores import MISSING, Filled, only, protocol, said, study
from tests.unit.core.verdict.tales import run_study, word


def test_b13_receipt_of_another_configuration_stays_visible_and_is_not_this_one() -> None:
    story = begun()
    other = documents.commit("another configuration")
    arms = {arm: facts.pin(arm, head=other if arm == "B" else HEAD) for arm in ("A", "B", "A2")}
    run_study(story, arms=arms)
    found = word(story)
    assert found.word == "HOLD"
    assert [(one.state, one.reason) for one in found.required] == [("NOT_RUN", "OTHER_COMMIT")]
    (kept,) = found.studies
    assert (kept.tested, kept.tests_head) == (other, False)
    assert kept.measured == 3


def test_tg_stray_tool_call_is_a_wrong_answer_and_usage_stays_unknown() -> None:
    stray = facts.capture(facts.incumbent(), facts.newcomer(answer_matched=False, usage=None))
    done: Filled = ("COMPLETE", None, (), (stray,))
    judged = study(protocol(repetitions=3), {"B1": done}, rest=MISSING)
    canary = only(judged, "canary-b-0")
    assert said(canary) == ("FAIL", "WRONG_ANSWER")
    assert f"B/{CELL}/1" in {unit.slot for unit in canary.observations}


def test_caution_i_starvation_leaves_no_overlap_of_tokens_and_is_still_a_failure() -> None:
    starved: Filled = ("FAILED", "sut", (), (facts.starved(),))
    judged = study(protocol(), {"B": starved})
    assert said(only(judged, "canary-b-0")) == ("FAIL", "NOT_BEFORE")
