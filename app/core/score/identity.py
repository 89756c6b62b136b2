# SPDX-License-Identifier: Apache-2.0
"""The validity gate: what ran is what the study pins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.gate import IdentityGate
from app.core.reason import Reason
from app.core.score.observed import Observed, absent, zero_or_one
from app.core.score.scored_slot import ScoredSlot

_FIELD_OF: Final[Mapping[Reason, str | None]] = {
    Reason.ARM_COMMIT_MISMATCH: "arm_commit",
    Reason.IMAGE_MISMATCH: "image",
    Reason.MODEL_MISMATCH: "models",
    Reason.HARNESS_MISMATCH: "harness",
    Reason.WORKLOAD_MISMATCH: "workload",
    Reason.SETTINGS_MISMATCH: "settings",
    Reason.CONTROL_CHANGED: "settings",
    Reason.COMPONENTS_CHANGED: "components",
    Reason.TENSOR_PARALLEL_MISMATCH: "topology",
    Reason.TOPOLOGY_MISMATCH: "topology",
    Reason.RANK_COUNT_MISMATCH: "ranks",
    Reason.RANK_MISMATCH: "ranks",
    Reason.DUPLICATE_GPU: "ranks",
    Reason.DUPLICATE_RANK: "ranks",
    Reason.IDENTITY_MISMATCH: None,
}


def observe_identity(gate: IdentityGate, slot: ScoredSlot) -> Observed:
    """Return whether a slot's receipt has the pinned identities, in the fields the gate names.

    A mismatch that names no field breaks every identity gate. A slot that was not measured or
    cannot be scored is unknown here as for every other gate, unless it is just this that spoils it.
    """
    mismatches = [reason for reason in slot.reasons if reason in _FIELD_OF]
    fields = {_FIELD_OF[reason] for reason in mismatches}
    if mismatches and (not gate.fields or None in fields or not fields.isdisjoint(gate.fields)):
        return zero_or_one(value=False, why=mismatches[0])
    if slot.absence is not None:
        return absent(slot.absence, slot.why)
    return zero_or_one(value=True)
