# SPDX-License-Identifier: Apache-2.0
"""What somebody might try with a head, and the word it gets."""

from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.admission.apply import apply
from app.core.identity import Scope, instant_of
from app.core.log.leaf import head_line, repository_line
from app.core.protocol.parse import document_digest
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.fold import (
    claims_of,
    give_verdict,
    verdict_bytes,
)
from tests import documents, facts
from tests.documents import DAY_US
from tests.factories import HEAD, REPOSITORY, Story, begun
from tests.unit.core.verdict.tales import (
    A2,
    A,
    B,
    codes,
    end,
    fill,
    run_study,
    unknown_entry,
    word,
    words,
)

LIVE = "live_correctness"


def required(document: VerdictDocument) -> list[tuple[str, str, str]]:
    return [(one.scope, one.state, one.reason) for one in document.required]


def test_a1_a_starved_newcomer_is_not_qualified_and_the_maintainer_decides() -> None:
    story = begun()
    run_study(story, {B: facts.starved()})
    document = word(story)
    assert (document.word, codes(document)) == ("NOT_QUALIFIED", ["SCOPE_FAILED"])
    assert document.next_action.role == "maintainer"
    assert document.next_action.person is not None


def test_l02_after_fail_then_pass_the_word_stays_and_both_studies_are_named() -> None:
    story = begun()
    run_study(story, {B: facts.starved()})
    run_study(story)
    document = word(story)
    assert (document.word, codes(document)) == ("NOT_QUALIFIED", ["SCOPE_FAILED", "CONFLICTING"])
    assert document.conflicting is True
    assert (document.attempt.k, document.attempt.n) == (2, 2)
    assert [reason.study for reason in document.reasons] == [s.study for s in document.studies]
    assert [study.attempt for study in document.studies] == [1, 2]


def test_l16_zero_measured_is_neither_a_pass_nor_a_regression() -> None:
    story = begun()
    story.open()
    story.reserve(A)
    story.push(A, facts.warmup_failed(405))
    end(story)
    document = word(story)
    assert (document.word, codes(document)) == ("HOLD", ["SCOPE_NOT_PASS"])
    (study,) = document.studies
    assert (study.counting, study.measured, study.attempt) == ("void", 0, None)
    assert (study.flow.warmup_failed, study.flow.missing) == (1, 2)
    assert document.required[0].state in {"INVALID", "NOT_RUN"}
    assert document.next_action.role == "runner"
    assert not any(judged.state in {"PASS", "FAIL"} for judged in study.judgements)


def test_l31_a_study_of_another_commit_is_evidence_about_that_commit_only() -> None:
    story = begun()
    other = documents.commit("other")
    run_study(story, {B: facts.starved()}, **_tests(story, other))
    document = word(story)
    assert (document.word, codes(document)) == ("HOLD", ["SCOPE_NOT_PASS"])
    assert required(document) == [(LIVE, "NOT_RUN", "OTHER_COMMIT")]
    (study,) = document.studies
    assert (study.tested, study.tests_head, study.counting) == (other, False, "counts")
    assert [(one.scope, one.state) for one in study.scopes] == [(LIVE, "FAIL")]


def _tests(story: Story, commit: str | None) -> dict[str, Any]:
    """Return study changes that pin the candidate to ``commit``."""
    arms = {arm: facts.pin(arm, head=story.make.head) for arm in ("A", "B", "A2")}
    relation = "private candidate that integrates the head"
    return {"arms": {**arms, "B": facts.pin("B", head=commit or "", relation=relation)}}


def test_l10_ranks_that_disagree_are_named_even_while_the_study_is_open() -> None:
    story = begun()
    story.open()
    story.reserve(A)
    study = story.study().predicate
    draft = story.receipt(A)
    pinned = study.arms["A"]
    ranks = [facts.rank(0, pinned), facts.rank(1, pinned, commit=documents.commit("H~1"))]
    predicate = draft.parsed.predicate
    topology = changed(predicate.topology, ranks=ranks)  # type: ignore[union-attr]  # a receipt
    story.push(A, topology=topology)
    slot = word(story).studies[0].slots[0]
    assert (slot.state, slot.fault, slot.reasons[0]) == ("INVALID", "identity", "RANK_MISMATCH")


def test_l04_a_deadline_that_passes_changes_the_word_and_its_date() -> None:
    story = begun()
    story.open()
    fill(story, skip=[A2])
    story.reserve(A2)
    deadline = story.study().slots[A2].attempts[0].deadline_us
    before, at = word(story), word(story, after_us=deadline - story.now_us)
    assert verdict_bytes(before) == verdict_bytes(at)
    after = word(story, after_us=deadline - story.now_us + 1)
    assert after.as_of.log_time == instant_of(deadline + 1)
    assert (after.word, after.studies[0].flow.abandoned) != ("QUALIFIED", 0)
    later = word(story, after_us=30 * DAY_US)
    assert verdict_bytes(later) == verdict_bytes(after)


