# SPDX-License-Identifier: Apache-2.0
"""A second opinion on slots and studies: the rules of DESIGN.md 4 told again, plainly.

Nothing here is shared with the product. A model is told what was appended and when, and says where
every slot must stand at a log time, and how a request must be answered.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

AHEAD_MAX = 4
DAY_US = 86_400_000_000

ENDS = {
    "good": "COMPLETE",
    "starved": "FAILED",
    "cut": "PARTIAL",
    "alone": "INVALID",
    "404": "WARMUP_FAILED",
    "405": "WARMUP_FAILED",
}
"""What a capture of each sort makes of its slot; after a 404 the slot may be tried once more."""


@dataclass
class Attempt:
    """One attempt: what came for it, and whether in time."""

    number: int
    reservation: int
    deadline: int
    skipped: bool = False
    in_time: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    def state(self, now: int) -> str:
        if not self.in_time:
            return "ABANDONED" if self.skipped or now > self.deadline else "RESERVED"
        first = ENDS[self.in_time[0]]
        if len(self.in_time) > 1:
            return "INVALID"
        return "INVALID" if self.late and first != "FAILED" else first

    @property
    def contradicted(self) -> bool:
        return bool(self.in_time) and len(self.in_time) + len(self.late) > 1


@dataclass
class Study:
    """One study: its slots, each a list of attempts, and the order within each reservation."""

    closes_at: int
    slots: dict[str, list[Attempt]]
    ended: bool = False
    reservations: list[list[str]] = field(default_factory=list)
    front: list[int] = field(default_factory=list)

    # ---- what was appended ----

    def reserve(self, slots: Sequence[str], number: int, at: int) -> None:
        deadline = min(at + DAY_US, self.closes_at)
        for slot in slots:
            self.slots[slot].append(Attempt(number, len(self.reservations), deadline))
        self.reservations.append(list(slots))
        self.front.append(0)

    def push(self, slot: str, attempt: Attempt, sort: str, at: int) -> str:
        """Note a receipt and return the effect it must have had."""
        over = self.phase(at) == "CLOSED"
        late = attempt.skipped or at > attempt.deadline or over
        effect = "conflicting" if attempt.in_time else "late" if late else "scored"
        if effect == "scored" and ENDS[sort] == "WARMUP_FAILED":
            effect = "not_measured"
        (attempt.late if late else attempt.in_time).append(sort)
        order, number = self.reservations[attempt.reservation], attempt.reservation
        place = order.index(slot)
        for other in order[self.front[number] : place]:
            next(a for a in self.slots[other] if a.reservation == number).skipped = True
        self.front[number] = max(self.front[number], place + 1)
        return effect

    # ---- where things stand ----

    def state(self, slot: str, now: int) -> str:
        attempts = self.slots[slot]
        if not attempts:
            return "MISSING" if self.ended or now > self.closes_at else "OPEN"
        last = attempts[-1].state(now)
        for attempt in attempts:
            if len(attempt.in_time) > 1 or (attempt.contradicted and last != "FAILED"):
                return "INVALID"
        return last

    def retry_left(self, slot: str, now: int) -> bool:
        attempts = self.slots[slot]
        failed = len(attempts) == 1 and attempts[0].in_time == ["404"] and not attempts[0].late
        return failed and not self.ended and now <= self.closes_at

    def phase(self, now: int) -> str:
        waits = ("OPEN", "RESERVED")
        if all(self.state(s, now) not in waits and not self.retry_left(s, now) for s in self.slots):
            return "CLOSED"
        return "DRAINING" if self.ended else "OPEN"

    def is_void(self, now: int) -> bool:
        """Tell whether nothing was measured, nothing abandoned and nothing contradicted."""
        attempts = [attempt for slot in self.slots.values() for attempt in slot]
        measured = any(
            ENDS[sort] != "WARMUP_FAILED" for a in attempts for sort in a.in_time + a.late
        )
        spoiled = any(self.state(slot, now) == "ABANDONED" for slot in self.slots)
        return not (measured or spoiled or any(a.contradicted for a in attempts))

    # ---- how requests are answered ----

    def refusal(self, slots: Sequence[str], number: int, at: int) -> str | None:
        """Return the code with which a reservation must be refused; None: it must be taken."""
        if self.phase(at) != "OPEN":
            return "study-closed"
        bad = {"INVALID", "WARMUP_FAILED"}
        if any(self.state(s, at) in bad and not self.retry_left(s, at) for s in self.slots):
            return "study-stopped"
        for slot in slots:
            free = self.state(slot, at) == "OPEN" if number == 1 else self.retry_left(slot, at)
            if not free:
                return "slot-taken"
        reserved = sum(self.state(slot, at) == "RESERVED" for slot in self.slots)
        return "ahead-max" if reserved + len(slots) > AHEAD_MAX else None
