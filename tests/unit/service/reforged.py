# SPDX-License-Identifier: Apache-2.0
"""A store with one other leaf, of which every byte agrees with every other."""

import copy
from dataclasses import replace

from msgspec import structs

from app.core.identity import micros_of
from app.core.log.leaf import Leaf, TreeHead, parse_leaf
from app.core.log.merkle import Frontier
from tests.fakes import MemoryTables, ledger_keys


def reforged(tables: MemoryTables, index: int, **changes: object) -> MemoryTables:
    """Return a store with another leaf at ``index``, and everything above made to fit it."""
    forged, frontier, signer = copy.deepcopy(tables), Frontier(), ledger_keys()
    sizes = {row.size: place for place, row in enumerate(forged.checkpoints)}
    for at, row in enumerate(forged.leaves):
        leaf: Leaf = parse_leaf(row.record)
        if at == index:
            leaf = structs.replace(leaf, **changes)
        elif leaf.after is not None:
            leaf = structs.replace(leaf, after=TreeHead(at, frontier.root().hex()))
        new = replace(
            row,
            record=leaf.to_bytes(),
            hash=leaf.hash(),
            line=leaf.line,
            seq=leaf.seq,
            at_us=micros_of(leaf.at),
        )
        forged.leaves[at] = new
        frontier = frontier.append(new.hash)
        place = sizes.get(frontier.size)
        if place is not None:
            root = frontier.root()
            forged.checkpoints[place] = replace(
                forged.checkpoints[place],
                root=root,
                at_us=new.at_us,
                note=signer.sign_checkpoint(frontier.size, root),
            )
    return forged
