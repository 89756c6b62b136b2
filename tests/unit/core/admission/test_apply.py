# SPDX-License-Identifier: Apache-2.0
"""The fold: what stands after an entry, for every reader of the log alike."""

import pytest
from msgspec.structs import replace

from app.core.admission.admit import admit
from app.core.admission.apply import apply
from app.core.admission.line import head_of, line_of, repository_of
from app.core.admission.state import empty_standing
from app.core.errors import NotAuthenticated
from app.core.log.leaf import Leaf
from app.core.statement.entry import Entry, read_entry
from tests.documents import digest
from tests.factories import HEAD, REPOSITORY, Story, begun, opened

A, B = "A/C2-canary/1", "B/C2-canary/1"


def told() -> Story:
    story = opened()
    story.reserve(A, B)
    story.push(A)
    story.refuse(B)
    story.deviate(B)
    story.end()
    story.push(B)
    story.close_due()
    return story


def test_replay_of_the_entries_comes_to_the_same_state() -> None:
    story = told()
    standing = empty_standing(REPOSITORY, HEAD)
    for step in story.steps:
        entry = read_entry(step.entry.index, step.entry.leaf.to_bytes(), step.draft.parsed.payload)
        assert entry == step.entry
        standing = apply(standing, entry, step.draft.capture)
    assert standing == story.standing()


def test_every_entry_follows_the_one_before_on_its_line() -> None:
    lines: dict[str, list[Leaf]] = {}
    indexes: dict[str, int] = {}
    for step in told().steps:
        leaf = step.entry.leaf
        seen = lines.setdefault(leaf.line, [])
        assert (leaf.seq, leaf.prev) == (len(seen), indexes.get(leaf.line))
        seen.append(leaf)
        indexes[leaf.line] = step.entry.index
    assert set(lines) == {"ledger", f"repo:{REPOSITORY}", f"head:{REPOSITORY}@{HEAD}"}


def test_line_of_each_kind() -> None:
    kinds = {step.draft.parsed.kind: line_of(step.draft.parsed) for step in told().steps}
    assert kinds == {
        "genesis": "ledger",
        "key": "ledger",
        "protocol": f"repo:{REPOSITORY}",
        "policy": f"repo:{REPOSITORY}",
        **dict.fromkeys(
            ("study", "reservation", "receipt", "refusal", "deviation", "closure"),
            f"head:{REPOSITORY}@{HEAD}",
        ),
    }
    study = told().steps[5].draft.parsed
    assert (repository_of(study), head_of(study)) == (REPOSITORY, HEAD)


@pytest.mark.parametrize(
    ("repository", "head"),
    [("github.com/a/b", HEAD), (REPOSITORY, None), (REPOSITORY, "0" * 40)],
)
def test_entry_of_a_line_that_is_not_held_changes_nothing(
    repository: str, head: str | None
) -> None:
    standing = empty_standing(repository, head)
    study = told().steps[5].entry
    assert apply(standing, study) is standing


def test_entry_that_this_reader_does_not_know_is_counted_and_kept_in_mind() -> None:
    story = begun()
    standing = story.standing()
    for line in ("ledger", f"repo:{REPOSITORY}", f"head:{REPOSITORY}@{HEAD}"):
        leaf = replace(story.steps[0].entry.leaf, kind="advisory", line=line)
        standing = apply(standing, Entry(77, leaf, None))
    assert standing.head is not None
    for state in (standing.ledger, standing.repository, standing.head):
        assert state.unknown == (77,)
        assert state.last_index == 77
    assert standing.ledger.length == story.ledger.length + 1
    assert standing.ledger.keyring == story.ledger.keyring


def test_statement_on_a_line_of_another_kind_is_counted_and_means_nothing() -> None:
    story = opened()
    before = story.standing()
    assert before.head is not None
    key = story.steps[1].entry
    misplaced = replace(key, leaf=replace(key.leaf, line=f"head:{REPOSITORY}@{HEAD}"))
    after = apply(before, misplaced)
    assert after.head is not None
    assert after.head.studies == before.head.studies
    lost = replace(key, leaf=replace(key.leaf, line=f"repo:{REPOSITORY}"))
    assert apply(before, lost).repository.protocols == before.repository.protocols
    study = story.steps[5].entry
    strayed = replace(study, leaf=replace(study.leaf, line="ledger"))
    assert apply(before, strayed).ledger.keyring == before.ledger.keyring


def test_study_of_a_protocol_that_was_never_locked_opens_nothing() -> None:
    standing = empty_standing(REPOSITORY, HEAD)
    after = apply(standing, opened().steps[5].entry)
    assert after.head is not None
    assert after.head.studies == ()
    assert after.head.length == 1


def test_entries_about_another_study_leave_this_one_alone() -> None:
    story = told()
    first = story.study(1)
    story.open()
    story.reserve(A)
    story.push(A)
    assert story.study(1) is first
    assert story.study(2).digest != first.digest


def test_statement_before_any_genesis_has_no_audience() -> None:
    story = begun()
    with pytest.raises(NotAuthenticated):
        admit(
            story.steps[1].draft.parsed,
            signers=frozenset({digest("nobody")}),
            standing=empty_standing(),
            index=0,
            at_us=1,
        )
    assert empty_standing().ledger.ref is None
    assert empty_standing().repository.policy is None
