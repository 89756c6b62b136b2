# SPDX-License-Identifier: Apache-2.0
"""Whole verdicts: from statements on three lines to the word of one exact head."""

import pytest
from msgspec.structs import replace

from app.core.admission.state import Standing
from app.core.errors import UnknownThing
from app.core.identity import instant_of
from app.core.statement.study import Head, Replay
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.fold import (
    captures_needed,
    claims_of,
    give_verdicts,
    verdict_bytes,
)
from tests import documents, facts
from tests.documents import DAY_US
from tests.factories import HEAD, REPOSITORY, Maker, Story, begun
from tests.unit.core.verdict.tales import (
    A,
    B,
    append_verdicts,
    codes,
    end,
    run_study,
    word,
    words,
)

LIVE = "live_correctness"


def required(document: VerdictDocument) -> list[tuple[str, str, str]]:
    return [(one.scope, one.state, one.reason) for one in document.required]


def test_a_head_without_a_study_is_held_and_a_runner_is_asked() -> None:
    document = word(begun())
    assert (document.word, codes(document)) == ("HOLD", ["SCOPE_NOT_PASS"])
    assert required(document) == [(LIVE, "NOT_RUN", "NO_STUDY")]
    assert (document.next_action.role, document.next_action.person) == ("runner", None)
    assert (document.attempt.k, document.attempt.n) == (0, 0)
    assert (document.change, document.base.commit, document.studies) == (None, None, [])


def test_a_head_without_a_policy_is_held_under_no_claim() -> None:
    story = begun(policy=False)
    run_study(story)
    assert claims_of(story.standing()) == (None,)
    document = word(story, None)
    assert (document.word, codes(document)) == ("HOLD", ["NO_POLICY"])
    assert (document.claim, document.question, document.policy) == (None, None, None)


def test_a_study_that_passes_qualifies_exactly_this_head() -> None:
    story = begun()
    run_study(story)
    document = word(story)
    assert (document.word, codes(document)) == ("QUALIFIED", ["ALL_SCOPES_PASS"])
    assert required(document) == [(LIVE, "PASS", "ALL_GATES_PASS")]
    assert (document.repository, document.head, document.claim) == (REPOSITORY, HEAD, "land")
    assert document.question == "May the source land with defaults unchanged?"
    assert document.policy == story.standing().repository.policies[-1].digest
    assert (document.change, document.base.commit) == ("180", documents.commit("base"))
    assert document.base.state == "NOT_TRACKED"
    assert (document.attempt.k, document.attempt.n) == (1, 1)
    assert document.next_action.role == "reviewer"
    assert document.author_action_now == "none"
    (study,) = document.studies
    assert (study.state, study.sealed, study.counting, study.measured) == (
        "CLOSED",
        False,
        "counts",
        3,
    )
    assert (study.tested, study.tests_head) == (HEAD, True)
    assert study.flow.complete == study.flow.planned == 3
    assert [(one.arm, one.flow.complete) for one in study.flows] == [("A", 1), ("B", 1), ("A2", 1)]
    assert document.conflicting is False


def test_as_of_counts_the_three_lines() -> None:
    story = begun()
    run_study(story)
    as_of, standing = word(story).as_of, story.standing()
    assert standing.head is not None
    assert (as_of.ledger, as_of.repository, as_of.head) == (
        standing.ledger.length,
        standing.repository.length,
        standing.head.length,
    )
    assert as_of.log_time == instant_of(story.now_us)


def test_a_replay_is_shown_in_full_and_held() -> None:
    story = begun()
    replay = Replay(source="a public thread", not_published=["head.tree"])
    run_study(story, replay=replay, head=Head(commit=HEAD, tree=None))
    document = word(story)
    assert (document.word, codes(document)) == ("HOLD", ["REPLAY"])
    assert required(document) == [(LIVE, "PASS", "ALL_GATES_PASS")]
    assert document.studies[0].not_published == ["head.tree"]


def test_an_exploratory_study_is_shown_and_never_counted() -> None:
    story = begun()
    run_study(story, {B: facts.starved()}, exploratory=True)
    document = word(story)
    assert required(document) == [(LIVE, "NOT_RUN", "NO_STUDY")]
    assert document.studies[0].scopes[0].state == "FAIL"


