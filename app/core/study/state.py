# SPDX-License-Identifier: Apache-2.0
"""A study as its entries have left it: immutable values, and nothing that time alone changes.

What time changes (abandoned, missing, closed) is asked in ``app.core.study.slots`` with a log time,
so the same value answers for every tree size until an entry joins its line.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

import msgspec

from app.core.protocol.plan import PlannedSlot, planned_slots
from app.core.receipt.outcome import Outcome
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import StudyPredicate


class LockedProtocol(msgspec.Struct, frozen=True, gc=False):
    """A protocol document and the lock around it.

    Attributes:
        index: of the lock's entry.
        at_us: its log time.
        statement: digest of the lock statement.
        digest: of the document's JCS bytes.
        predicate: what the lock says.
    """

    index: int
    at_us: int
    statement: str
    digest: str
    predicate: ProtocolPredicate

    @property
    def document(self) -> ProtocolDocument:
        """The document."""
        return self.predicate.document


class ReceiptState(msgspec.Struct, frozen=True, gc=False):
    """A receipt on the line.

    Attributes:
        digest: of the statement.
        index: of its entry.
        at_us: its log time.
        late: it came after the deadline, behind a later slot's, or into a closed study.
        predicate: what it says.
        outcome: what it makes of the attempt.
    """

    digest: str
    index: int
    at_us: int
    late: bool
    predicate: ReceiptPredicate
    outcome: Outcome


class NotRead(Enum):
    """Stands where a capture will be read when somebody asks for it."""

    YET = "not read yet"


class Unread(msgspec.Struct, frozen=True, gc=False):
    """A receipt whose capture nobody has read yet.

    Attributes:
        slot: the slot it is for.
        receipt: digest of its statement.
        capture: digest of what it names.
    """

    slot: str
    receipt: str
    capture: str


class Reservation(msgspec.Struct, frozen=True, gc=False):
    """Slots taken together, and the chain of challenges through them.

    Attributes:
        digest: of the statement.
        index: of its entry.
        at_us: its log time.
        deadline_us: receipts after it are late.
        challenge: of the first slot: the hash of the reservation's leaf.
        runner: key id of who may fill its slots.
        host: pseudonym of the machine that drives them.
        attempt: 1, or 2 for a retry.
        slots: in the order of the chain.
        filled: the chain so far: for each slot up to the last one filled the digest of its first
            receipt, or None where it was passed over.
    """

    digest: str
    index: int
    at_us: int
    deadline_us: int
    challenge: str
    runner: str
    host: str
    attempt: int
    slots: tuple[str, ...]
    filled: tuple[str | None, ...] = ()


class Attempt(msgspec.Struct, frozen=True, gc=False):
    """One attempt at one slot.

    Attributes:
        number: 1 or 2.
        reservation: digest of the statement that took it.
        reservation_index: of that statement's entry.
        at_us: log time of the reservation.
        deadline_us: a receipt after it is late.
        runner: key id of who may fill it.
        host: pseudonym of the machine.
        passed_over: a later slot of the same reservation was filled first.
        receipts: in log order, late ones included.
        refusals: how often content for it was refused.
    """

    number: int
    reservation: str
    reservation_index: int
    at_us: int
    deadline_us: int
    runner: str
    host: str
    passed_over: bool = False
    receipts: tuple[ReceiptState, ...] = ()
    refusals: int = 0


class Slot(msgspec.Struct, frozen=True, gc=False):
    """A planned slot and its attempts, in order."""

    planned: PlannedSlot
    attempts: tuple[Attempt, ...] = ()


class DeviationState(msgspec.Struct, frozen=True, gc=False):
    """A deviation on the line."""

    digest: str
    index: int
    at_us: int
    predicate: DeviationPredicate


class Settling(msgspec.Struct, frozen=True, gc=False):
    """What entries alone have left of a study's slots to be settled; time is asked elsewhere.

    It follows from the slots. The fold keeps it in step, so that no entry costs a walk over them.

    Attributes:
        counts: how many slots there are by state, before any deadline has passed.
        waiting: slots that are taken and wait for a receipt, and their deadlines.
        retryable: slots whose only attempt failed in its warm-up by a locked code; in ``counts``
            they are ``RETRYABLE``.
    """

    counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    waiting: Mapping[str, int] = msgspec.field(default_factory=dict)
    retryable: frozenset[str] = frozenset()


class StudyState(msgspec.Struct, frozen=True, gc=False):
    """A study.

    Attributes:
        digest: of its statement.
        index: of its entry.
        opened_at_us: its log time.
        closes_at_us: when open slots become missing.
        predicate: its pins.
        lock: the protocol it applies.
        slots: every planned slot by id, in plan order.
        reservations: by statement digest, in log order.
        deviations: in log order.
        ended_at_us: log time of the deviation that ended it; None: none has.
        closure_index: of the ledger's closure; None: not appended yet.
        drivers: by arm, the drivers that its receipts in time have named.
        settling: what its slots wait for.
        unread: receipts that count as filling their slots until their captures are read.
    """

    digest: str
    index: int
    opened_at_us: int
    closes_at_us: int
    predicate: StudyPredicate
    lock: LockedProtocol
    slots: Mapping[str, Slot]
    reservations: Mapping[str, Reservation] = msgspec.field(default_factory=dict)
    deviations: tuple[DeviationState, ...] = ()
    ended_at_us: int | None = None
    closure_index: int | None = None
    drivers: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)
    settling: Settling = msgspec.field(default_factory=Settling)
    unread: tuple[Unread, ...] = ()

    @property
    def document(self) -> ProtocolDocument:
        """The locked document."""
        return self.lock.document

    @property
    def planned(self) -> int:
        """How many slots the document plans; counted from it, not from ``slots``."""
        return planned_slots(self.document)

    def attempt_of(self, slot: str, number: int) -> Attempt | None:
        """Return the attempt ``number`` of ``slot``, if it was reserved."""
        attempts = self.slots[slot].attempts if slot in self.slots else ()
        return next((a for a in attempts if a.number == number), None)
