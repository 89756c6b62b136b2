# SPDX-License-Identifier: Apache-2.0
"""One study as it stands in a verdict document.

Until a study is closed its captures are sealed, and with them everything computed from them: no
judgement stands in its record, and of its slots only the states and such reasons as anybody can
compute from the thin receipts, which are public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from app.core.identity import HeadSha, Scope, Sha256Hex, instant_of
from app.core.keyring.keyring import Keyring
from app.core.reason import Reason
from app.core.receipt.components import client_timeout_us
from app.core.score.judge import StudyScore, judge_study
from app.core.score.lattice import enters
from app.core.score.scored_slot import ScoredSlot
from app.core.statement.capture import Capture
from app.core.statement.closure import Flow
from app.core.statement.verdict import (
    AttemptRecord,
    CellFlow,
    ProtocolRef,
    ReviewRecord,
    ScopeState,
    SlotRecord,
    StateCount,
    StudyRecord,
)
from app.core.study.attempts import candidates
from app.core.study.deviations import touched_slots
from app.core.study.slots import (
    SlotStanding,
    attempt_state,
    flow,
    scored_receipts,
    slot_standings,
    study_phase,
)
from app.core.study.state import Attempt, Slot, StudyState
from app.core.verdict.counting import Counting, measured_slots
from app.core.verdict.taint import is_doubted, tainted_receipts, tainted_study

Captures: TypeAlias = Callable[[Sha256Hex], Capture]
"""A capture by the digest of its JCS bytes."""

FROM_RECEIPT: Final = frozenset(
    {
        Reason.ARM_COMMIT_MISMATCH,
        Reason.IMAGE_MISMATCH,
        Reason.MODEL_MISMATCH,
        Reason.HARNESS_MISMATCH,
        Reason.WORKLOAD_MISMATCH,
        Reason.SETTINGS_MISMATCH,
        Reason.COMPONENTS_CHANGED,
        Reason.CONTROL_CHANGED,
        Reason.RANK_COUNT_MISMATCH,
        Reason.RANK_MISMATCH,
        Reason.DUPLICATE_GPU,
        Reason.DUPLICATE_RANK,
        Reason.TENSOR_PARALLEL_MISMATCH,
        Reason.TOPOLOGY_MISMATCH,
        Reason.CONFLICTING_RECEIPTS,
        Reason.ABANDONED,
        Reason.MISSING,
        Reason.NOT_STARTED,
        Reason.LATE,
    }
)
"""Reasons that follow from log times and thin receipts alone; the others stay sealed."""


@dataclass(frozen=True, slots=True)
class ReadAs:
    """What a study is read with.

    Attributes:
        head: the head whose verdict this is for.
        log_time_us: the log time of every state.
        counting: whether the study counts.
        attempt: its number among the attempts on the head.
        of_scope: its number among the attempts of each scope.
        keyring: whose keys are doubted since when.
        reviews: every review of the head.
    """

    head: HeadSha
    log_time_us: int
    counting: Counting
    attempt: int | None
    of_scope: Mapping[Scope, int]
    keyring: Keyring
    reviews: tuple[ReviewRecord, ...] = ()


def study_record(study: StudyState, read_as: ReadAs, captures: Captures) -> StudyRecord:
    """Return the record of ``study``.

    Raises:
        IntegrityBroken: ``ledger-unbalanced``, its planned slots are not the sum of their states.
    """
    time = read_as.log_time_us
    phase = study_phase(study, time)
    sealed = phase != "CLOSED"
    tested = tested_commit(study, read_as.head)
    standings = slot_standings(study, time)
    score = None if sealed else score_study(study, standings, read_as, captures)
    replay = study.predicate.replay
    return StudyRecord(
        study=study.digest,
        ordinal=study.predicate.ordinal,
        attempt=read_as.attempt,
        protocol=ProtocolRef(
            digest=study.predicate.protocol,
            name=study.document.name,
            version=study.document.version,
        ),
        counting=read_as.counting,
        tested=tested,
        tests_head=tested == read_as.head,
        state=phase,
        sealed=sealed,
        tainted=tainted_study(study, read_as.keyring) is not None,
        closes_at=instant_of(study.closes_at_us),
        opened_at=instant_of(study.opened_at_us),
        measured=None if sealed else measured_slots(study),
        flow=flow(study, standings),
        flows=_cell_flows(study, standings),
        scopes=_sealed_scopes(study) if score is None else list(score.scopes),
        judgements=[] if score is None else list(score.judgements),
        flags=[] if score is None else list(score.flags),
        slots=[
            _slot_record(slot, standings[name], read_as, sealed=sealed)
            for name, slot in study.slots.items()
        ],
        not_claimed=list(study.document.not_claimed),
        not_published=[] if replay is None else list(replay.not_published),
    )


def score_study(
    study: StudyState,
    standings: Mapping[str, SlotStanding],
    read_as: ReadAs,
    captures: Captures,
) -> StudyScore:
    """Return the judgements of a closed study whose slots stand at ``standings``."""
    touched = touched_slots(study)
    scored = [
        _scored_slot(slot, standings[name], read_as, captures, deviated=name in touched)
        for name, slot in study.slots.items()
    ]
    return judge_study(study.document, scored, attempts=read_as.of_scope, reviews=read_as.reviews)


def scored_captures(study: StudyState) -> tuple[Sha256Hex, ...]:
    """Return the digests of all captures that scoring reads, each once."""
    receipts = (receipt for slot in study.slots.values() for receipt in scored_receipts(slot))
    return tuple(dict.fromkeys(receipt.predicate.capture.sha256 for receipt in receipts))


def tested_commit(study: StudyState, head: HeadSha) -> HeadSha | None:
    """Return the commit of the candidate arms; of several the first that is not ``head``."""
    commits = [study.predicate.arms[arm].commit for arm in sorted(candidates(study))]
    others = [commit for commit in commits if commit != head]
    if others:
        return others[0]
    return commits[0] if commits else None


def masked_fails(study: StudyState, record: StudyRecord) -> frozenset[tuple[Sha256Hex, Scope]]:
    """Return the scopes this head would fail in ``study`` but for its empty slots.

    Only gates on candidate arms count, since a control's FAIL never enters a scope.
    """
    arms = candidates(study)
    return frozenset(
        (study.digest, judgement.scope)
        for judgement in record.judgements
        if record.tests_head
        and judgement.arm in arms
        and judgement.reason == Reason.FAIL_MASKED
        and enters(judgement.role)
    )


def _scored_slot(
    slot: Slot, standing: SlotStanding, read_as: ReadAs, captures: Captures, *, deviated: bool
) -> ScoredSlot:
    scored = scored_receipts(slot)
    receipts = [receipt.predicate for receipt in scored]
    return ScoredSlot(
        planned=slot.planned,
        state=standing.state,
        fault=standing.fault,
        reasons=standing.reasons,
        captures=tuple(captures(receipt.capture.sha256) for receipt in receipts),
        retried=len(slot.attempts) > 1,
        doubted=is_doubted(scored, read_as.keyring),
        deviated=deviated,
        timeouts_us=tuple(client_timeout_us(each.identities.components) for each in receipts),
    )


def _sealed_scopes(study: StudyState) -> list[ScopeState]:
    gates = Counter(gate.scope for gate in study.document.gates)
    return [
        ScopeState(
            scope=scope,
            state="NOT_RUN",
            reason=Reason.STUDY_OPEN,
            counts=StateCount(PASS=0, FAIL=0, INCONCLUSIVE=0, INVALID=0, NOT_RUN=gates[scope]),
        )
        for scope in study.document.scopes
    ]


def _cell_flows(study: StudyState, standings: Mapping[str, SlotStanding]) -> list[CellFlow]:
    """Count states per arm and cell, in plan order."""
    found: dict[tuple[str, str], Counter[str]] = {}
    for name, slot in study.slots.items():
        counts = found.setdefault((slot.planned.arm, slot.planned.cell), Counter())
        counts[standings[name].state.lower()] += 1
    return [
        CellFlow(arm=arm, cell=cell, flow=_flow_of(counts)) for (arm, cell), counts in found.items()
    ]


def _flow_of(counts: Mapping[str, int]) -> Flow:
    names = [name for name in Flow.__struct_fields__ if name != "planned"]
    return Flow(planned=sum(counts.values()), **{name: counts.get(name, 0) for name in names})


def _slot_record(slot: Slot, stands: SlotStanding, read_as: ReadAs, *, sealed: bool) -> SlotRecord:
    standing = _shown(stands, sealed=sealed)
    return SlotRecord(
        slot=slot.planned.id,
        state=standing.state,
        fault=standing.fault,
        reasons=list(standing.reasons),
        attempts=[_attempt_record(one, read_as, sealed=sealed) for one in slot.attempts],
    )


def _attempt_record(attempt: Attempt, read_as: ReadAs, *, sealed: bool) -> AttemptRecord:
    standing = _shown(attempt_state(attempt, read_as.log_time_us), sealed=sealed)
    return AttemptRecord(
        attempt=attempt.number,
        reservation=attempt.reservation,
        receipts=_digests(attempt, late=False),
        late=_digests(attempt, late=True),
        tainted=tainted_receipts(attempt, read_as.keyring),
        state=standing.state,
        fault=standing.fault,
        reasons=list(standing.reasons),
    )


def _digests(attempt: Attempt, *, late: bool) -> list[Sha256Hex]:
    return [receipt.digest for receipt in attempt.receipts if receipt.late == late]


def _shown(standing: SlotStanding, *, sealed: bool) -> SlotStanding:
    """Return what of a standing may be shown."""
    if not sealed or FROM_RECEIPT.issuperset(standing.reasons):
        return standing
    reasons = tuple(reason for reason in standing.reasons if reason in FROM_RECEIPT)
    return SlotStanding(standing.state, None, reasons)
