# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a study is any value of it
"""Whole studies in a few words, on top of the ledger in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import zstandard

from app.core.identity import micros_of
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.leaf import Leaf
from app.core.log.merkle import inclusion_proof, leaf_hash, root_of
from app.core.log.note import NoteSigner
from app.core.signing.envelope import sign
from app.core.statement.capture import Capture
from app.core.statement.encoding import encode
from app.core.statement.entry import Entry
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.bundle import (
    Bundle,
    BundleEntry,
    BundleHead,
    SignedHead,
    head_at,
    make_bundle,
    payload_of,
)
from app.core.verdict.bundle_head import PAYLOAD_TYPE
from app.core.verdict.fold import claims_of, give_verdict, give_verdicts
from tests.documents import DAY_US
from tests.factories import Story, signing_key
from tests.facts import capture

A, B, A2 = "A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1"
Facts = Mapping[str, Capture]


def run_study(
    story: Story, facts: Facts | None = None, *, skip: Sequence[str] = (), **changes: Any
) -> None:
    """Open a study and fill its slots in order, with good captures unless ``facts`` has others."""
    story.open(**changes)
    fill(story, facts, skip=skip)


def fill(story: Story, facts: Facts | None = None, *, skip: Sequence[str] = ()) -> None:
    """Reserve and fill every slot of the newest study, save those in ``skip``."""
    given = facts or {}
    slots = [slot for slot in story.study().slots if slot not in skip]
    for number, slot in enumerate(slots):
        story.reserve(slot)
        story.push(slot, given.get(slot, capture(boot_id=f"boot-{story.size}-{number}")))


def end(story: Story) -> None:
    """End the newest study and wait until nothing of it can be filled any more."""
    story.end()
    story.wait(3 * DAY_US)


def word(story: Story, claim: str | None = "land", *, after_us: int = 0) -> VerdictDocument:
    """Return the verdict of the story's head as of now."""
    return give_verdict(
        story.standing(),
        claim=claim,
        log_time_us=story.now_us + after_us,
        captures=story.captures.__getitem__,
    )


def words(story: Story) -> Mapping[str | None, VerdictDocument]:
    """Return the verdicts of all claims as of now."""
    captures = story.captures.__getitem__
    return give_verdicts(story.standing(), log_time_us=story.now_us, captures=captures)


def codes(document: VerdictDocument) -> list[str]:
    """Return the codes of a verdict's reasons, in order."""
    return [reason.code for reason in document.reasons]


def append_verdicts(story: Story) -> None:
    """Let the ledger say its verdicts."""
    for claim in claims_of(story.standing()):  # each reads the one before it
        story.append(story.make.verdict(word(story, claim)))


def unknown_entry(story: Story, line: str, *, seq: int, prev: int | None) -> Entry:
    """Return an entry of a kind that nobody knows yet, next in the log."""
    leaf = Leaf(
        at="2026-09-22T00:00:00.000000Z",
        kind="foo",
        statement="f" * 64,
        size=1,
        key="e" * 64,
        line=line,
        seq=seq,
        prev=prev,
    )
    return Entry(story.size, leaf, None)


@dataclass(frozen=True)
class GrownTree:
    """A tree of which some leaves are known, and the others are of other lines."""

    hashes: tuple[bytes, ...]

    @property
    def size(self) -> int:
        return len(self.hashes)

    @property
    def root(self) -> bytes:
        return root_of(self.hashes)

    def proof(self, index: int) -> tuple[bytes, ...]:
        if index >= self.size:
            return ()
        return inclusion_proof(index, self.size, self._hash_at)

    def _hash_at(self, level: int, index: int) -> bytes:
        return root_of(self.hashes[index << level : (index + 1) << level])


def grown(leaves: Mapping[int, bytes], size: int) -> GrownTree:
    """Return the tree of ``size`` with these leaf hashes at their indices."""
    elsewhere = leaf_hash(b"of another line")
    return GrownTree(tuple(leaves.get(index, elsewhere) for index in range(size)))


def signed_head(head: BundleHead) -> SignedHead:
    """Return a head with what the tests' ledger signs for it."""
    envelope = sign(payload_of(head), [signing_key("ledger")], payload_type=PAYLOAD_TYPE)
    tree = Checkpoint(head.origin, head.size, bytes.fromhex(head.root))
    note = sign_checkpoint(tree, [NoteSigner(head.origin, signing_key("checkpoint"))])
    return SignedHead(head, envelope, note.decode())


def bundled(story: Story) -> Bundle:
    """Return the bundle of the story's head, as the ledger would write it."""
    leaves = {step.entry.index: step.entry.leaf.hash() for step in story.steps}
    waited = story.now_us > micros_of(story.steps[-1].entry.leaf.at)
    tree = grown(leaves, story.size + waited)  # the log has grown elsewhere meanwhile
    head = head_at(story.standing(), size=tree.size, root=tree.root.hex(), log_time_us=story.now_us)
    entries = tuple(
        BundleEntry(step.entry, step.draft.envelope, tree.proof(step.entry.index))
        for step in story.steps
        if step.entry.leaf.line in head.lines
    )

    def zstd_of(sha256: str) -> bytes:
        return zstandard.ZstdCompressor().compress(encode(story.captures[sha256]))

    return make_bundle(signed_head(head), entries, story.standing(), zstd_of)
