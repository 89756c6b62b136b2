# SPDX-License-Identifier: Apache-2.0
"""Lock, open, reserve, push, late, second receipt, end, close, in any order, on any ledger.

The machine sends signed statements to a ``Driver`` and holds what stands there against the model of
``slots_model`` after every step. A driver is a ledger under a clock that the machine moves:
``MemoryDriver`` is one in memory; a store is tested by another driver and a subclass that says so.

    class SqliteSlots(SlotsMachine):
        def driver(self) -> Driver: ...

    TestSqliteSlots = SqliteSlots.TestCase
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typing_extensions import override

from app.core.admission.state import HeadState
from app.core.digest import sha256_hex
from app.core.errors import FairtrialError
from app.core.reason import Reason
from app.core.statement.capture import StreamsCapture
from app.core.statement.encoding import encode
from app.core.study.chain import challenge_for
from app.core.study.settling import settled_anew
from app.core.study.slots import flow, slot_standings, slot_state, study_phase
from app.core.study.state import StudyState
from app.core.verdict.fold import give_verdict
from tests import documents, facts
from tests.documents import CELL, DAY_US
from tests.drafts import Draft
from tests.property.slots_driver import DOCUMENT, Driver, MemoryDriver
from tests.property.slots_model import AHEAD_MAX, ENDS, Attempt, Study

SLOTS: Final = tuple(f"{arm}/{CELL}/{n}" for arm in ("A", "B", "A2") for n in (1, 2))
MAX_STUDIES: Final = 2
CAPTURES: Final[Mapping[str, Callable[[], StreamsCapture]]] = {
    "good": facts.capture,
    "starved": facts.starved,
    "cut": facts.interrupted,
    "alone": lambda: facts.capture(facts.incumbent()),
    "404": lambda: facts.warmup_failed(404),
    "405": lambda: facts.warmup_failed(405),
}
SORTS: Final = st.one_of(
    st.just("good"), st.just("good"), st.just("good"), st.sampled_from(tuple(ENDS))
)
LOWER: Final = ("QUALIFIED", "HOLD", "NOT_QUALIFIED")


class SlotsMachine(RuleBasedStateMachine):
    """Every edge of a slot's and a study's life."""

    def driver(self) -> Driver:
        """Return the ledger to be tested."""
        return MemoryDriver()

    @initialize()
    def begin(self) -> None:
        """Start from a locked protocol and one open study."""
        self.ledger = self.driver()
        self.models: list[Study] = []
        self.captures: dict[str, StreamsCapture] = {}
        self.settled: dict[tuple[int, str], str] = {}
        self.receipts: list[Draft] = []
        self.sent = 0
        self._open()

    @override
    def teardown(self) -> None:
        """Let go of the ledger, if there was one."""
        if hasattr(self, "ledger"):
            self.ledger.stop()

    # ---- steps ----

    @rule(micros=st.sampled_from([0, 1, 1_000_000, 3_600_000_000, DAY_US // 2]))
    def time_passes(self, micros: int) -> None:
        """Nothing happens for a while."""
        self.ledger.wait(micros)
        self.ledger.settle()

    @rule(data=st.data(), past=st.sampled_from([0, 0, 1]))
    def time_passes_to_a_deadline(self, data: st.DataObject, past: int) -> None:
        """Exactly to it, or one microsecond past it."""
        instants = {study.closes_at for study in self.models} | {
            attempt.deadline
            for study in self.models
            for attempts in study.slots.values()
            for attempt in attempts
        }
        ahead = sorted(at for at in instants if at + past > self.ledger.now_us)
        if ahead:
            until = data.draw(st.sampled_from(ahead))
            self.ledger.wait(until + past - self.ledger.now_us)
            self.ledger.settle()

    @rule()
    def edited_protocol_is_locked(self) -> None:
        """A locked name and version means one document for ever."""
        edited = documents.document(name=DOCUMENT.name, repetitions=3)
        self._refused(self.ledger.make.lock(edited), "locked")

    @rule()
    def study_is_opened(self) -> None:
        """The next study on the head, for two days."""
        if len(self.models) < MAX_STUDIES:
            self._open()

    def _open(self) -> None:
        closes = self.ledger.now_us + 2 * DAY_US
        ordinal = len(self.models) + 1
        skipping = self.ledger.make.study(DOCUMENT, closes_at_us=closes, ordinal=ordinal + 1)
        self._refused(skipping, "ordinal")
        self.ledger.submit(self.ledger.make.study(DOCUMENT, closes_at_us=closes, ordinal=ordinal))
        self.models.append(Study(closes, {slot: [] for slot in SLOTS}))

    @rule(
        data=st.data(),
        slots=st.lists(st.sampled_from(SLOTS), min_size=1, max_size=6, unique=True),
        number=st.sampled_from([1, 1, 1, 2]),
    )
    def slots_are_reserved(self, data: st.DataObject, slots: list[str], number: int) -> None:
        """Any slots, free or not."""
        self._reserve(self._some_study(data), slots, number)

    @rule(data=st.data())
    def free_slots_are_reserved(self, data: st.DataObject) -> None:
        """As many as are free and allowed."""
        index = self._some_study(data)
        model, now = self.models[index], self.ledger.now_us
        free = [slot for slot in SLOTS if model.state(slot, now) == "OPEN"]
        if free:
            self._reserve(index, free[:AHEAD_MAX], 1)

    @rule(data=st.data())
    def failed_warmup_is_tried_again(self, data: st.DataObject) -> None:
        """A retry where one is left."""
        index = self._some_study(data)
        model = self.models[index]
        left = [slot for slot in SLOTS if model.retry_left(slot, self.ledger.now_us)]
        if left:
            self._reserve(index, [data.draw(st.sampled_from(left))], 2)

    @rule(data=st.data(), sort=SORTS)
    def receipt_is_pushed(self, data: st.DataObject, sort: str) -> None:
        """For any attempt: the first receipt, a second one, a late one."""
        if self._attempts():
            self._push(*data.draw(st.sampled_from(self._attempts())), sort)

    @rule(data=st.data(), sorts=st.lists(SORTS, min_size=1, max_size=6))
    def reserved_slots_are_filled(self, data: st.DataObject, sorts: list[str]) -> None:
        """One after the other, in an order that abandons some."""
        for sort in sorts:
            waiting = self._waiting()
            if waiting:
                self._push(*data.draw(st.sampled_from([waiting[0], *waiting])), sort)

    @rule(sorts=st.one_of(st.just(["good"] * 6), st.lists(SORTS, min_size=6, max_size=6)))
    def newest_study_is_run(self, sorts: list[str]) -> None:
        """As its runner would: slot by slot, in running order."""
        index = len(self.models) - 1
        model = self.models[index]
        for slot, sort in zip(SLOTS, sorts, strict=True):
            if model.refusal([slot], 1, self.ledger.now_us) is None:
                self._reserve(index, [slot], 1)
                self._push(index, slot, model.slots[slot][-1], sort)

    @rule(data=st.data())
    def same_receipt_is_pushed_again(self, data: st.DataObject) -> None:
        """It changes nothing."""
        if not self.receipts:
            return
        before = self._head()
        self.ledger.submit(data.draw(st.sampled_from(self.receipts)))
        assert self._head().studies == before.studies

    @rule(data=st.data())
    def study_is_ended(self, data: st.DataObject) -> None:
        """By a deviation; what is over cannot be ended."""
        index = self._some_study(data)
        model = self.models[index]
        draft = self.ledger.make.deviation(
            self._study(index).digest, ends_study=True, annotations=self._note()
        )
        if model.ended or model.phase(self.ledger.now_us) == "CLOSED":
            self._refused(draft, "study-closed")
        else:
            self.ledger.submit(draft)
            model.ended = True

    # ---- what must hold after each ----

    @invariant()
    def every_slot_stands_where_the_rules_put_it(self) -> None:
        """State by state, and the sum of them is what was planned."""
        now = self._head().last_at_us
        for index, model in enumerate(self.models):
            study = self._study(index)
            assert study.settling == settled_anew(study).settling
            states = {s: slot_state(study, study.slots[s], now).state for s in SLOTS}
            assert states == {slot: model.state(slot, now) for slot in SLOTS}
            counts = flow(study, slot_standings(study, now))
            parts = [getattr(counts, name) for name in counts.__struct_fields__]
            assert counts.planned == len(SLOTS) == sum(parts) - counts.planned
            for slot, state in states.items():
                before = self.settled.setdefault((index, slot), "")
                assert before in {"", state}, "something left ABANDONED or MISSING"
                if state in {"ABANDONED", "MISSING"}:
                    self.settled[index, slot] = state

    @invariant()
    def every_closed_study_has_its_closure(self) -> None:
        """At once, and no other has."""
        now = self._head().last_at_us
        for index, model in enumerate(self.models):
            study = self._study(index)
            assert study_phase(study, now) == model.phase(now)
            assert (study.closure_index is not None) == (model.phase(now) == "CLOSED")

    @invariant()
    def no_word_is_green_before_everything_is_closed(self) -> None:
        """An open study holds the head; a bad candidate slot keeps it from green."""
        now = self._head().last_at_us
        word, reasons = self._word()
        event(f"word: {word}")
        if any(model.phase(now) != "CLOSED" for model in self.models):
            assert word != "QUALIFIED"
            assert Reason.OPEN_STUDY in reasons or word == "NOT_QUALIFIED"
        if word == "QUALIFIED":
            candidates = [s for s in SLOTS if s.startswith("B/")]
            for model in (model for model in self.models if not model.is_void(now)):
                assert [model.state(s, now) for s in candidates] == ["COMPLETE", "COMPLETE"]

    # ---- what the steps are made of ----

    def _reserve(self, index: int, slots: Sequence[str], number: int) -> None:
        model, now = self.models[index], self.ledger.now_us
        code = model.refusal(slots, number, now)
        draft = self.ledger.make.reservation(
            self._study(index).digest, slots, attempt=number, annotations=self._note()
        )
        if code is not None:
            self._refused(draft, code)
        else:
            self.ledger.submit(draft)
            model.reserve(slots, number, now)

    def _push(self, index: int, slot: str, attempt: Attempt, sort: str) -> None:
        study, model = self._study(index), self.models[index]
        now, before = self.ledger.now_us, self._word()[0]
        over = model.phase(now) == "CLOSED"
        found = study.attempt_of(slot, attempt.number)
        assert found is not None
        reservation = study.reservations[found.reservation]
        draft = self.ledger.make.receipt(
            study.predicate,
            CAPTURES[sort](),
            study_digest=study.digest,
            reservation=reservation.digest,
            slot=slot,
            challenge=challenge_for(reservation, slot),
            attempt=attempt.number,
            annotations=self._note(),
        )
        self.captures[sha256_hex(encode(CAPTURES[sort]()))] = CAPTURES[sort]()
        effect = self.ledger.submit(draft)
        event(f"pushed: {effect}{' into a closed study' if over else ''}")
        assert effect == model.push(slot, attempt, sort, now)
        self.receipts.append(draft)
        if over:
            # Paper added to a closed study is a restraint: it never makes the word greener.
            assert LOWER.index(self._word()[0]) >= LOWER.index(before)

    def _refused(self, draft: Draft, code: str) -> None:
        before = self.ledger.standing()
        with pytest.raises(FairtrialError) as caught:
            self.ledger.submit(draft)
        event(f"refused: {code}")
        assert caught.value.code == code
        assert self.ledger.standing() == before

    def _word(self) -> tuple[str, list[str]]:
        standing, head = self.ledger.standing(), self._head()
        document = give_verdict(
            standing,
            claim="land",
            log_time_us=head.last_at_us,
            captures=lambda digest: self.captures[digest],
        )
        return document.word, [reason.code for reason in document.reasons]

    def _note(self) -> dict[str, Any]:
        """Return annotations that make each statement another one."""
        self.sent += 1
        return {"n": str(self.sent)}

    def _some_study(self, data: st.DataObject) -> int:
        return int(data.draw(st.sampled_from(range(len(self.models)))))

    def _attempts(self) -> list[tuple[int, str, Attempt]]:
        return [
            (index, slot, attempt)
            for index, study in enumerate(self.models)
            for slot, attempts in study.slots.items()
            for attempt in attempts
        ]

    def _waiting(self) -> list[tuple[int, str, Attempt]]:
        now = self.ledger.now_us
        return [(i, s, a) for i, s, a in self._attempts() if a.state(now) == "RESERVED"]

    def _head(self) -> HeadState:
        head = self.ledger.standing().head
        assert head is not None
        return head

    def _study(self, index: int) -> StudyState:
        return self._head().studies[index]
