# SPDX-License-Identifier: Apache-2.0
"""What a key under suspicion signed: kept, shown, worth nothing to a PASS and lifting no FAIL."""

import pytest

from app.core.errors import Conflict, NotAllowed, NotAuthenticated
from app.core.identity import Role
from app.core.statement.header import LedgerRef
from app.core.verdict.bundle import score_bundle, write_bundle
from app.core.verdict.fold import verdict_bytes
from tests.documents import commit
from tests.factories import Story, signing_key
from tests.facts import starved, warmup_failed
from tests.people import clear, hold, ref
from tests.unit.core.admission.refused import refused
from tests.unit.core.verdict.tales import A2, A, B, bundled, codes, run_study, word

ADMINS = ("admin", "second", "third")


def governed(*, policy: bool = True) -> Story:
    """Return a begun story with three admins."""
    story = Story()
    story.genesis(admins=ADMINS)
    story.register("maintainer", Role.MAINTAINER)
    story.register("runner")
    story.lock()
    if policy:
        story.policy()
    return story


def doubt(
    story: Story,
    label: str,
    role: Role,
    *,
    since: int,
    signers: tuple[str, ...] = ("admin", "second"),
) -> None:
    """Revoke a key as suspect since an index."""
    grant = story.ledger.keyring.grants[signing_key(label).key_id]
    story.register(
        label,
        role,
        signers=signers,
        action="revoke",
        reason="The disk was lost.",
        holder=grant.holder,
        suspect_from_index=since,
    )


def test_s08_doubt_takes_two_admins_besides_the_key_itself() -> None:
    story = governed()
    for signers in (("admin",), ("runner",), ("runner", "admin"), ("admin", "maintainer")):
        with refused(story, NotAuthenticated, "threshold"):
            doubt(story, "runner", Role.RUNNER, since=1, signers=signers)
    with refused(story, NotAuthenticated, "threshold"):
        doubt(story, "second", Role.ADMIN, since=1, signers=("admin", "second"))
    with refused(story, NotAllowed, "role"):
        doubt(story, "runner", Role.RUNNER, since=1, signers=("maintainer", "admin", "second"))
    doubt(story, "runner", Role.RUNNER, since=1)


def test_doubted_admins_leave_enough_others() -> None:
    story = governed()
    doubt(story, "third", Role.ADMIN, since=1)
    thin = Story()
    thin.genesis(admins=ADMINS, threshold=3)
    with refused(thin, NotAuthenticated, "threshold"):
        doubt(thin, "third", Role.ADMIN, since=1, signers=("admin", "second"))


def test_theft_that_is_found_late_is_doubted_after_the_key_was_laid_down() -> None:
    story = governed()
    run_study(story)
    story.register(
        "runner",
        signers=["runner"],
        action="retire",
        reason="Laid down.",
        holder="runner",
    )
    doubt(story, "runner", Role.RUNNER, since=1)
    assert codes(word(story))[0] == "TAINTED"
    with refused(story, Conflict, "key-ended"):
        doubt(story, "runner", Role.RUNNER, since=story.size)


def test_s08_tainted_receipts_are_kept_and_shown_and_pass_nothing() -> None:
    story = governed()
    run_study(story)
    since = story.size - 1
    assert word(story).word == "QUALIFIED"
    doubt(story, "runner", Role.RUNNER, since=since)
    document = word(story)
    assert document.word == "HOLD"
    assert codes(document)[0] == "TAINTED"
    assert document.reasons[0].entry == story.size - 1
    (study,) = document.studies
    assert study.tainted
    shown = {slot.slot: slot.attempts[0].tainted for slot in study.slots}
    assert [len(shown[slot]) for slot in (A, B, A2)] == [0, 0, 1]
    assert [slot.state for slot in study.slots] == ["COMPLETE"] * 3


def test_tainted_candidate_is_invalid_by_that_name() -> None:
    story = governed()
    run_study(story)
    doubt(story, "runner", Role.RUNNER, since=1)
    (study,) = word(story).studies
    states = {j.gate: (j.state, j.reason) for j in study.judgements if j.arm == "B"}
    assert set(states.values()) == {("INVALID", "TAINTED")}


def test_l29_taint_lifts_no_recorded_fail() -> None:
    story = governed()
    run_study(story, {B: starved()})
    assert word(story).word == "NOT_QUALIFIED"
    doubt(story, "runner", Role.RUNNER, since=1)
    document = word(story)
    assert document.word == "NOT_QUALIFIED"
    assert codes(document) == ["SCOPE_FAILED", "TAINTED"]


