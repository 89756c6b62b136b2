# SPDX-License-Identifier: Apache-2.0
"""What a demo receipt says ran: the study's own pins, with what a story changes about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from app.core.digest import sha256_hex
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import (
    Component,
    Components,
    Identities,
    IdentityBasis,
    Rank,
    ReceiptTopology,
    Tool,
)
from app.core.statement.study import Image, StudyPredicate

DECLARED = IdentityBasis(
    arm_commit="declared",
    image="declared",
    models="declared",
    harness="declared",
    workload="declared",
    settings="declared",
)
OBSERVED = IdentityBasis(
    arm_commit="observed",
    image="observed",
    models="observed",
    harness="observed",
    workload="observed",
    settings="observed",
)


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What stands in a receipt beside its place and its capture.

    Attributes:
        basis: how the identities are known; a replay only repeats what somebody said.
        tool: what wrote the receipt.
        claims: the runner's own word; shown, never scored.
        annotations: notes; shown, never scored.
        stale_image_on_rank: this rank ran another image than the other; None: none did.
    """

    basis: IdentityBasis
    tool: Tool
    claims: Mapping[str, str] = field(default_factory=dict)
    annotations: Mapping[str, str] = field(default_factory=dict)
    stale_image_on_rank: int | None = None


def arm_of(slot: str) -> str:
    """Return the arm of a slot."""
    return slot.partition("/")[0]


def identities_of(
    study: StudyPredicate, document: ProtocolDocument, slot: str, facts: ReceiptFacts
) -> Identities:
    """Return the identities of a receipt: what the study pinned for the slot's arm."""
    pin = study.arms[arm_of(slot)]
    engine = Component(
        role="engine",
        name="vllm",
        version=None,
        image=pin.image,
        timeout_us=None,
        basis=facts.basis.image,
    )
    return Identities(
        arm_commit=pin.commit,
        image=pin.image,
        models=study.models,
        harness=study.harness,
        workload=document.workload,
        settings=pin.settings,
        settings_digest=pin.settings_digest,
        components=Components(before=[engine], after=[engine]),
        basis=facts.basis,
    )


def topology_of(study: StudyPredicate, slot: str, facts: ReceiptFacts) -> ReceiptTopology:
    """Return the group that served the slot, one rank a host."""
    shape = study.topology
    replay = study.replay is not None
    pin = study.arms[arm_of(slot)]
    draft = study.models.draft
    ranks = [
        Rank(
            rank=number,
            host=shape.hosts[number % len(shape.hosts)],
            gpu_model=shape.gpu_model,
            gpu_uuid_digest=None if replay else sha256_hex(f"synthetic gpu {number}".encode()),
            driver=None if replay else "580.95",
            commit=pin.commit,
            image=_STALE if number == facts.stale_image_on_rank else pin.image,
            target_revision=study.models.target.revision,
            draft_revision=None if draft is None else draft.revision,
            settings_digest=pin.settings_digest,
            basis=facts.basis.image,
        )
        for number in range(shape.tensor_parallel)
    ]
    return ReceiptTopology(
        tensor_parallel=shape.tensor_parallel,
        draft_tensor_parallel=shape.draft_tensor_parallel,
        nodes=shape.nodes,
        ranks=ranks,
    )


_STALE = Image(digest="sha256:" + sha256_hex(b"synthetic image, an older build"), of="manifest")
