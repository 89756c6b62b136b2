# SPDX-License-Identifier: Apache-2.0
"""What was known when a version was locked: counted by index, and what that makes of its gates."""

from collections.abc import Callable, Mapping
from functools import partial

import pytest

from app.core.reason import Reason
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.verdict import VerdictDocument
from app.core.study.state import LockedProtocol
from app.core.verdict.versions import (
    KnownAtLock,
    ProtocolVersion,
    before,
    chain_of,
    known_on,
    version_of,
)
from tests import documents, facts
from tests.documents import commit, digest, document
from tests.factories import begun
from tests.gates import bound
from tests.lints import changed, gated, with_
from tests.unit.core.verdict.tales import A2, A, B, run_study, word

BOUND = with_(bound(limit="10000000"), scope="live_correctness")
LOOSER = with_(BOUND, comparison__limit="15000000")
V1 = gated(BOUND)
V2 = gated(LOOSER, version=2)
SAME = changed(lambda d: d.update(gates=[*d["gates"], BOUND]), version=2, question="As before?")


class Told:
    """A story that keeps the verdict of its head, as the ledger appends it, wherever one is due."""

    def __init__(self, first: ProtocolDocument = V1) -> None:
        self.story = begun(first)
        self.said: dict[str, list[tuple[int, VerdictDocument]]] = {}

    def close(self) -> None:
        """Append the closures that are due; the verdict stands right behind them."""
        if self.story.close_due():
            at = self.story.size - 1
            self.said.setdefault(self.story.make.head, []).append((at, word(self.story)))

    def lock(self, later: ProtocolDocument, *, then: ProtocolDocument | None = None) -> str:
        """Lock the next version; the story's studies are under ``then``."""
        newest = list(self.story.standing().repository.protocols)[-1]
        self.story.lock(later, supersedes=newest)
        self.story.document = then or later
        return list(self.story.standing().repository.protocols)[-1]

    def known(self, lock: LockedProtocol) -> Mapping[str, KnownAtLock]:
        total: dict[str, KnownAtLock] = {}
        for (_, head), state in self.story.heads.items():
            below = [one for at, one in self.said.get(head, []) if at < lock.index]
            newest = below[-1] if below else None
            for protocol, held in known_on(state.studies, below=lock.index, said=newest).items():
                total[protocol] = total.get(protocol, KnownAtLock()) + held
        return total

    def versions(self) -> tuple[ProtocolVersion, ...]:
        protocols = self.story.standing().repository.protocols
        chain = chain_of(protocols, next(iter(protocols)))
        return tuple(version_of(lock, before(chain, lock), self.known(lock)) for lock in chain)

    def last(self) -> ProtocolVersion:
        return self.versions()[-1]


def counts(version: ProtocolVersion) -> tuple[int, int, int, int]:
    known = version.known
    return known.studies, known.attempts, known.receipts, known.closed


def said(version: ProtocolVersion) -> tuple[Reason, tuple[str, ...]]:
    return version.reason, version.exploratory


def test_first_version_has_nothing_before_it_and_changes_nothing() -> None:
    told = Told()
    run_study(told.story)
    told.close()
    (first,) = told.versions()
    assert (first.reason, first.is_exploratory) == (Reason.FIRST_VERSION, False)
    assert (first.changes, first.known) == ((), KnownAtLock())


def test_amendment_before_any_study_is_not_exploratory() -> None:
    told = Told()
    told.lock(V2)
    last = told.last()
    assert said(last) == (Reason.LOCKED_BEFORE_ATTEMPTS, ())
    assert not last.is_exploratory
    assert counts(last) == (0, 0, 0, 0)
    (change,) = last.changes
    assert (change.where, change.direction) == ("gate bound-b/comparison/limit", "loosened")


def test_amendment_after_a_study_was_opened_is_not_exploratory() -> None:
    told = Told()
    told.story.open()
    told.lock(V2)
    assert said(told.last()) == (Reason.LOCKED_BEFORE_ATTEMPTS, ())
    assert counts(told.last()) == (1, 0, 0, 0)


