# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""May a study be opened that could no longer pass?"""

from typing import Any

import msgspec
import pytest

from app.core.errors import Conflict
from app.core.identity import Scope
from app.core.protocol.attainable import out_of_reach
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.study import Replay
from app.core.study.slots import study_phase
from tests.claims import compared, drift, share
from tests.documents import CELL, commit, document
from tests.factories import Story, begun
from tests.gates import bound
from tests.lints import with_
from tests.unit.core.admission.refused import refused

LIVE = Scope.LIVE_CORRECTNESS


def judged_by(*gates: Any, repetitions: int = 6, waves: int = 1) -> ProtocolDocument:
    """Return a protocol with further gates, which a bound of its own anchors."""
    good = msgspec.to_builtins(document(repetitions=repetitions))["gates"]
    named = [with_(one, id=f"claim-{number}") for number, one in enumerate(gates)]
    made = document(repetitions=repetitions, gates=[*good, *named, bound()], stop_rule={"on": []})
    cell = msgspec.structs.replace(made.cells[0], waves=waves)
    return msgspec.structs.replace(made, cells=[cell])


def try_once(story: Story) -> None:
    """Open a study, take its first candidate slot, and end it."""
    story.open()
    story.reserve(f"A/{CELL}/1", f"B/{CELL}/1")
    story.push(f"A/{CELL}/1")
    story.push(f"B/{CELL}/1")
    story.end()
    assert study_phase(story.study(), story.now_us) == "CLOSED"


@pytest.mark.parametrize(
    ("blocks", "attempts"),
    [(5, 1), (6, 1), (7, 2), (9, 2), (10, 3)],
)
def test_study_opens_while_its_attempt_has_alpha_enough(blocks: int, attempts: int) -> None:
    story = begun(judged_by(compared(), repetitions=blocks))
    for _ in range(attempts):
        try_once(story)
    with refused(story, Conflict, "alpha-spent"):
        story.open()


def test_refusal_names_the_gate_the_attempt_and_the_number_it_needs() -> None:
    story = begun(judged_by(compared()))
    try_once(story)
    with pytest.raises(Conflict) as caught:
        story.open()
    (finding,) = caught.value.findings
    assert (finding.pointer, finding.rule) == ("/gates/4", "E_N_UNATTAINABLE")
    assert finding.detail == (
        "As attempt 2 on this head, claim-0 has less alpha left than 6 units can reach; "
        "7 units can."
    )


def test_study_that_reserved_no_candidate_spent_no_alpha() -> None:
    story = begun(judged_by(compared()))
    story.open()
    story.reserve(f"A/{CELL}/1")
    story.push(f"A/{CELL}/1")
    story.open()


def test_new_commit_begins_with_all_its_alpha() -> None:
    story = begun(judged_by(compared()))
    try_once(story)
    story.make.head = commit("another head")
    story.open()


def test_study_that_counts_for_nothing_needs_no_alpha() -> None:
    story = begun(judged_by(compared()))
    try_once(story)
    story.open(exploratory=True)
    story.open(replay=Replay(source="a public thread", not_published=[]))


def lost(of: ProtocolDocument, attempt: int = 2) -> list[tuple[str, int, int]]:
    return [(one.gate, one.planned, one.wanted) for one in out_of_reach(of, {LIVE: attempt})]


def test_brackets_and_shares_have_their_own_least_number() -> None:
    bracket = compared("non_inferiority", "A", "A2")
    assert lost(judged_by(bracket, repetitions=4)) == [("claim-0", 4, 5)]
    assert lost(judged_by(bracket, repetitions=5)) == []
    assert lost(judged_by(share(p="0.5"))) == [("claim-0", 6, 7)]
    assert lost(judged_by(share(p="0.5"), repetitions=7)) == []


def test_waves_of_one_boot_are_one_unit_where_boots_count() -> None:
    assert lost(judged_by(compared(), repetitions=14, waves=2)) == []
    assert lost(judged_by(compared(), repetitions=14, waves=7)) == [("claim-0", 2, 7)]
    assert lost(judged_by(share(p="0.5"), repetitions=14, waves=7)) == []


def test_gates_that_no_candidate_passes_and_exploratory_ones_close_nothing() -> None:
    assert lost(judged_by(drift())) == []
    assert lost(judged_by(with_(compared(), role="exploratory"))) == []
    assert lost(judged_by(compared()), attempt=1) == []


def test_any_of_a_family_needs_one_that_can_still_pass() -> None:
    def settings(*blocks: Any, k: int = 1) -> ProtocolDocument:
        mode = {"family": "settings", "family_mode": "k_of_n", "family_k": k}
        return judged_by(*(one | mode for one in blocks), repetitions=7)

    other = with_(compared(arm="C"), population__cell="C4")
    assert lost(settings(compared())) == lost(settings(compared(), compared())) == []
    of = settings(compared(), other)
    cells = [of.cells[0], msgspec.structs.replace(of.cells[0], id="C4")]
    arms = [*of.arms, msgspec.structs.replace(of.arms[1], id="C")]
    two = msgspec.structs.replace(of, cells=cells, arms=arms)
    # Two places halve what each may spend: .004, which eight blocks reach and seven do not.
    assert lost(two) == [("claim-0", 7, 8), ("claim-1", 7, 8)]
    longer = msgspec.structs.replace(cells[1], repetitions=8)
    assert lost(msgspec.structs.replace(two, cells=[cells[0], longer])) == []
