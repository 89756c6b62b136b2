# SPDX-License-Identifier: Apache-2.0
"""Which studies on a head count, and whose gates moved.

Every study on a head counts. The exceptions are declared when a study is opened (exploratory,
replay) or follow from nothing having been measured (void). What the server failed is never void,
and void studies are counted over all protocols of a head, so that nobody can draw lots with
warm-ups, nor by locking the same protocol again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from app.core.identity import Sha256Hex
from app.core.keyring.keyring import Keyring
from app.core.reason import Reason
from app.core.study.attempts import first_reservation
from app.core.study.slots import slot_state, study_phase
from app.core.study.state import ReceiptState, Slot, StudyState
from app.core.verdict.taint import tainted_study

_NO_DOUBT: Final = Keyring()

Counting: TypeAlias = Literal["counts", "exploratory", "replay", "void"]


@dataclass(frozen=True, slots=True)
class MovedGates:
    """A study whose protocol was locked after another counting study had begun.

    Attributes:
        lock_index: where the later lock stands in the log.
    """

    study: Sha256Hex
    lock_index: int


def countings(
    studies: Iterable[StudyState], log_time_us: int, keyring: Keyring = _NO_DOUBT
) -> dict[Sha256Hex, Counting]:
    """Return for every study, in ordinal order, whether it counts, and if not why."""
    voids = 0
    found: dict[Sha256Hex, Counting] = {}
    for study in studies:
        counting = _declared(study)
        allowed = voids < study.document.max_void_studies
        if counting == "counts" and allowed and _is_void(study, log_time_us, keyring):
            voids += 1
            counting = "void"
        found[study.digest] = counting
    return found


def measured_slots(study: StudyState) -> int:
    """Count the slots of which any attempt, scored or not, started its measured phase."""
    return sum(_is_measured(slot) for slot in study.slots.values())


def moved_gates(
    studies: Sequence[StudyState], counting: Mapping[Sha256Hex, Counting]
) -> tuple[MovedGates, ...]:
    """Return the counting studies whose limits were locked when results could be known.

    That is: locked after the first reservation of another counting study that shares a scope.
    """
    counted = [study for study in studies if counting[study.digest] == "counts"]
    return tuple(
        MovedGates(study.digest, study.lock.index)
        for study in counted
        if any(_began_before(other, study) for other in counted if other is not study)
    )


def _began_before(other: StudyState, study: StudyState) -> bool:
    begun = first_reservation(other)
    if begun is None or begun > study.lock.index:
        return False
    return not set(other.document.scopes).isdisjoint(study.document.scopes)


def _declared(study: StudyState) -> Counting:
    if study.predicate.exploratory:
        return "exploratory"
    return "counts" if study.predicate.replay is None else "replay"


def _is_void(study: StudyState, log_time_us: int, keyring: Keyring) -> bool:
    """Tell whether a closed study measured nothing, and nothing in it speaks against anybody."""
    if study_phase(study, log_time_us) != "CLOSED" or measured_slots(study):
        return False
    if not study.slots:  # what only reviews answer has measured all there was to measure
        return False
    if tainted_study(study, keyring) is not None:
        return False
    return not any(_spoils(study, slot, log_time_us) for slot in study.slots.values())


def _spoils(study: StudyState, slot: Slot, log_time_us: int) -> bool:
    """Tell whether a slot was abandoned, conflicts, or has an attempt that the server failed."""
    standing = slot_state(study, slot, log_time_us)
    if standing.state == "ABANDONED" or Reason.CONFLICTING_RECEIPTS in standing.reasons:
        return True
    return any(receipt.outcome.fault == "sut" for receipt in _receipts(slot))


def _is_measured(slot: Slot) -> bool:
    return any(receipt.outcome.measured for receipt in _receipts(slot))


def _receipts(slot: Slot) -> Iterator[ReceiptState]:
    """Return every receipt, late ones and those of other attempts included."""
    return (receipt for attempt in slot.attempts for receipt in attempt.receipts)