def test_l27_loosened_gates_hold_the_head_whatever_the_new_captures_say() -> None:
    story = begun()
    run_study(story, skip=[B])
    end(story)
    first = document_digest(story.document)
    story.lock(documents.document(version=2), supersedes=first)
    story.policy(protocols=[first, document_digest(story.document)])
    run_study(story)
    document = word(story)
    assert document.word == "HOLD"
    assert codes(document)[0] == "GATES_MOVED_AFTER_RESULT"
    assert document.reasons[0].study == document.studies[1].study
    assert document.next_action.role == "maintainer"


def test_l27_after_a_fail_the_head_is_not_qualified_and_the_moved_gates_are_named() -> None:
    story = begun()
    run_study(story, {B: facts.starved()})
    story.lock(documents.document(version=2), supersedes=document_digest(story.document))
    story.policy()
    run_study(story)
    document = word(story)
    assert document.word == "NOT_QUALIFIED"
    assert "GATES_MOVED_AFTER_RESULT" in codes(document)


def test_l28_a_scope_dropped_from_the_policy_after_it_failed_still_fails() -> None:
    scopes = (Scope.LIVE_CORRECTNESS, Scope.PERFORMANCE)
    story = begun(documents.document(scopes=scopes), policy=False)
    story.policy(scopes=scopes)
    run_study(story, {B: facts.starved()})
    assert word(story).word == "NOT_QUALIFIED"
    story.policy(scopes=scopes[:1])
    document = word(story)
    assert document.word == "NOT_QUALIFIED"
    assert [one.scope for one in document.required] == list(scopes)


def test_l28_a_dropped_claim_keeps_its_verdict() -> None:
    story = begun(policy=False)
    story.policy(claims=["land", "default-chunk0"])
    run_study(story, {B: facts.starved()})
    story.policy(claims=["land"])
    assert claims_of(story.standing()) == ("land", "default-chunk0")
    assert {claim: one.word for claim, one in words(story).items()} == {
        "land": "NOT_QUALIFIED",
        "default-chunk0": "NOT_QUALIFIED",
    }


@pytest.mark.parametrize("line", ["head", "repository", "ledger"])
def test_l30_an_unknown_kind_on_any_of_the_lines_is_never_green(line: str) -> None:
    story = begun()
    run_study(story)
    standing = story.standing()
    assert standing.head is not None
    lines = {
        "head": (standing.head, head_line(REPOSITORY, HEAD)),
        "repository": (standing.repository, repository_line(REPOSITORY)),
        "ledger": (standing.ledger, "ledger"),
    }
    state, name = lines[line]
    entry = unknown_entry(story, name, seq=state.length, prev=state.last_index)
    document = give_verdict(
        apply(standing, entry, None),
        claim="land",
        log_time_us=story.now_us,
        captures=story.captures.__getitem__,
    )
    assert (document.word, codes(document)) == ("HOLD", ["UNKNOWN_STATEMENT"])
    assert document.reasons[0].entry == story.size


def deviated(*slots: str, ends_study: bool = False, facts_of_b: Any = None) -> VerdictDocument:  # noqa: ANN401  a capture or none
    """Return the word on a study that ran whole and of which somebody said a deviation."""
    story = begun()
    run_study(story, None if facts_of_b is None else {B: facts_of_b}, skip=[A2])
    story.reserve(A2)
    story.deviate(*slots, what="The other tenant was stopped while it ran.", ends_study=ends_study)
    story.push(A2)
    return word(story)


@pytest.mark.parametrize("slots", [(B,), (A, B), ()], ids=["its slot", "two slots", "the study"])
def test_a_deviation_that_touches_the_candidate_leaves_no_pass(slots: tuple[str, ...]) -> None:
    document = deviated(*slots)
    assert (document.word, codes(document)) == ("HOLD", ["SCOPE_NOT_PASS"])
    assert required(document) == [(LIVE, "INCONCLUSIVE", "DEVIATION")]
    assert document.next_action.role == "maintainer"


def test_a_deviation_caps_nothing_outside_the_arm_and_cell_it_names() -> None:
    document = deviated(A)
    assert document.word == "QUALIFIED"
    (study,) = document.studies
    said = {judged.gate: judged.reason for judged in study.judgements}
    assert said["canary-a"] == "DEVIATION"


def test_a_deviation_that_merely_ends_the_study_caps_nothing_that_ran() -> None:
    assert deviated(ends_study=True).word == "QUALIFIED"


def test_a_deviation_never_makes_a_fail_milder() -> None:
    document = deviated(B, facts_of_b=facts.starved())
    assert (document.word, codes(document)) == ("NOT_QUALIFIED", ["SCOPE_FAILED"])


def test_a_deviation_said_after_the_study_was_closed_takes_its_pass_away() -> None:
    story = begun()
    run_study(story)
    assert word(story).word == "QUALIFIED"
    story.deviate(B, what="The fans had been set by hand.")
    assert word(story).word == "HOLD"
