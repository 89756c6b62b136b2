# SPDX-License-Identifier: Apache-2.0
"""A proof leads to the root or is refused."""

import hashlib
from contextlib import nullcontext

import pytest

from app.core.errors import IntegrityBroken
from app.core.log.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)

LEAVES = tuple(leaf_hash(bytes([i])) for i in range(40))
SIZES = range(1, len(LEAVES) + 1)


def hash_at(level: int, index: int) -> bytes:
    return root_of(LEAVES[index << level : (index + 1) << level])


def root(size: int) -> bytes:
    return root_of(LEAVES[:size])


def test_leaf_and_node_are_hashed_under_different_prefixes() -> None:
    assert leaf_hash(b"a") == hashlib.sha256(b"\0a").digest()
    assert node_hash(b"l", b"r") == hashlib.sha256(b"\1lr").digest()
    assert root_of([]) == EMPTY_ROOT == hashlib.sha256().digest()
    assert root_of(LEAVES[:1]) == LEAVES[0]
    assert root_of(LEAVES[:3]) == node_hash(node_hash(LEAVES[0], LEAVES[1]), LEAVES[2])


def test_frontier_grows_one_by_one_as_at_once_and_as_loaded() -> None:
    grown = Frontier()
    for size in SIZES:
        before = grown
        grown = grown.append(LEAVES[size - 1])
        assert grown == Frontier().extend(LEAVES[:size]) == Frontier.load(size, hash_at)
        assert grown.root() == root(size)
        assert len(grown.nodes) == size.bit_count()
        assert before.size == size - 1
        assert before.root() == root(size - 1)


def test_every_inclusion_proof_verifies_and_no_other_index_size_or_leaf_does() -> None:
    for size in SIZES:
        for index in range(size):
            proof = inclusion_proof(index, size, hash_at)
            top = root(size)
            verify_inclusion(LEAVES[index], index=index, size=size, proof=proof, root=top)
            for leaf, i, n in (
                (LEAVES[index - 1] if size > 1 else EMPTY_ROOT, index, size),
                (LEAVES[index], index ^ 1, size),
                (LEAVES[index], index, 2 * size + 1),
            ):
                with pytest.raises(IntegrityBroken) as caught:
                    verify_inclusion(leaf, index=i, size=n, proof=proof, root=top)
                assert caught.value.code == "inclusion-proof"


def test_every_consistency_proof_verifies_and_no_other_root_does() -> None:
    for new in range(len(LEAVES) + 1):
        for old in range(new + 1):
            proof = consistency_proof(old, new, hash_at)
            good = (root(old), root(new))
            others = [(bytes(32), root(new))]
            if old or not new:  # from nothing to something there is no root to compare
                others.append((root(old), bytes(32)))
            for old_root, new_root in (good, *others):
                refused = pytest.raises(IntegrityBroken, match="consistency")
                with nullcontext() if (old_root, new_root) == good else refused:
                    verify_consistency(
                        old_size=old,
                        old_root=old_root,
                        new_size=new,
                        new_root=new_root,
                        proof=proof,
                    )


@pytest.mark.parametrize(("index", "size"), [(0, 1), (4, 7), (6, 7), (7, 8)])
def test_inclusion_proof_cut_or_stretched_is_refused(index: int, size: int) -> None:
    proof = inclusion_proof(index, size, hash_at)
    for other in (proof[:-1] if proof else (EMPTY_ROOT,), (*proof, EMPTY_ROOT)):
        with pytest.raises(IntegrityBroken):
            verify_inclusion(LEAVES[index], index=index, size=size, proof=other, root=root(size))


@pytest.mark.parametrize(("old", "new"), [(0, 5), (5, 5), (3, 7), (4, 7), (6, 8)])
def test_consistency_proof_cut_or_stretched_is_refused(old: int, new: int) -> None:
    proof = consistency_proof(old, new, hash_at)
    for other in (proof[:-1] if proof else (EMPTY_ROOT,), (*proof, EMPTY_ROOT)):
        with pytest.raises(IntegrityBroken):
            verify_consistency(
                old_size=old, old_root=root(old), new_size=new, new_root=root(new), proof=other
            )


@pytest.mark.parametrize(("index", "size"), [(-1, 1), (1, 1), (0, 0), (5, 3)])
def test_inclusion_of_a_leaf_that_is_not_there_is_refused(index: int, size: int) -> None:
    with pytest.raises(IntegrityBroken):
        inclusion_proof(index, size, hash_at)
    with pytest.raises(IntegrityBroken):
        verify_inclusion(LEAVES[0], index=index, size=size, proof=(), root=LEAVES[0])


@pytest.mark.parametrize(("old", "new"), [(-1, 1), (2, 1)])
def test_consistency_of_a_shrinking_tree_is_refused(old: int, new: int) -> None:
    with pytest.raises(IntegrityBroken):
        consistency_proof(old, new, hash_at)
    with pytest.raises(IntegrityBroken):
        verify_consistency(
            old_size=old, old_root=EMPTY_ROOT, new_size=new, new_root=EMPTY_ROOT, proof=()
        )