def test_statements_before_the_index_stay_good() -> None:
    story = governed()
    run_study(story)
    story.register("somebody")
    doubt(story, "runner", Role.RUNNER, since=story.size - 1)
    assert not word(story).studies[0].tainted
    assert word(story).word == "QUALIFIED"


@pytest.mark.parametrize("label", ["maintainer"])
def test_study_locked_and_opened_by_a_doubted_key_is_tainted(label: str) -> None:
    story = governed()
    run_study(story)
    doubt(story, label, Role.MAINTAINER, since=1)
    document = word(story)
    assert {reason.study for reason in document.reasons if reason.code == "TAINTED"} == {
        None,  # the policy
        story.study().digest,
    }


def test_key_that_a_doubted_admin_registered_is_doubted_whole() -> None:
    story = governed()
    run_study(story)
    doubt(story, "admin", Role.ADMIN, since=1, signers=("second", "third"))
    assert codes(word(story))[0] == "TAINTED"
    other = governed()
    run_study(other)
    doubt(other, "admin", Role.ADMIN, since=other.size - 1, signers=("second", "third"))
    assert word(other).word == "QUALIFIED"


def test_hold_that_a_doubted_key_cleared_is_in_force_again() -> None:
    story = governed()
    story.register("stolen", Role.MAINTAINER)
    run_study(story)
    placed = story.append(hold(story.make))
    story.append(clear(story.make, placed.digest, signer="stolen"))
    assert word(story).word == "QUALIFIED"
    doubt(story, "stolen", Role.MAINTAINER, since=1)
    document = word(story)
    assert codes(document) == ["HOLD_IN_FORCE"]
    story.append(clear(story.make, placed.digest, why="By a key in force."))
    assert word(story).word == "QUALIFIED"


def test_hold_of_a_doubted_key_stays_in_force() -> None:
    story = governed()
    story.register("stolen", Role.MAINTAINER)
    run_study(story)
    story.append(hold(story.make, signer="stolen"))
    doubt(story, "stolen", Role.MAINTAINER, since=1)
    document = word(story)
    assert codes(document) == ["HOLD_IN_FORCE"]
    assert document.holds[0].said.suspect


def test_tip_that_a_doubted_key_gave_is_tainted() -> None:
    story = governed(policy=False)
    story.policy(tracked_branch="main")
    story.register("stolen", Role.MAINTAINER)
    run_study(story)
    story.append(ref(story.make, commit("base"), signer="stolen"))
    assert word(story).word == "QUALIFIED"
    doubt(story, "stolen", Role.MAINTAINER, since=1)
    assert codes(word(story)) == ["TAINTED"]


def test_exploratory_study_carries_no_taint() -> None:
    story = governed()
    story.register("second-runner")
    run_study(story)
    keys = [signing_key("second-runner").key_id]
    story.open(exploratory=True, runners=["second-runner"])
    assert story.study().predicate.runners == keys
    story.reserve(A, signer="second-runner")
    story.push(A, signer="second-runner")
    doubt(story, "second-runner", Role.RUNNER, since=1)
    assert word(story).word == "QUALIFIED"


def test_void_study_that_is_tainted_is_not_void() -> None:
    story = governed()
    run_study(story, {A: warmup_failed()}, skip=(B, A2))
    story.end()
    assert word(story).studies[0].counting == "void"
    doubt(story, "runner", Role.RUNNER, since=1)
    assert word(story).studies[0].counting == "counts"


def test_offline_score_says_the_same_about_doubt() -> None:
    story = governed()
    run_study(story)
    doubt(story, "runner", Role.RUNNER, since=1)
    assert score_bundle(write_bundle(bundled(story))) == {"land": verdict_bytes(word(story))}


def test_earlier_of_two_suspicions_stays_and_unknown_keys_are_not_doubted() -> None:
    story = governed()
    doubt(story, "runner", Role.RUNNER, since=3)
    doubt(story, "runner", Role.RUNNER, since=2)
    doubt(story, "runner", Role.RUNNER, since=4)
    keyring = story.ledger.keyring
    found = keyring.suspicion_of(signing_key("runner").key_id, 9)
    assert found is not None
    assert (found.from_index, found.entry) == (2, story.size - 2)
    assert not keyring.is_suspect("f" * 64, 9)
    assert keyring.doubting("f" * 64, found) is keyring
    assert isinstance(story.ledger.ref, LedgerRef)
