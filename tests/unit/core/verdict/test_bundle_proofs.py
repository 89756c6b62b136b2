# SPDX-License-Identifier: Apache-2.0
"""Proofs of another entry, of another tree, or none: a bundle shows that each entry was logged."""

import pytest
from msgspec.structs import replace
from msgspec.structs import replace as changed

from app.core.digest import from_base64, to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.leaf import TreeHead, parse_leaf
from app.core.statement.entry import Entry
from app.core.statement.key import CheckpointRef, KeyPredicate
from app.core.verdict.bundle import score_bundle
from app.core.verdict.bundle_file import read_bundle
from app.core.verdict.bundle_proofs import refuse_unproven
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    passed,
    proven,
    records_of,
    refused,
    resigned,
)
from tests.unit.core.verdict.tales import grown


def places(records: Records, kind: str) -> list[int]:
    return [n for n, record in enumerate(records) if kind_of(record) == kind]


def test_s14_the_swapped_proofs_of_two_receipts_are_refused_for_both() -> None:
    records = records_of(passed())
    first, second, *_ = places(records, "receipt")
    swapped = [{**record} for record in records]
    swapped[first]["proof"] = records[second]["proof"]
    swapped[second]["proof"] = records[first]["proof"]
    for kept in (first, second):
        one = [*swapped]
        one[kept] = records[kept]
        error = refused(data_of(one))
        assert (type(error), error.code) == (IntegrityBroken, "inclusion-proof")
        other = records[first if kept == second else second]
        assert f"index {other['index']} " in error.detail


@pytest.mark.parametrize("change", ["none", "short", "long", "other"])
def test_s14_a_proof_that_does_not_lead_to_the_root_is_refused(change: str) -> None:
    records = records_of(passed())
    place = places(records, "receipt")[0]
    proof = records[place]["proof"]
    records[place]["proof"] = {
        "none": [],
        "short": proof[:-1],
        "long": [*proof, proof[-1]],
        "other": [to_base64(bytes(32)), *proof[1:]],
    }[change]
    assert refused(data_of(records)).code == "inclusion-proof"


def test_a_proof_that_is_no_hash_is_no_bundle() -> None:
    records = records_of(passed())
    place = places(records, "receipt")[0]
    records[place]["proof"][0] = "!" * 44
    error = refused(data_of(records))
    assert (type(error), error.code) == (MalformedDocument, "bundle")


def test_s14_a_proof_in_a_tree_that_the_ledger_did_not_sign_is_refused() -> None:
    records = records_of(passed())
    leaves = {
        record["index"]: parse_leaf(from_base64(record["leaf"])).hash()
        for record in records
        if record["record"] == "entry"
    }
    larger = grown(leaves, len(leaves) + 1)
    error = refused(data_of([proven(record, larger) for record in records]))
    assert error.code == "inclusion-proof"


def test_a_reservation_that_names_another_tree_than_the_one_below_it_is_refused() -> None:
    """Although the ledger itself has signed for it: its challenge would rest on nothing."""
    story = passed()
    records = records_of(story)
    place = places(records, "reservation")[0]
    leaf = parse_leaf(from_base64(records[place]["leaf"]))
    assert leaf.after is not None
    for after in (replace(leaf.after, root="0" * 64), TreeHead(0, story.roots[0])):
        forged = replace(leaf, after=after)
        lied = [{**record} for record in resigned(records)]
        lied[place]["leaf"] = to_base64(forged.to_bytes())
        leaves = {
            record["index"]: parse_leaf(from_base64(record["leaf"])).hash()
            for record in lied
            if record["record"] == "entry"
        }
        tree = grown(leaves, story.size)
        signed = resigned(records, root=tree.root.hex())[0]
        error = refused(data_of([signed, *(proven(record, tree) for record in lied[1:])]))
        assert (type(error), error.code) == (IntegrityBroken, "reservation-tree")


def test_r16_a_key_statement_made_on_a_fork_is_refused() -> None:
    """Its admins had seen another log of the same name; the bundle shows this log at that size."""
    story = passed()
    place, at = next(
        (n, step.draft.parsed.predicate.checkpoint.size)
        for n, step in enumerate(story.steps)
        if isinstance(step.draft.parsed.predicate, KeyPredicate)
    )
    bundle = read_bundle(data_of(records_of(story)))
    pairs = [(one.entry, one.proof) for one in bundle.entries]
    entry, proof = pairs[place]
    parsed = entry.parsed
    assert parsed is not None
    predicate = parsed.predicate
    assert isinstance(predicate, KeyPredicate)
    assert predicate.checkpoint.root == story.roots[at]

    def made_after(size: int) -> Entry:
        fork = changed(predicate, checkpoint=CheckpointRef(size=size, root="0" * 64))
        statement = changed(parsed.statement, predicate=fork)
        return replace(entry, parsed=replace(parsed, statement=statement))

    pairs[place] = (made_after(at), proof)
    with pytest.raises(IntegrityBroken) as caught:
        refuse_unproven(bundle.head, pairs)
    assert caught.value.code == "key-tree"
    pairs[place] = (made_after(bundle.head.size), proof)
    refuse_unproven(bundle.head, pairs)  # no entry shows that tree; admission asks the log


def test_every_entry_of_a_bundle_shows_the_tree_below_it() -> None:
    assert score_bundle(data_of(resigned(records_of(passed()))))
