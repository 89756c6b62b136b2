# SPDX-License-Identifier: Apache-2.0
"""A leaf is one record in one spelling, and makes a challenge once."""

import pytest
from msgspec.structs import replace

from app.core.canonical import canonical, parse_canonical
from app.core.digest import sha256_hex
from app.core.errors import MalformedDocument, Unprocessable
from app.core.log.leaf import (
    MAX_LEAF_BYTES,
    Leaf,
    TreeHead,
    challenge_of,
    head_line,
    ledger_line,
    next_challenge,
    parse_leaf,
    repository_line,
)
from app.core.log.merkle import leaf_hash

SHA = "4" * 40
REPOSITORY = "forge.example/owner/name"
LEAF = Leaf(
    at="2026-11-30T12:00:00.000001Z",
    kind="review",
    statement=sha256_hex(b"statement"),
    size=321,
    key=sha256_hex(b"key"),
    line=head_line(REPOSITORY, SHA),
    seq=3,
    prev=17,
)
RESERVATION = replace(
    LEAF, kind="reservation", nonce=sha256_hex(b"nonce"), after=TreeHead(18, sha256_hex(b"root"))
)


def changed(leaf: Leaf, **members: object) -> bytes:
    """Return the record with members replaced, or removed by Ellipsis."""
    record = parse_canonical(leaf.to_bytes())
    assert isinstance(record, dict)
    merged: dict[str, object] = {**record, **members}
    return canonical({k: v for k, v in merged.items() if v is not ...})


def test_lines_are_spelt_once() -> None:
    assert ledger_line() == "ledger"
    assert repository_line(REPOSITORY) == f"repo:{REPOSITORY}"
    assert head_line(REPOSITORY, SHA) == f"head:{REPOSITORY}@{SHA}"


@pytest.mark.parametrize(
    "leaf",
    [
        LEAF,
        RESERVATION,
        replace(LEAF, line=ledger_line(), seq=0, prev=None),
        replace(LEAF, line=repository_line(REPOSITORY)),
        replace(LEAF, line=head_line(REPOSITORY, "a" * 64)),
    ],
)
def test_leaf_comes_back_and_is_hashed_as_a_leaf(leaf: Leaf) -> None:
    assert parse_leaf(leaf.to_bytes()) == leaf
    assert leaf.hash() == leaf_hash(leaf.to_bytes())


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        LEAF.to_bytes() + b"\n",
        LEAF.to_bytes().replace(b'"v":1', b'"v": 1'),
        changed(LEAF, v=2),
        changed(LEAF, v=True),
        changed(LEAF, v=...),
        changed(LEAF, extra=1),
        changed(LEAF, size=...),
        changed(LEAF, nonce=sha256_hex(b"n")),
        changed(RESERVATION, nonce=...),
        changed(RESERVATION, nonce="00"),
        changed(RESERVATION, after=...),
        changed(RESERVATION, after=None),
        changed(RESERVATION, after={"size": 1}),
        changed(RESERVATION, after={"size": -1, "root": "0" * 64}),
        changed(RESERVATION, after={"size": 1, "root": "A" * 64}),
        changed(LEAF, at="2026-11-30T12:00:00Z"),
        changed(LEAF, at="2026-11-30T12:00:00.000001+00:00"),
        changed(LEAF, at="2026-02-30T12:00:00.000001Z"),
        changed(LEAF, at="2026-11-30T24:00:00.000000Z"),
        changed(LEAF, at=1),
        changed(LEAF, kind="Review"),
        changed(LEAF, kind=""),
        changed(LEAF, kind=1),
        changed(LEAF, statement="0" * 63),
        changed(LEAF, statement=1),
        changed(LEAF, key="0" * 63 + "G"),
        changed(LEAF, size=-1),
        changed(LEAF, size=True),
        changed(LEAF, size="1"),
        changed(LEAF, line="ledger "),
        changed(LEAF, line="repo:"),
        changed(LEAF, line=f"head:{REPOSITORY}@main"),
        changed(LEAF, line=f"head:{REPOSITORY}@{SHA}\n"),
        changed(LEAF, seq=-1),
        changed(LEAF, seq=0),
        changed(LEAF, prev=None),
        changed(LEAF, prev=-1),
        changed(LEAF, prev="17"),
        changed(LEAF, line="repo:" + "a" * MAX_LEAF_BYTES),
    ],
)
def test_bytes_that_are_no_record_are_malformed(data: bytes) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_leaf(data)
    assert caught.value.code == "leaf"


def test_challenge_is_the_leaf_hash_and_moves_with_every_member() -> None:
    challenge = challenge_of(RESERVATION)
    assert challenge == RESERVATION.hash().hex()
    others = (
        replace(RESERVATION, nonce=sha256_hex(b"other")),
        replace(RESERVATION, after=TreeHead(19, sha256_hex(b"root"))),
        replace(RESERVATION, at="2026-11-30T12:00:00.000002Z"),
    )
    assert len({challenge, *map(challenge_of, others)}) == 4


@pytest.mark.parametrize(
    "leaf", [LEAF, replace(RESERVATION, nonce=None), replace(RESERVATION, after=None)]
)
def test_leaf_that_is_no_reservation_makes_no_challenge(leaf: Leaf) -> None:
    with pytest.raises(Unprocessable) as caught:
        challenge_of(leaf)
    assert caught.value.code == "no-challenge"


def test_challenge_chain_binds_each_slot_to_all_before_it() -> None:
    first = challenge_of(RESERVATION)
    receipt = sha256_hex(b"receipt")
    after_receipt, after_skip = next_challenge(first, receipt), next_challenge(first, None)
    assert after_receipt == sha256_hex(bytes.fromhex(first + receipt))
    assert after_skip == sha256_hex(bytes.fromhex(first) + bytes(32))
    assert next_challenge(after_receipt, None) != next_challenge(after_skip, None)


@pytest.mark.parametrize(("previous", "receipt"), [("00", None), ("0" * 64, "00"), ("", "")])
def test_challenge_of_a_text_that_is_no_digest_is_refused(
    previous: str, receipt: str | None
) -> None:
    with pytest.raises(MalformedDocument):
        next_challenge(previous, receipt)
