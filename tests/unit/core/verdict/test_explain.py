# SPDX-License-Identifier: Apache-2.0
"""Words for codes: complete, one sentence each, and never a cause."""

from typing import Any

import msgspec
import pytest

from app.core.errors import UnknownThing
from app.core.reason import Reason
from app.core.statement.verdict import (
    AsOf,
    AttemptOf,
    Base,
    NextAction,
    RequiredState,
    VerdictDocument,
)
from app.core.statement.verdict import Reason as ReasonRecord
from app.core.verdict.exit_code import exit_code_of
from app.core.verdict.explain import (
    CAUSE_NOT_ESTABLISHED,
    NEITHER,
    REASON_TEXTS,
    action_sentence_of,
    cause_line_of,
    explain,
    sentence_of,
    study_sentence_of,
)
from app.core.verdict.gate_reasons import GATE_REASONS
from app.core.verdict.result_reasons import RESULT_REASONS
from app.core.verdict.slot_reasons import SLOT_REASONS
from app.core.verdict.version_reasons import VERSION_REASONS
from app.core.verdict.word_reasons import WORD_REASONS
from tests.unit.core.verdict.make import HEAD, OTHER, P1, REPOSITORY
from tests.unit.core.verdict.make_records import judgement, record

LIVE = "live_correctness"
PASSES = ((LIVE, "PASS", "ALL_GATES_PASS"),)
FAILS = ((LIVE, "FAIL", "GATE_FAILED"),)


def because(code: str, scope: str | None = None, ordinal: int | None = None) -> ReasonRecord:
    study = None if ordinal is None else f"{ordinal:064x}"
    return ReasonRecord(code=code, scope=scope, study=study, entry=None)  # type: ignore[arg-type]  # scopes by name


def required(state: str, reason: str, scope: str = LIVE) -> RequiredState:
    return msgspec.convert(
        {"scope": scope, "protocols": [P1], "state": state, "reason": reason, "studies": []},
        RequiredState,
    )


def held(*reasons: ReasonRecord, **members: object) -> VerdictDocument:
    """Return a document that holds for ``reasons``; ``members`` replace what else it says."""
    plain: dict[str, Any] = {
        "schema": "urn:fairtrial:verdict-document:v1",
        "repository": REPOSITORY,
        "head": HEAD,
        "claim": "land",
        "question": "May it land?",
        "policy": "5" * 64,
        "word": "HOLD",
        "conflicting": False,
        "reasons": list(reasons),
        "next_action": NextAction(person="run", role="runner", reason="REPLAY", what=None),
        "author_action_now": "none",
        "attempt": AttemptOf(k=1, n=1),
        "change": None,
        "changes": [],
        "holds": [],
        "reviews": [],
        "decisions": [],
        "base": Base(commit=None, tracked_branch=None, tip=None, state="NOT_TRACKED"),
        "required": [],
        "scopes": [],
        "studies": [],
        "as_of": AsOf(log_time="2026-10-03T00:00:00Z", ledger=1, repository=1, head=1),
    }
    return VerdictDocument(**plain | members)


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_sentence_a_page_and_a_role(reason: Reason) -> None:
    text = explain(reason.value)
    assert text.sentence.endswith(".")
    assert text.sentence.count(". ") == 0
    assert len(text.page) > len(text.sentence) or len(text.page) > 60
    assert text.page.endswith(".")
    assert text.acts in {"maintainer", "runner", "reviewer", "nobody"}


def test_slot_that_has_not_started_is_not_said_to_be_unreserved_or_without_a_receipt() -> None:
    """The code stands on open and reserved slots, and on receipts without a measured phase."""
    sentence = explain("NOT_STARTED").sentence
    assert "reserved" not in sentence
    assert "No receipt yet" not in sentence
    assert "none has started" in sentence


def test_no_reason_is_explained_twice() -> None:
    lists = (SLOT_REASONS, GATE_REASONS, RESULT_REASONS, WORD_REASONS, VERSION_REASONS)
    assert sum(map(len, lists)) == len(REASON_TEXTS)