def test_amendment_after_a_reservation_is_exploratory_although_no_receipt_came() -> None:
    told = Told()
    told.story.open()
    told.story.reserve(A)
    told.lock(V2)
    last = told.last()
    assert said(last) == (Reason.LOCKED_AFTER_RESERVATION, ("bound-b",))
    assert last.is_exploratory
    assert counts(last) == (1, 1, 0, 0)


def test_z02_amendment_after_the_first_receipt_is_exploratory() -> None:
    told = Told()
    told.story.open()
    told.story.reserve(A)
    told.story.push(A)
    told.lock(V2)
    assert said(told.last()) == (Reason.LOCKED_AFTER_RECEIPT, ("bound-b",))
    assert counts(told.last()) == (1, 1, 1, 0)


def test_amendment_after_a_closed_study_that_passed_says_that_it_was_judged() -> None:
    told = Told()
    run_study(told.story)
    told.close()
    told.lock(V2)
    last = told.last()
    assert said(last) == (Reason.LOCKED_AFTER_JUDGEMENT, ("bound-b",))
    assert counts(last) == (1, 3, 3, 1)
    assert (last.known.judgements.PASS, last.known.judgements.FAIL) == (3, 0)


def test_z08_amendment_after_a_fail_says_so() -> None:
    told = Told()
    run_study(told.story, {B: facts.starved()})
    told.close()
    told.lock(V2)
    last = told.last()
    assert said(last) == (Reason.LOCKED_AFTER_FAIL, ("bound-b",))
    assert last.known.judgements.FAIL == 3


def test_closure_at_the_very_index_after_the_lock_was_not_known() -> None:
    told = Told()
    run_study(told.story, {B: facts.starved()})
    told.lock(V2, then=V1)
    told.close()
    assert said(told.last()) == (Reason.LOCKED_AFTER_RECEIPT, ("bound-b",))
    assert counts(told.last()) == (1, 3, 3, 0)
    assert told.last().known.judgements.FAIL == 0


@pytest.mark.parametrize("steps", [0, 1, 2, 3])
def test_what_stands_above_the_lock_is_never_counted(steps: int) -> None:
    told = Told()
    story = told.story
    writes: tuple[Callable[[], object], ...] = (
        story.open,
        partial(story.reserve, A),
        partial(story.push, A),
    )
    for write in writes[:steps]:
        write()
    told.lock(V2, then=V1)
    now = counts(told.last())
    assert now == (int(steps > 0), int(steps > 1), int(steps > 2), 0)
    for write in writes[steps:]:
        write()
    for slot in (B, A2):
        story.reserve(slot)
        story.push(slot)
    told.close()
    story.make.head = commit("another")
    run_study(story)
    assert counts(told.last()) == now


def test_time_that_passes_after_the_closing_time_closes_nothing_by_itself() -> None:
    told = Told()
    told.story.open()
    told.story.reserve(A)
    told.story.wait(9 * documents.DAY_US)
    told.lock(V2, then=V1)
    assert counts(told.last()) == (1, 1, 0, 0)


def test_studies_of_every_head_exploratory_ones_and_late_receipts_count_as_known() -> None:
    told = Told()
    run_study(told.story, exploratory=True)
    told.story.make.head = commit("another")
    told.story.open()
    told.story.reserve(A)
    told.story.wait(9 * documents.DAY_US)
    told.story.push(A)
    told.lock(V2)
    assert counts(told.last()) == (2, 4, 4, 0)


def test_study_under_another_protocol_is_not_counted() -> None:
    told = Told()
    told.story.lock(document(name="other-canary"))
    run_study(told.story)
    told.story.lock(V2, supersedes=next(iter(told.story.standing().repository.protocols)))
    protocols = told.story.standing().repository.protocols
    lock = list(protocols.values())[-1]
    chain = chain_of(protocols, lock.digest)
    assert [each.document.version for each in chain] == [1, 2]
    version = version_of(lock, before(chain, lock), told.known(lock))
    assert counts(version) == (0, 0, 0, 0)