def test_an_open_study_is_sealed_and_holds() -> None:
    story = begun()
    story.open()
    story.reserve(A, B)
    story.push(A, facts.starved())
    document = word(story)
    assert codes(document) == ["OPEN_STUDY", "SCOPE_NOT_PASS"]
    (study,) = document.studies
    assert (study.state, study.sealed, study.measured) == ("OPEN", True, None)
    assert (study.judgements, study.flags) == ([], [])
    assert [(one.state, one.reason) for one in study.scopes] == [("NOT_RUN", "STUDY_OPEN")]
    slot = next(one for one in study.slots if one.slot == A)
    assert (slot.state, slot.fault, slot.reasons) == ("FAILED", None, [])
    assert (slot.attempts[0].state, slot.attempts[0].reasons) == ("FAILED", [])
    assert captures_needed(story.standing(), story.now_us) == ()


def test_a_draining_study_is_not_closed() -> None:
    story = begun()
    story.open()
    story.reserve(A)
    story.end()
    document = word(story)
    assert (document.studies[0].state, codes(document)[0]) == ("DRAINING", "OPEN_STUDY")


def test_time_that_passes_elsewhere_changes_no_byte() -> None:
    story = begun()
    run_study(story)
    assert verdict_bytes(word(story)) == verdict_bytes(word(story, after_us=99 * DAY_US))


def test_statements_on_other_heads_change_no_byte() -> None:
    story = begun()
    run_study(story)
    before = verdict_bytes(word(story))
    other = Story(
        make=Maker(genesis_digest=story.make.genesis_digest, head=documents.commit("next head")),
        now_us=story.now_us,
        steps=story.steps,
        ledger=story.ledger,
        repositories=story.repositories,
        heads=story.heads,
        roots=story.roots,
        frontier=story.frontier,
        document=story.document,
    )
    run_study(other, {B: facts.starved()})
    story.now_us = other.now_us
    assert verdict_bytes(word(story)) == before
    assert word(other).word == "NOT_QUALIFIED"


def test_a_policy_that_tracks_a_branch_holds_until_its_tip_is_known() -> None:
    story = begun(policy=False)
    story.policy(tracked_branch="main")
    run_study(story)
    document = word(story)
    assert (document.word, codes(document)) == ("HOLD", ["BASE_NOT_TRACKED"])
    assert (document.base.tracked_branch, document.base.tip) == ("main", None)
    assert document.base.state == "UNKNOWN"


def test_the_verdicts_of_all_claims_are_the_verdicts_of_each() -> None:
    story = begun(policy=False)
    story.policy(claims=["land", "default-chunk0"])
    run_study(story)
    found = words(story)
    assert list(found) == ["land", "default-chunk0"]
    assert all(verdict_bytes(word(story, claim)) == verdict_bytes(found[claim]) for claim in found)


def test_appended_verdicts_lengthen_the_line_and_leave_the_word() -> None:
    story = begun()
    run_study(story)
    before = word(story)
    append_verdicts(story)
    after = word(story)
    assert (before.word, before.studies) == (after.word, after.studies)
    assert after.as_of.head == before.as_of.head + 1


def test_a_claim_that_no_policy_names_is_unknown() -> None:
    with pytest.raises(UnknownThing) as caught:
        word(begun(), "conquer")
    assert caught.value.code == "unknown-claim"
    with pytest.raises(UnknownThing):
        word(begun(), None)


def test_without_a_head_there_is_no_verdict() -> None:
    story = begun()
    wide: Standing = replace(story.standing(), head=None)
    with pytest.raises(UnknownThing) as caught:
        give_verdicts(wide, log_time_us=story.now_us, captures=story.captures.__getitem__)
    assert caught.value.code == "unknown-head"


def test_exactly_the_scored_captures_of_closed_studies_are_needed() -> None:
    story = begun()
    run_study(story)
    needed = captures_needed(story.standing(), story.now_us)
    assert set(needed) == set(story.captures)
    assert len(needed) == 3


def test_a_masked_fail_is_conflicting_with_a_later_pass() -> None:
    story = begun(documents.document(repetitions=2))
    run_study(story, {B: facts.starved()}, skip=["B/C2-canary/2"])
    end(story)
    run_study(story)
    document = word(story)
    assert document.word != "QUALIFIED"
    assert document.conflicting is True


def test_a_second_candidate_that_is_not_the_head_is_the_one_tested() -> None:
    story = begun(documents.document(arms=("A", "B", "C", "A2")))
    other = documents.commit("other")
    arms = {arm: facts.pin(arm, head=HEAD) for arm in ("A", "B", "A2")}
    story.open(arms={**arms, "C": facts.pin("C", head=other, relation="a sibling")})
    (study,) = word(story).studies
    assert (study.tested, study.tests_head) == (other, False)