@pytest.mark.parametrize("reason", list(Reason))
def test_no_text_names_a_cause(reason: Reason) -> None:
    text = explain(reason.value)
    for claim in ("because of the", "caused by the candidate", "due to"):
        assert claim not in f"{text.sentence} {text.page}".lower()


@pytest.mark.parametrize(
    "reason", ["BOUND_VIOLATED", "NOT_BEFORE", "WRONG_ANSWER", "GATE_FAILED", "SCOPE_FAILED"]
)
def test_every_page_of_a_failure_says_that_no_cause_is_established(reason: str) -> None:
    assert "Cause: not established" in explain(reason).page


def test_a_code_this_version_does_not_know_is_said_to_be_unknown() -> None:
    with pytest.raises(UnknownThing) as caught:
        explain("SOLAR_FLARE")
    assert caught.value.code == "unknown-reason"
    assert "SOLAR_FLARE" not in caught.value.detail


def test_a_fail_has_its_cause_line_and_nothing_else_has() -> None:
    judged = judgement(reason="CENSORING_UNDECIDED")
    assert cause_line_of(judged) is None
    failed = msgspec.structs.replace(judged, state="FAIL", reason="NOT_BEFORE")
    assert cause_line_of(failed) == CAUSE_NOT_ESTABLISHED


def test_the_headline_of_a_failure_names_scope_and_study_and_no_cause() -> None:
    document = held(
        because("SCOPE_FAILED", LIVE, 1),
        because("CONFLICTING", LIVE, 2),
        word="NOT_QUALIFIED",
        conflicting=True,
        studies=[record(1, FAILS), record(2, PASSES)],
    )
    assert sentence_of(document) == (
        "On this head live_correctness fails in study 1; cause: not established. "
        "Another study passes what fails here; that lifts nothing."
    )
    assert exit_code_of(document) == 10


def test_several_failures_are_all_named() -> None:
    reasons = [because("SCOPE_FAILED", scope, 1) for scope in ("cpu", "boot", LIVE)]
    document = held(*reasons, word="NOT_QUALIFIED", studies=[record(1, FAILS)])
    assert sentence_of(document).startswith(
        "On this head cpu fails in study 1, boot fails in study 1 and live_correctness fails in "
    )


def test_the_headline_of_a_qualified_head_names_what_passes() -> None:
    document = held(
        because("ALL_SCOPES_PASS"),
        word="QUALIFIED",
        required=[required("PASS", "ALL_GATES_PASS"), required("PASS", "ALL_GATES_PASS", "cpu")],
        studies=[record(1, PASSES)],
    )
    assert sentence_of(document) == (
        "live_correctness and cpu: every required scope passes on this exact head."
    )
    assert exit_code_of(document) == 0


def test_l16_zero_measured_says_neither_a_pass_nor_a_regression() -> None:
    invalid = ((LIVE, "INVALID", "NO_VALID_SLOT"),)
    study = record(1, invalid, measured=0, warmup_failed=1, missing=2)
    document = held(
        because("SCOPE_NOT_PASS", LIVE),
        required=[required("INVALID", "NO_VALID_SLOT")],
        studies=[study],
    )
    assert sentence_of(document) == (
        "live_correctness is not established: INVALID. "
        f"There were attempts, and none of them can be scored. {NEITHER}"
    )
    assert exit_code_of(document) == 20


def test_zero_measured_is_said_once() -> None:
    document = held(because("NO_MEASURED_SLOT"), studies=[record(1, PASSES, measured=0)])
    assert sentence_of(document) == NEITHER


def test_a_study_of_another_commit_is_told_as_evidence_about_that_commit() -> None:
    document = held(because("REPLAY"), studies=[record(1, PASSES, tested=OTHER)])
    assert sentence_of(document).endswith(
        "Study 1 is evidence about bbbbbbbbbbbb, which is not this head: live_correctness PASS."
    )


