# SPDX-License-Identifier: Apache-2.0
"""A receipt belongs where it says it belongs, and then it is kept whatever it says."""

from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.errors import NotAllowed, NotAuthenticated, WrongAudience
from app.core.reason import Reason
from app.core.signing.envelope import sign
from app.core.study.chain import challenge_for
from app.core.study.slots import slot_state
from tests.documents import DAY_US, commit, digest
from tests.drafts import Draft, signing_key
from tests.factories import HEAD, Maker, Story, begun, opened
from tests.facts import capture, identities, incumbent, starved, warmup_failed
from tests.unit.core.admission.refused import refused

A, B, A2 = ("A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1")


def reserved(*slots: str, runners: tuple[str, ...] = ("runner", "runner-2")) -> Story:
    story = begun(runners=runners)
    story.open(runners=runners)
    story.reserve(*(slots or (A,)))
    return story


@pytest.mark.parametrize(
    ("seen", "effect"),
    [(capture(), "scored"), (starved(), "scored"), (warmup_failed(), "not_measured")],
)
def test_receipt_is_kept_and_its_effect_said(seen: object, effect: str) -> None:
    assert reserved().push(A, seen).effect == effect  # type: ignore[arg-type]  # a capture


def test_receipt_whose_capture_is_not_at_hand_counts_as_measured() -> None:
    story = reserved()
    draft = story.receipt(A, warmup_failed())
    assert story.append(Draft(draft.envelope, draft.parsed)).effect == "scored"


def test_receipt_that_says_the_worst_is_kept() -> None:
    story = reserved()
    pinned = story.study().predicate.arms["A"]
    lies = identities(pinned, arm_commit=commit("other"), settings={})
    step = story.push(
        A,
        capture(incumbent()),
        identities=lies,
        started_at="2020-01-01T00:00:00Z",
        binding="seeded",
    )
    assert step.effect == "scored"
    found = slot_state(story.study(), story.study().slots[A], story.now_us)
    assert found.state == "INVALID"
    assert found.reasons[0] == Reason.ARM_COMMIT_MISMATCH


def test_l03_reserve_five_submit_four_leaves_one_abandoned() -> None:
    story = reserved(A, B, A2)
    story.push(A)
    story.push(A2)
    states = [
        slot_state(story.study(), slot, story.now_us).state for slot in story.study().slots.values()
    ]
    assert states == ["COMPLETE", "ABANDONED", "COMPLETE"]


class TestEffects:
    """What the answer says becomes of a receipt."""

    def test_second_receipt_conflicts_and_a_late_one_is_late(self) -> None:
        story = reserved(A, B)
        story.push(A)
        assert story.push(A, starved()).effect == "conflicting"
        assert story.push(B, after_us=2 * DAY_US).effect == "late"
        assert story.push(B, starved()).effect == "late"

    def test_receipt_behind_the_chain_is_late(self) -> None:
        story = reserved(A, B)
        story.push(B)
        assert story.push(A).effect == "late"

    def test_late_receipts_go_on_with_the_chain(self) -> None:
        story = reserved(A, B)
        story.wait(2 * DAY_US)
        first = story.push(A)
        assert first.effect == "late"
        assert story.push(B).effect == "late"
        reservation = story.reservation_of(B)
        assert reservation.filled[0] == first.digest


class TestWhoFills:
    """Only the key that reserved fills."""

    def test_l05_receipt_by_another_runner_of_the_study_is_refused(self) -> None:
        story = reserved()
        with refused(story, NotAllowed, "not-your-slot"):
            story.push(A, signer="runner-2")

    def test_l05_receipt_by_a_runner_the_study_does_not_name_is_refused(self) -> None:
        story = reserved()
        story.register("runner-3")
        with refused(story, NotAllowed, "not-your-slot"):
            story.push(A, signer="runner-3")

    def test_s02_receipt_that_another_key_signed_is_refused(self) -> None:
        story = reserved()
        draft = story.receipt(A)
        envelope = sign(draft.parsed.payload, [signing_key("runner-2")])
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(Draft(envelope, draft.parsed, draft.capture))

    def test_s08_receipt_by_a_key_that_was_retired_meanwhile_is_refused(self) -> None:
        story = reserved()
        ending: dict[str, Any] = {"action": "retire", "reason": "Laid down."}
        story.register("runner", signers=["runner"], **ending)
        with refused(story, NotAllowed, "key-retired"):
            story.push(A)


class TestAudience:
    """L13, S07: a receipt is for one ledger, head, study, slot, attempt and challenge."""

    @pytest.mark.parametrize(
        ("changes", "member"),
        [
            ({"reservation": digest("another")}, "reservation"),
            ({"study": digest("another")}, "study"),
            ({"slot": B}, "slot"),
            ({"attempt": 2}, "attempt"),
            ({"challenge": digest("another")}, "challenge"),
        ],
    )
    def test_l13_receipt_for_another_place_is_refused_and_the_member_named(
        self, changes: dict[str, Any], member: str
    ) -> None:
        story = reserved()
        right = story.receipt(A).parsed.predicate
        wrong = story.make.draft("receipt", changed(right, **changes), "runner", capture=capture())
        with pytest.raises(WrongAudience) as caught:
            story.append(wrong)
        assert story.steps[-1].draft.parsed.kind == "reservation"
        assert [f.pointer for f in caught.value.findings] == [f"/predicate/{member}"]

    def test_l13_receipt_for_another_ledger_is_refused(self) -> None:
        story = reserved()
        study, reservation = story.study(), story.reservation_of(A)
        other = Maker(genesis_digest=digest("another genesis"))
        draft = other.receipt(
            study.predicate,
            capture(),
            study_digest=study.digest,
            reservation=reservation.digest,
            slot=A,
            challenge=reservation.challenge,
        )
        with refused(story, WrongAudience, "wrong-audience"):
            story.append(draft)

    def test_s07_receipt_for_another_head_finds_no_reservation_there(self) -> None:
        story = reserved()
        draft = story.receipt(A)
        elsewhere = Maker(genesis_digest=story.make.genesis_digest, head=commit("another head"))
        moved = elsewhere.draft("receipt", draft.parsed.predicate, "runner", capture=draft.capture)
        assert elsewhere.head != HEAD
        with refused(story, WrongAudience, "wrong-audience"):
            story.append(moved)

    def test_l13_receipt_of_one_study_is_refused_in_the_next(self) -> None:
        story = reserved()
        first = story.study()
        story.open(runners=["runner"])
        story.reserve(A)
        with refused(story, WrongAudience, "wrong-audience"):
            story.push(A, study_digest=first.digest)

    def test_challenge_of_a_chain_that_went_on_otherwise_is_refused(self) -> None:
        story = reserved(A, B)
        skipping = challenge_for(story.reservation_of(B), B)
        story.push(A)
        with refused(story, WrongAudience, "wrong-audience"):
            story.push(B, challenge=skipping)
        story.push(B)

    def test_attempt_of_another_reservation_is_refused(self) -> None:
        story = opened()
        story.reserve(A)
        first = story.reservation_of(A)
        story.push(A, warmup_failed())
        story.reserve(A, attempt=2)
        with refused(story, WrongAudience, "wrong-audience"):
            story.push(A, attempt=2, reservation=first.digest, challenge=first.challenge)
