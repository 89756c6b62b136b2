# SPDX-License-Identifier: Apache-2.0
"""Did one whole group of ranks serve the slot, all running the same? Threats L10, L11.

``len(ranks) == tensor_parallel``, no GPU twice, and the ranks agree with one another and with the
pins. Each way to break it has its own reason; the reason behind RANK_MISMATCH names the member in
which the ranks differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Final

from app.core.reason import Reason
from app.core.receipt.identity_check import differs
from app.core.statement.receipt import Rank, ReceiptTopology
from app.core.statement.study import ArmPin, StudyPredicate, StudyTopology

_MEMBERS: Final = {
    "commit": Reason.ARM_COMMIT_MISMATCH,
    "image": Reason.IMAGE_MISMATCH,
    "target_revision": Reason.MODEL_MISMATCH,
    "draft_revision": Reason.MODEL_MISMATCH,
    "settings_digest": Reason.SETTINGS_MISMATCH,
    "gpu_model": Reason.TOPOLOGY_MISMATCH,
    "driver": Reason.TOPOLOGY_MISMATCH,
}
_said: Final[Callable[[Rank], tuple[object, ...]]] = attrgetter(*_MEMBERS)


def topology_reasons(
    topology: ReceiptTopology, *, study: StudyPredicate, arm: str
) -> tuple[Reason, ...]:
    """Return every reason why ``topology`` is not the group that was pinned; none: it is."""
    replay = study.replay is not None
    reasons = [
        *_shape_reasons(topology, study.topology, replay=replay),
        *_agreement_reasons(topology.ranks, replay=replay),
        *_pin_reasons(topology.ranks, study, study.arms[arm], replay=replay),
    ]
    return tuple(dict.fromkeys(reasons))


def _shape_reasons(
    topology: ReceiptTopology, pinned: StudyTopology, *, replay: bool
) -> list[Reason]:
    ranks = topology.ranks
    numbers = [rank.rank for rank in ranks]
    gpus = [rank.gpu_uuid_digest for rank in ranks if rank.gpu_uuid_digest is not None]
    reasons = []
    draft = (pinned.draft_tensor_parallel, topology.draft_tensor_parallel)
    if pinned.tensor_parallel != topology.tensor_parallel or differs(*draft, replay=replay):
        reasons.append(Reason.TENSOR_PARALLEL_MISMATCH)
    if len(ranks) != topology.tensor_parallel:
        reasons.append(Reason.RANK_COUNT_MISMATCH)
    if len(set(numbers)) != len(numbers):
        reasons.append(Reason.DUPLICATE_RANK)
    if len(set(gpus)) != len(gpus):
        reasons.append(Reason.DUPLICATE_GPU)
    if not reasons and not _is_laid_out(topology, pinned):
        reasons.append(Reason.TOPOLOGY_MISMATCH)
    return reasons


def _is_laid_out(topology: ReceiptTopology, pinned: StudyTopology) -> bool:
    """Tell whether ranks 0 to n-1 stand on exactly the pinned hosts, as many as there are nodes."""
    hosts = {rank.host for rank in topology.ranks}
    numbers = sorted(rank.rank for rank in topology.ranks)
    return (
        topology.nodes == pinned.nodes == len(hosts)
        and hosts <= set(pinned.hosts)
        and numbers == list(range(len(numbers)))
    )


def _agreement_reasons(ranks: Sequence[Rank], *, replay: bool) -> list[Reason]:
    reasons: list[Reason] = []
    for reason, values in _by_member(ranks):
        if len(set(values) - {None} if replay else set(values)) > 1:
            reasons += [Reason.RANK_MISMATCH, reason]
    return reasons


def _pin_reasons(
    ranks: Sequence[Rank], study: StudyPredicate, pin: ArmPin, *, replay: bool
) -> list[Reason]:
    draft = study.models.draft
    pinned: tuple[object, ...] = (
        pin.commit,
        pin.image,
        study.models.target.revision,
        None if draft is None else draft.revision,
        pin.settings_digest,
        study.topology.gpu_model,
    )
    return [
        reason
        for wanted, (reason, values) in zip(pinned, _by_member(ranks), strict=False)
        if any(differs(wanted, said, replay=replay) for said in values)
    ]


def _by_member(ranks: Sequence[Rank]) -> Iterator[tuple[Reason, tuple[object, ...]]]:
    """Yield what the ranks say of each member, and the reason if they do not say the same."""
    return zip(_MEMBERS.values(), zip(*map(_said, ranks), strict=True), strict=False)