def test_a_study_of_an_unpublished_commit_shows_its_fail_without_a_cause() -> None:
    assert study_sentence_of(record(1, FAILS, tested=None)) == (
        "Study 1 is evidence about a commit that was not published, which is not this head: "
        "live_correctness FAIL; cause: not established."
    )


def test_a_sealed_study_tells_no_state() -> None:
    sealed = record(1, ((LIVE, "NOT_RUN", "STUDY_OPEN"),), phase="OPEN", measured=None)
    assert study_sentence_of(sealed) == "Study 1 tests this head and is sealed until it closes."
    document = held(because("OPEN_STUDY", None, 1), studies=[sealed])
    assert sentence_of(document) == "A study on this head is not closed."


def test_beside_a_sealed_study_nobody_says_that_nothing_was_measured() -> None:
    void = record(1, PASSES, counting="void", measured=0)
    sealed = record(2, ((LIVE, "NOT_RUN", "STUDY_OPEN"),), phase="OPEN", measured=None, open=1)
    document = held(because("OPEN_STUDY", None, 2), studies=[void, sealed])
    assert NEITHER not in sentence_of(document)
    assert exit_code_of(document) == 12


def test_a_study_without_scopes_says_so() -> None:
    assert study_sentence_of(record(1, ())).endswith("this head: no scope.")


def test_who_acts_is_one_sentence_with_the_author_action() -> None:
    assert action_sentence_of(held(because("REPLAY"))) == (
        "Next action: run (runner). Author action now: none."
    )
    nobody = NextAction(person=None, role="reviewer", reason="ALL_SCOPES_PASS", what=None)
    assert action_sentence_of(held(because("ALL_SCOPES_PASS"), next_action=nobody)) == (
        "Next action: reviewer. Author action now: none."
    )
    named = NextAction(person="ann", role="named", reason="HOLD_IN_FORCE", what="rerun arm B")
    assert "ann (named by a hold): rerun arm B." in action_sentence_of(
        held(because("X"), next_action=named)
    )


@pytest.mark.parametrize(
    ("document", "code"),
    [
        (held(because("UNKNOWN_STATEMENT"), conflicting=True), 43),
        (held(because("CONFLICTING"), because("HOLD_IN_FORCE"), conflicting=True), 23),
        (held(because("HOLD_IN_FORCE")), 24),
        (held(because("TAINTED")), 24),
        (held(because("GATES_MOVED_AFTER_RESULT")), 24),
        (held(because("SCOPE_NOT_PASS"), studies=[record(1, measured=0, invalid=1)]), 20),
        (
            held(
                because("SCOPE_NOT_PASS"),
                required=[required("INVALID", "GATE_INVALID")],
                studies=[record(1, complete=1, missing=1)],
            ),
            13,
        ),
        (held(because("OPEN_STUDY"), studies=[record(1, phase="OPEN", measured=None, open=1)]), 12),
        (held(because("OPEN_STUDY"), studies=[record(1, phase="DRAINING", complete=1)]), 12),
        (held(because("SCOPE_NOT_PASS"), studies=[record(1, complete=1, missing=1)]), 12),
        (held(because("SCOPE_NOT_PASS"), studies=[record(1, complete=1, abandoned=1)]), 12),
        (held(because("SCOPE_NOT_PASS"), required=[required("NOT_RUN", "OTHER_COMMIT")]), 22),
        (held(because("STALE_BASE")), 22),
        (held(because("BASE_NOT_TRACKED")), 22),
        (held(because("NO_POLICY")), 21),
        (held(because("REPLAY"), studies=[record(1, counting="replay")]), 21),
        (held(because("SCOPE_NOT_PASS"), required=[required("NOT_RUN", "NO_STUDY")]), 21),
        (
            held(
                because("SCOPE_NOT_PASS"),
                required=[required("INCONCLUSIVE", "GATE_INCONCLUSIVE")],
                studies=[record(1), record(2, counting="exploratory", phase="OPEN", open=1)],
            ),
            11,
        ),
    ],
)
def test_a_hold_gives_the_first_exit_code_that_applies(
    document: VerdictDocument, code: int
) -> None:
    assert exit_code_of(document) == code
