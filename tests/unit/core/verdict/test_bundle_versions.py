# SPDX-License-Identifier: Apache-2.0
"""What one head's line held at each lock, counted again from a bundle and nothing else."""

import pytest

from app.core.errors import IntegrityBroken
from app.core.reason import Reason
from app.core.verdict.bundle import read_bundle, write_bundle
from app.core.verdict.bundle_versions import versions_in
from tests import facts
from tests.documents import commit, digest
from tests.factories import Story, begun
from tests.gates import bound
from tests.lints import gated, with_
from tests.unit.core.verdict.tales import B, append_verdicts, bundled, run_study

BOUND = with_(bound(limit="10000000"), scope="live_correctness")
V1 = gated(BOUND)
V2 = gated(with_(BOUND, comparison__limit="15000000"), version=2)


def amended() -> Story:
    """Fail a study on one head, lock a looser version, run another study under it."""
    story = begun(V1)
    run_study(story, {B: facts.starved()})
    story.close_due()
    append_verdicts(story)
    story.lock(V2, supersedes=next(iter(story.standing().repository.protocols)))
    return story


def test_bundle_says_what_its_head_held_at_each_lock() -> None:
    bundle = read_bundle(write_bundle(bundled(amended())))
    for name in (V1.name, *(one.lock.digest for one in versions_in(bundle, V1.name))):
        first, second = versions_in(bundle, name)
        assert (first.reason, first.known.studies) == (Reason.FIRST_VERSION, 0)
        assert (second.reason, second.exploratory) == (Reason.LOCKED_AFTER_FAIL, ("bound-b",))
        known = second.known
        assert (known.studies, known.attempts, known.receipts, known.closed) == (1, 3, 3, 1)
        assert known.judgements.FAIL == 3


def test_bundle_of_another_head_knows_nothing_of_this_one() -> None:
    story = amended()
    story.make.head = commit("another")
    story.open()
    (_, second) = versions_in(bundled(story), V1.name)
    assert (second.reason, second.known.studies) == (Reason.LOCKED_BEFORE_ATTEMPTS, 0)


def test_protocol_that_the_bundle_does_not_hold_has_no_versions() -> None:
    assert versions_in(bundled(amended()), digest("another")) == ()


def test_entry_that_is_left_out_is_damage_and_no_smaller_count() -> None:
    whole = write_bundle(bundled(amended())).splitlines(keepends=True)
    at = next(n for n, line in enumerate(whole) if b'"entry"' in line)
    with pytest.raises(IntegrityBroken):
        versions_in(read_bundle(b"".join(whole[: at + 5] + whole[at + 6 :])), V1.name)