def test_amendment_that_moves_no_gate_is_not_exploratory_whatever_was_known() -> None:
    told = Told()
    run_study(told.story, {B: facts.starved()})
    told.close()
    told.lock(SAME)
    assert said(told.last()) == (Reason.GATES_NOT_MOVED, ())
    assert told.last().known.judgements.FAIL == 3


def test_amendment_that_only_drops_a_gate_is_exploratory_and_names_none() -> None:
    told = Told()
    run_study(told.story)
    told.lock(document(version=2))
    assert said(told.last()) == (Reason.LOCKED_AFTER_RECEIPT, ())
    assert told.last().is_exploratory


# ---- chains ----


def test_chain_of_three_counts_what_each_lock_could_know() -> None:
    told = Told()
    told.story.open()
    told.story.reserve(A)
    told.lock(V2)
    told.story.make.head = commit("another")
    run_study(told.story, {B: facts.starved()})
    told.close()
    told.lock(gated(BOUND, version=3))
    first, second, third = told.versions()
    assert counts(first) == (0, 0, 0, 0)
    assert counts(second) == (1, 1, 0, 0)
    assert counts(third) == (2, 4, 3, 1)
    assert said(second) == (Reason.LOCKED_AFTER_RESERVATION, ("bound-b",))
    assert said(third) == (Reason.LOCKED_AFTER_FAIL, ("bound-b",))
    assert [change.direction for change in third.changes] == ["tightened"]


def test_gate_that_was_moved_once_is_not_cleared_by_locking_the_same_again() -> None:
    told = Told()
    run_study(told.story, {B: facts.starved()})
    told.close()
    told.lock(V2)
    told.lock(gated(LOOSER, version=3, question="As before?"))
    second, third = told.versions()[1:]
    assert said(second) == said(third) == (Reason.LOCKED_AFTER_FAIL, ("bound-b",))
    assert [change.where for change in third.changes] == ["question"]


def test_gate_that_goes_back_to_what_evidence_was_made_for_is_not_exploratory_for_it() -> None:
    told = Told()
    run_study(told.story)
    told.lock(V2)
    told.lock(gated(BOUND, version=3))
    assert said(told.last()) == (Reason.GATES_NOT_MOVED, ())


def test_chain_is_the_same_from_each_of_its_ends() -> None:
    told = Told()
    told.lock(V2)
    told.lock(gated(BOUND, version=3))
    protocols = told.story.standing().repository.protocols
    for each in protocols:
        assert [one.document.version for one in chain_of(protocols, each)] == [1, 2, 3]
    assert chain_of(protocols, digest("nobody locked it")) == ()


def test_two_amendments_of_one_parent_each_go_back_to_it_alone() -> None:
    """The lock refuses the second (`protocol-moved`); a log that holds it is shown as it is."""
    told = Told()
    told.story.open()
    told.story.reserve(A)
    told.lock(V2)
    protocols = dict(told.story.standing().repository.protocols)
    first, second = protocols.values()
    other = told.story.copy()
    other.document = gated(with_(BOUND, comparison__limit="20000000"), version=3)
    draft = other.make.lock(other.document, supersedes=first.digest)
    fork = LockedProtocol(99, 99, draft.digest, digest("fork"), draft.parsed.predicate)  # type: ignore[arg-type]  # a lock's
    protocols[fork.digest] = fork
    chain = (first, second, fork)
    for each in chain:
        assert chain_of(protocols, each.digest) == chain
        assert before(chain, each) == (() if each is first else (first,))
    marked = version_of(fork, before(chain, fork), told.known(fork))
    assert [change.after for change in marked.changes if "limit" in change.where] == ["20000000"]
    assert said(marked) == (Reason.LOCKED_AFTER_RESERVATION, ("bound-b",))


def test_supersedes_that_leads_back_to_itself_ends() -> None:
    told = Told()
    (first,) = told.story.standing().repository.protocols.values()
    draft = told.story.make.lock(V1, supersedes=first.digest)
    loop = LockedProtocol(5, 5, draft.digest, first.digest, draft.parsed.predicate)  # type: ignore[arg-type]  # a lock's
    assert before((loop,), loop) == ()
