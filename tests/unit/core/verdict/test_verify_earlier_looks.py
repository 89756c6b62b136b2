# SPDX-License-Identifier: Apache-2.0
"""An earlier look and a thread's pasted lines: no other history, and no smaller log."""

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from app.core.digest import from_base64
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.merkle import consistency_proof
from app.core.log.note import NoteSigner
from app.core.log.pin import Pin, pin_of
from app.core.verdict.bundle import write_bundle
from app.core.verdict.verification import VerificationOutcome
from app.core.verdict.verify import pin_after
from tests.drafts import HEAD, ORIGIN, signing_key
from tests.factories import Story, begun
from tests.unit.core.verdict.bundles import (
    data_of,
    passed,
    records_of,
)
from tests.unit.core.verdict.checking import LOG, checked, decided, genesis_of, states, trusted
from tests.unit.core.verdict.tales import bundled, grown

# ---- an earlier look, and a thread's lines ----


def note_at(story: Story, size: int, *, root: bytes | None = None) -> str:
    of = bytes.fromhex(story.roots[size]) if root is None else root
    return sign_checkpoint(Checkpoint(ORIGIN, size, of), [LOG]).decode()


def pinned(story: Story, size: int, *, root: bytes | None = None) -> Pin:
    return pin_of(genesis_of(story), LOG.verifier, note_at(story, size, root=root))


def elsewhere(story: Story) -> tuple[bytes, Story]:
    """Return a bundle of a log that has grown by one entry of another line."""
    story.now_us += 1
    return write_bundle(bundled(story)), story


def proofs_of(story: Story) -> object:
    leaves = {step.entry.index: step.entry.leaf.hash() for step in story.steps}
    tree = grown(leaves, story.size + 1)

    def consistency(old: int, new: int) -> Sequence[bytes]:
        return consistency_proof(old, new, tree._hash_at)

    return consistency


def test_r16_an_earlier_look_is_trust_and_memory() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    for size in (story.size, 5, 1):  # of the same size, and where the bundle has an entry
        found = checked(data, pin=pinned(story, size))
        assert (found.outcome, states(found)["pin"]) == ("verified", "ok")


def test_r16_another_history_than_the_one_seen_before_is_inconsistent() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    for size in (story.size, 5):
        found = checked(data, pin=pinned(story, size, root=bytes(32)))
        assert decided(found) == (VerificationOutcome.INCONSISTENT, "inconsistent")


def test_r16_a_size_that_the_bundle_does_not_show_needs_the_log() -> None:
    """The reader asked whether this continues what was seen; that it may is not that it does."""
    data, story = elsewhere(passed())
    for trust in ((), (trusted(story),)):
        found = checked(data, *trust, pin=pinned(story, story.size))
        assert decided(found) == (VerificationOutcome.NO_MATCH, "other-size")
        assert [one.name for one in found.checks if one.state == "failed"] == ["pin"]
    found = checked(data, pin=pinned(story, story.size), consistency=proofs_of(story))
    assert (found.outcome, states(found)["pin"]) == ("verified", "ok")
    forked = pinned(story, story.size, root=bytes(32))
    found = checked(data, pin=forked, consistency=proofs_of(story))
    assert decided(found) == (VerificationOutcome.INCONSISTENT, "inconsistent")


def test_r06_a_log_that_is_smaller_than_it_was_is_rolled_back() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    later = pinned(story, story.size + 3, root=bytes(32))
    found = checked(data, pin=later, is_newest=True)
    assert decided(found) == (VerificationOutcome.ROLLED_BACK, "rolled-back")
    assert decided(checked(data, pin=later)) == (VerificationOutcome.NO_MATCH, "other-size")


@pytest.mark.parametrize("change", ["genesis", "log"])
def test_s16_a_pin_of_another_ledger_is_no_trust(change: str) -> None:
    story = passed()
    pin = pinned(story, story.size)
    if change == "genesis":
        pin = replace(pin, genesis="0" * 64)
    else:
        forger = NoteSigner(ORIGIN, signing_key("forger"))
        note = sign_checkpoint(pin.checkpoint, [forger]).decode()
        pin = pin_of(pin.genesis, forger.verifier, note)
    found = checked(write_bundle(bundled(story)), trusted(story), pin=pin)
    assert decided(found) == (VerificationOutcome.UNTRUSTED, "other-ledger")
    found = checked(write_bundle(bundled(story)), pin=pin)
    assert decided(found) == (VerificationOutcome.BAD_SIGNATURE, "other-ledger")


def test_r16_the_first_look_is_remembered_and_later_ones_only_when_they_continue_it() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    first = pin_after(checked(data), None)
    assert first == pinned(story, story.size)
    assert pin_after(checked(data, trusted(story)), None) == first
    assert pin_after(checked(data, pin=pinned(story, 5)), pinned(story, 5)) == first
    assert pin_after(checked(data, pin=first), first) is None
    forked = pinned(story, 5, root=bytes(32))
    assert pin_after(checked(data, pin=forked), forked) is None
    grown_data, grown_story = elsewhere(passed())
    unseen = pinned(grown_story, grown_story.size)
    assert pin_after(checked(grown_data, pin=unseen), unseen) is None
    assert pin_after(checked(b""), None) is None


def test_r16_what_somebody_pasted_is_held_against_the_bundle() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    pasted = "> " + note_at(story, story.size).replace("\n", "\n> ") + note_at(story, 5)
    found = checked(data, trusted(story), pasted=pasted.encode())
    assert (found.outcome, states(found)["pasted"]) == ("verified", "ok")
    other = note_at(story, story.size, root=bytes(32))
    found = checked(data, trusted(story), pasted=other.encode())
    assert decided(found) == (VerificationOutcome.INCONSISTENT, "inconsistent")


def test_s13_pasted_lines_that_show_nothing_do_not_pass() -> None:
    data, story = elsewhere(passed())
    forged = sign_checkpoint(
        Checkpoint(ORIGIN, 3, bytes(32)), [NoteSigner(ORIGIN, signing_key("x"))]
    )
    half = note_at(story, 4).replace("\u2014 " + ORIGIN, "\u2014 other.example")
    for pasted, expected in (
        (b"thanks!", (VerificationOutcome.NO_MATCH, "no-match")),
        (b"\xff", (VerificationOutcome.NO_MATCH, "pasted")),
        (note_at(story, story.size).encode(), (VerificationOutcome.NO_MATCH, "other-size")),
        (forged, (VerificationOutcome.BAD_SIGNATURE, "note-unsigned")),
        (half.encode(), (VerificationOutcome.BAD_SIGNATURE, "note-unsigned")),
    ):
        assert decided(checked(data, trusted(story), pasted=pasted)) == expected


def test_every_check_has_a_line_whatever_happens() -> None:
    whole = write_bundle(bundled(passed()))
    names = [check.name for check in checked(whole).checks]
    records = records_of(passed())
    del records[3]
    cut = [r for r in records_of(passed()) if r["record"] != "capture"]
    for data in (b"", b"x\n", data_of(records), data_of(cut), write_bundle(bundled(begun()))):
        assert [check.name for check in checked(data).checks] == names
    assert json.loads(from_base64(records[0]["envelope"]["payload"]))["head"] == HEAD
