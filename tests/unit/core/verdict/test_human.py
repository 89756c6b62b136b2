# SPDX-License-Identifier: Apache-2.0
"""Who acts next."""

import pytest

from app.core.statement.study import Owners
from app.core.verdict.human import author_action_now, next_action
from tests.unit.core.verdict.make import OWNERS
from tests.unit.core.verdict.test_explain import because, required


@pytest.mark.parametrize(
    ("code", "role", "person"),
    [
        ("SCOPE_FAILED", "maintainer", "mai"),
        ("CONFLICTING", "maintainer", "mai"),
        ("GATES_MOVED_AFTER_RESULT", "maintainer", "mai"),
        ("NO_POLICY", "maintainer", "mai"),
        ("OPEN_STUDY", "runner", "run"),
        ("REPLAY", "runner", "run"),
        ("STALE_BASE", "maintainer", "mai"),
        ("ALL_SCOPES_PASS", "reviewer", None),
        ("ALL_STREAMS_COMPLETE", "nobody", None),
    ],
)
def test_the_deciding_reason_names_the_role(code: str, role: str, person: str | None) -> None:
    action = next_action([because(code), because("REPLAY")], [], OWNERS)
    assert (action.role, action.person, action.reason, action.what) == (role, person, code, None)


@pytest.mark.parametrize(
    ("state", "role"),
    [
        ("FAIL", "maintainer"),
        ("INVALID", "runner"),
        ("NOT_RUN", "runner"),
        ("INCONCLUSIVE", "maintainer"),
    ],
)
def test_for_a_scope_that_is_not_established_its_state_names_the_role(
    state: str, role: str
) -> None:
    states = [required("PASS", "ALL_GATES_PASS", "cpu"), required(state, "WHY")]
    action = next_action([because("SCOPE_NOT_PASS", "live_correctness")], states, OWNERS)
    assert action.role == role


def test_without_a_study_nobody_is_named() -> None:
    states = [required("NOT_RUN", "NO_STUDY")]
    action = next_action([because("SCOPE_NOT_PASS", "live_correctness")], states, None)
    assert (action.role, action.person) == ("runner", None)


def test_one_person_may_own_every_role() -> None:
    alone = Owners(maintainer="ann", author="ann", runner="ann")
    assert next_action([because("REPLAY")], [], alone).person == "ann"


def test_the_author_has_nothing_to_do_unless_a_statement_says_so() -> None:
    assert author_action_now() == "none"
