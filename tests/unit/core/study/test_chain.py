# SPDX-License-Identifier: Apache-2.0
"""The chain of challenges through one reservation."""

from hashlib import sha256

from app.core.study.chain import challenge_for, filling, passed_over
from app.core.study.state import Reservation
from tests.documents import digest

FIRST, R1, R2, R3 = (digest(label) for label in ("leaf", "one", "two", "three"))
ZEROES = "00" * 32
RESERVATION = Reservation("d" * 64, 7, 0, 1, FIRST, "k" * 64, "driver-1", 1, ("a", "b", "c"))


def link(previous: str, receipt: str) -> str:
    return sha256(bytes.fromhex(previous) + bytes.fromhex(receipt)).hexdigest()


def test_first_slot_s_challenge_is_the_hash_of_the_reservation_s_leaf() -> None:
    assert challenge_for(RESERVATION, "a") == FIRST
    assert challenge_for(filling(RESERVATION, "a", R1), "a") == FIRST


def test_next_challenge_mixes_in_the_receipt_before() -> None:
    filled = filling(filling(RESERVATION, "a", R1), "b", R2)
    assert challenge_for(filled, "b") == link(FIRST, R1)
    assert challenge_for(filled, "c") == link(link(FIRST, R1), R2)


def test_slot_that_was_skipped_is_zeroes_in_the_chain() -> None:
    assert challenge_for(RESERVATION, "c") == link(link(FIRST, ZEROES), ZEROES)
    assert passed_over(RESERVATION, "c") == ("a", "b")
    filled = filling(RESERVATION, "c", R3)
    assert filled.filled == (None, None, R3)
    assert passed_over(filled, "c") == ()


def test_receipt_behind_the_chain_changes_no_challenge() -> None:
    filled = filling(RESERVATION, "b", R2)
    assert filling(filled, "a", R1) is filled
    assert filling(filled, "b", R3) is filled
    assert challenge_for(filled, "c") == link(link(FIRST, ZEROES), R2)
