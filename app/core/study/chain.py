# SPDX-License-Identifier: Apache-2.0
"""The challenge of each slot of one reservation (DESIGN.md 2, "challenge").

The first is the hash of the reservation's leaf. Each next one mixes in the receipt of the slot
before, or zeroes where that was passed over: so redoing one slot means redoing all after it, and a
receipt for a later slot settles for good that an earlier one had none.
"""

from __future__ import annotations

from msgspec.structs import replace

from app.core.log.leaf import next_challenge
from app.core.study.state import Reservation


def challenge_for(reservation: Reservation, slot: str) -> str:
    """Return the challenge that a receipt for ``slot`` must carry now, in hex."""
    place = reservation.slots.index(slot)
    unfilled = (None,) * (place - len(reservation.filled))
    challenge = reservation.challenge
    for receipt in (*reservation.filled[:place], *unfilled):
        challenge = next_challenge(challenge, receipt)
    return challenge


def passed_over(reservation: Reservation, slot: str) -> tuple[str, ...]:
    """Return the slots that a first receipt for ``slot`` abandons."""
    place = reservation.slots.index(slot)
    return reservation.slots[len(reservation.filled) : place]


def filling(reservation: Reservation, slot: str, receipt: str) -> Reservation:
    """Return the reservation with the chain going on behind ``slot``.

    A receipt for a slot that the chain has left behind (a second one, or one that comes after a
    later slot was filled) changes no challenge that was already given out.
    """
    place = reservation.slots.index(slot)
    if place < len(reservation.filled):
        return reservation
    unfilled = (None,) * (place - len(reservation.filled))
    return replace(reservation, filled=(*reservation.filled, *unfilled, receipt))
