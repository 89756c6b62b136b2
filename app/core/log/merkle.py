# SPDX-License-Identifier: Apache-2.0
"""The Merkle tree of RFC 6962, section 2.1: hashes, a growing root, and both kinds of proof.

A leaf is hashed with the prefix 0x00 and a node with 0x01, so that neither can pass for the other.
Proofs are made from a reader ``hash_at(level, index)``, which gives the hash of the complete
subtree over leaves ``[index * 2**level, (index + 1) * 2**level)``; where those hashes lie is
``tile.py``'s matter. Verification follows RFC 9162, 2.1.3.2 and 2.1.4.2, in which the sizes alone
decide how many hashes a proof has: it can be neither stretched nor cut.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from app.core.errors import IntegrityBroken

HASH_BYTES = 32
LEAF_PREFIX = b"\x00"
NODE_PREFIX = b"\x01"

EMPTY_ROOT = hashlib.sha256(b"").digest()
"""Root of the tree without leaves: SHA-256 of nothing (RFC 6962, 2.1)."""

HashAt: TypeAlias = Callable[[int, int], bytes]
"""``hash_at(level, index)``: the hash of one complete subtree."""


def leaf_hash(record: bytes) -> bytes:
    """Return the hash of one leaf: SHA-256(0x00 || record)."""
    return hashlib.sha256(LEAF_PREFIX + record).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of one node: SHA-256(0x01 || left || right)."""
    return hashlib.sha256(NODE_PREFIX + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a growing tree must remember: the complete subtrees of its leaves, the largest first.

    There is one subtree for each 1 in the binary form of ``size``, so a tree of 2**40 leaves keeps
    at most 40 hashes. Appending gives a new frontier and leaves the old one usable: a batch that
    was not committed is simply dropped.
    """

    size: int = 0
    nodes: tuple[bytes, ...] = ()

    @classmethod
    def load(cls, size: int, hash_at: HashAt) -> Frontier:
        """Return the frontier of the first ``size`` leaves of a tree that ``hash_at`` reads."""
        parts = _complete_parts(0, size)
        return cls(size, tuple(hash_at(level, index) for level, index in parts))

    def append(self, leaf: bytes) -> Frontier:
        """Return the frontier with one more leaf hash."""
        return self.extend((leaf,))

    def extend(self, leaves: Iterable[bytes]) -> Frontier:
        """Return the frontier with more leaf hashes, in order."""
        nodes, size = list(self.nodes), self.size
        for leaf in leaves:
            node, carry = leaf, size
            while carry & 1:  # binary addition: each 1 that carries is a subtree that is joined
                node = node_hash(nodes.pop(), node)
                carry >>= 1
            nodes.append(node)
            size += 1
        return Frontier(size, tuple(nodes))

    def root(self) -> bytes:
        """Return the root of the tree so far."""
        return _join(self.nodes) if self.nodes else EMPTY_ROOT


def root_of(leaf_hashes: Iterable[bytes]) -> bytes:
    """Return the root over leaf hashes, in order."""
    return Frontier().extend(leaf_hashes).root()


def inclusion_proof(index: int, size: int, hash_at: HashAt) -> tuple[bytes, ...]:
    """Return the audit path of leaf ``index`` in the tree of ``size`` (RFC 6962, 2.1.1).

    Raises:
        IntegrityBroken: ``inclusion-proof``, there is no such leaf.
    """
    if not 0 <= index < size:
        raise _no_inclusion()
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range_hash(middle, end, hash_at))
            end = middle
        else:
            path.append(_range_hash(start, middle, hash_at))
            start = middle
    return tuple(reversed(path))


def consistency_proof(old_size: int, new_size: int, hash_at: HashAt) -> tuple[bytes, ...]:
    """Return the proof that the tree of ``new_size`` begins with the one of ``old_size`` (2.1.2).

    Empty when the sizes are equal or the old tree is empty: there is nothing to show.

    Raises:
        IntegrityBroken: ``consistency-proof``, the old size is negative or above the new one.
    """
    if not 0 <= old_size <= new_size:
        raise _no_consistency()
    if old_size in {0, new_size}:
        return ()
    path: list[bytes] = []
    start, end = 0, new_size
    while end != old_size:
        middle = start + _split(end - start)
        if old_size <= middle:
            path.append(_range_hash(middle, end, hash_at))
            end = middle
        else:
            path.append(_range_hash(start, middle, hash_at))
            start = middle
    if start > 0:  # the old tree is no complete subtree of the new one: show its last part too
        path.append(_range_hash(start, end, hash_at))
    return tuple(reversed(path))


def verify_inclusion(
    leaf: bytes, *, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> None:
    """Verify that the leaf hash ``leaf`` stands at ``index`` under the ``root`` of ``size`` leaves.

    Raises:
        IntegrityBroken: ``inclusion-proof``.
    """
    if not 0 <= index < size:
        raise _no_inclusion()
    inner, border = _path_shape(index, size)
    if len(proof) != inner + border or not _are_hashes(leaf, root, *proof):
        raise _no_inclusion()
    if _climb(leaf, index, proof[:inner], proof[inner:]) != root:
        raise _no_inclusion()


def root_below(*, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """Return the root over the leaves before ``index``, read from that leaf's inclusion proof.

    The siblings on the left of a path are the complete subtrees of ``[0, index)``. So a proof that
    holds shows the older tree too; one that was not verified first shows nothing.
    """
    inner, _ = _path_shape(index, size)
    lefts = [item for i, item in enumerate(proof) if i >= inner or index >> i & 1]
    return _join(lefts[::-1]) if lefts else EMPTY_ROOT


def verify_consistency(
    *, old_size: int, old_root: bytes, new_size: int, new_root: bytes, proof: Sequence[bytes]
) -> None:
    """Verify that the tree of ``new_size`` begins with the tree of ``old_size``.

    Raises:
        IntegrityBroken: ``consistency-proof``.
    """
    if not 0 <= old_size <= new_size or not _are_hashes(old_root, new_root, *proof):
        raise _no_consistency()
    if old_size in {0, new_size}:
        same = old_size != new_size or old_root == new_root
        if proof or not same or (old_size == 0 and old_root != EMPTY_ROOT):
            raise _no_consistency()
        return
    # The climb starts at the old tree's last complete subtree, ``level`` levels up. Where that is
    # the whole old tree its root is known; else the proof begins with the subtree's hash.
    level = (old_size & -old_size).bit_length() - 1
    inner, border = _path_shape(old_size - 1, new_size)
    first, inner = (0 if old_size == 1 << level else 1), inner - level
    if len(proof) != first + inner + border:
        raise _no_consistency()
    seed = proof[0] if first else old_root
    sides = (old_size - 1) >> level
    path, rest = proof[first : first + inner], proof[first + inner :]
    left_only = [sibling for i, sibling in enumerate(path) if sides >> i & 1]
    if _climb(seed, 0, (), (*left_only, *rest)) != old_root:
        raise _no_consistency()
    if _climb(seed, sides, path, rest) != new_root:
        raise _no_consistency()


def _are_hashes(*items: bytes) -> bool:
    return all(len(item) == HASH_BYTES for item in items)


def _path_shape(index: int, size: int) -> tuple[int, int]:
    """Return how many siblings of a leaf lie below the right edge of the tree, and how many on it.

    Below, the bits of the index say on which side a sibling stands; from where the path meets the
    edge every sibling stands on the left.
    """
    inner = (index ^ (size - 1)).bit_length()
    return inner, (index >> inner).bit_count()


def _climb(seed: bytes, sides: int, inner: Sequence[bytes], border: Sequence[bytes]) -> bytes:
    """Hash ``seed`` up with ``inner`` (bit i of ``sides``: sibling i is left), then ``border``."""
    result = seed
    for i, sibling in enumerate(inner):
        result = node_hash(sibling, result) if sides >> i & 1 else node_hash(result, sibling)
    for sibling in border:
        result = node_hash(sibling, result)
    return result


def _split(size: int) -> int:
    """Return the largest power of two below ``size`` (RFC 6962, 2.1: k < n <= 2k)."""
    return 1 << ((size - 1).bit_length() - 1)


def _complete_parts(start: int, end: int) -> list[tuple[int, int]]:
    """Cut ``[start, end)`` into complete subtrees, the largest first; ``start`` is aligned."""
    parts = []
    while start < end:
        level = (end - start).bit_length() - 1
        parts.append((level, start >> level))
        start += 1 << level
    return parts


def _range_hash(start: int, end: int, hash_at: HashAt) -> bytes:
    return _join([hash_at(level, index) for level, index in _complete_parts(start, end)])


def _join(nodes: Sequence[bytes]) -> bytes:
    """Hash subtrees, the largest first, into the root over all of them."""
    result = nodes[-1]
    for node in reversed(nodes[:-1]):
        result = node_hash(node, result)
    return result


def _no_inclusion() -> IntegrityBroken:
    message = "The inclusion proof does not lead from this leaf to the root of this tree size."
    return IntegrityBroken(message, code="inclusion-proof")


def _no_consistency() -> IntegrityBroken:
    message = "The consistency proof does not lead from the older root to the newer one."
    return IntegrityBroken(message, code="consistency-proof")
