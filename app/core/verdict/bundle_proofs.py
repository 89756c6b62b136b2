# SPDX-License-Identifier: Apache-2.0
"""Holds the entries of a bundle against its tree: each stands under the root that was signed.

The leaf hash is computed from the entry at hand, never taken from a proof, so that a proof of
another entry proves nothing. A reservation's leaf says what the tree below it was, and its
challenge rests on that; the proof of the same leaf shows that tree, so it is compared as well. A
key statement names a tree that its admins had seen; where the bundle has the entry at that size,
that tree is compared too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.core.errors import IntegrityBroken
from app.core.log.leaf import TreeHead
from app.core.log.merkle import root_below, verify_inclusion
from app.core.statement.entry import Entry
from app.core.statement.key import KeyPredicate
from app.core.verdict.bundle_head import BundleHead


def refuse_unproven(head: BundleHead, entries: Iterable[tuple[Entry, tuple[bytes, ...]]]) -> None:
    """Refuse an entry whose proof does not lead to the root of the bundle's tree.

    Args:
        head: what was signed.
        entries: each with its inclusion proof, the leaf's sibling first.

    Raises:
        IntegrityBroken: ``inclusion-proof``, naming the index; ``reservation-tree``, a reservation
            names another tree than the one it stands on; ``key-tree``, a key statement names
            another tree than the log's own of that size.
    """
    root = bytes.fromhex(head.root)
    proofs: dict[int, tuple[bytes, ...]] = {}
    for entry, proof in entries:
        _refuse_outside(entry, proof, head.size, root)
        proofs[entry.index] = proof
        _refuse_other_key_tree(entry, proofs, head.size)
        after = entry.leaf.after
        if after is None:
            continue
        below = root_below(index=entry.index, size=head.size, proof=proof)
        if after != TreeHead(entry.index, below.hex()):
            message = (
                f"The reservation at index {entry.index} names another tree than the one below it, "
                "so its challenge is none."
            )
            raise IntegrityBroken(message, code="reservation-tree")


def _refuse_other_key_tree(
    entry: Entry, proofs: Mapping[int, tuple[bytes, ...]], size: int
) -> None:
    """Compare the tree a key statement names, where an entry at or below it shows that tree."""
    predicate = None if entry.parsed is None else entry.parsed.predicate
    if not isinstance(predicate, KeyPredicate) or predicate.checkpoint.size not in proofs:
        return
    seen = predicate.checkpoint
    below = root_below(index=seen.size, size=size, proof=proofs[seen.size])
    if seen.root != below.hex():
        message = (
            f"The key statement at index {entry.index} was made after another tree of size "
            f"{seen.size} than this log's."
        )
        raise IntegrityBroken(message, code="key-tree")


def _refuse_outside(entry: Entry, proof: tuple[bytes, ...], size: int, root: bytes) -> None:
    try:
        verify_inclusion(entry.leaf.hash(), index=entry.index, size=size, proof=proof, root=root)
    except IntegrityBroken as error:
        message = (
            f"The inclusion proof of the entry at index {entry.index} does not lead from this "
            f"entry to the root of the tree of size {size}."
        )
        raise IntegrityBroken(message, code="inclusion-proof") from error
