# SPDX-License-Identifier: Apache-2.0
"""Studies, policies and records with just enough in them for the fold to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from app.core.admission.state import (
    HeadState,
    LedgerState,
    PolicyInForce,
    RepositoryState,
    Standing,
)
from app.core.identity import Scope, instant_of
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.receipt.outcome import Outcome
from app.core.statement.header import LedgerRef
from app.core.statement.policy import Claim, PolicyPredicate, RequiredScope
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import CaptureRef, ReceiptPredicate
from app.core.statement.study import Owners, Replay, StudyPredicate
from app.core.study.settling import settled_anew
from app.core.study.state import Attempt, LockedProtocol, ReceiptState, Slot, StudyState

REPOSITORY = "github.com/example/recipe"
HEAD = "a" * 40
OTHER = "b" * 40
P1, P2, P3 = "1" * 64, "2" * 64, "3" * 64
LEDGER = LedgerRef(origin="ledger.example", genesis="0" * 64)
SIGNER = "9" * 64
T0 = 1_790_000_000_000_000
DAY = 86_400_000_000
OWNERS = Owners(maintainer="mai", author="aut", runner="run")


def document(
    name: str = "canary",
    *,
    scopes: Sequence[str] = ("live_correctness",),
    repetitions: int = 1,
    max_void: int = 1,
    arms: Sequence[tuple[str, str]] = (("A", "control"), ("B", "candidate")),
) -> ProtocolDocument:
    """Return a document whose plan is one cell per arm; its gates are one per scope."""
    stream = {
        "role": "incumbent",
        "lane": 0,
        "prompt_tokens": {"target": 64, "tolerance": 64},
        "max_output_tokens": 16,
        "exact_output": False,
        "expected_answer": None,
        "answer_parts": None,
        "starts": {"at": "slot_start"},
    }
    cell = {
        "id": "C1",
        "capture": "streams",
        "concurrency": 1,
        "repetitions": repetitions,
        "warmup": None,
        "streams": [stream],
        "preconditions": [],
        "ends": {"slot_deadline_us": 1000, "cancels": [], "cancel_is": "deadline"},
    }
    gates = [_gate(scope) for scope in scopes]
    return msgspec.convert(
        {
            "schema": "urn:fairtrial:protocol-document:v1",
            "name": name,
            "version": 1,
            "scopes": list(scopes),
            "question": "Does it hold?",
            "not_claimed": ["throughput"],
            "arms": [{"id": arm, "role": role, "settings": {}} for arm, role in arms],
            "varies": [],
            "disclosed_settings": [],
            "endpoint_path": "/v1/chat/completions",
            "request_controls": {},
            "workload": {"generator": "canary.v1", "sha256": "d" * 64},
            "cells": [cell],
            "order": [arm for arm, _ in arms],
            "gates": gates,
            "fault_table": [{"phase": "any", "fault": "unknown"}],
            "retry": {"max_per_slot": 0, "only": []},
            "stop_rule": {"on": []},
            "reservation": {"ahead_max": 10, "allowance_us": DAY},
            "window": {"max_us": 10 * DAY},
            "scoring": 1,
            "max_void_studies": max_void,
            "conditions": {
                "topology": {"tensor_parallel": 2, "nodes": 2, "gpu_model": "NVIDIA GB10"},
                "harness": [{"name": "fairtrial-run", "version": "0.1.0"}],
            },
            "binding": ["seeded"],
        },
        ProtocolDocument,
    )


def _gate(scope: str) -> dict[str, Any]:
    return {
        "id": f"complete-{scope.replace('_', '-')}",
        "kind": "completeness",
        "role": "primary",
        "claim": "sample",
        "scope": scope,
        "population": {
            "arm": "B",
            "cell": "C1",
            "stream_role": "any",
            "phase": "measured",
            "unit": "stream",
        },
    }


def lock(digest: str = P1, *, index: int = 2, of: ProtocolDocument | None = None) -> LockedProtocol:
    predicate = ProtocolPredicate(
        ledger=LEDGER,
        signer=SIGNER,
        annotations={},
        repository=REPOSITORY,
        document=of or document(),
        acknowledged_warnings=[],
        supersedes=None,
        reason=None,
    )
    return LockedProtocol(index, T0, "c" * 64, digest, predicate)


def study(
    ordinal: int = 1,
    *,
    protocol: LockedProtocol | None = None,
    commit: str | None = HEAD,
    exploratory: bool = False,
    replay: bool = False,
    index: int | None = None,
    change: str | None = None,
    base: str | None = None,
    arms: Sequence[str] = ("A", "B"),
    closes_at_us: int = T0 + 2 * DAY,
) -> StudyState:
    """Return a study with every slot open, opened at ``T0``."""
    locked = protocol or lock()
    pin: dict[str, Any] = {"commit": commit, "image": None, "settings": {}, "settings_digest": None}
    model = {"repository": "org/model", "revision": None}
    predicate = msgspec.convert(
        {
            "ledger": {"origin": "ledger.example", "genesis": "0" * 64},
            "signer": SIGNER,
            "annotations": {},
            "repository": REPOSITORY,
            "protocol": locked.digest,
            "ordinal": ordinal,
            "head": {"commit": HEAD, "tree": None},
            "base": base,
            "change": change,
            "exploratory": exploratory,
            "replay": None,
            "owners": {"maintainer": "mai", "author": "aut", "runner": "run"},
            "arms": {arm: {**pin, "relation": None} for arm in arms},
            "models": {"target": model, "draft": None},
            "topology": {
                "tensor_parallel": 2,
                "draft_tensor_parallel": None,
                "nodes": 2,
                "hosts": ["spark-1", "spark-2"],
                "gpu_model": "NVIDIA GB10",
            },
            "harness": {"name": "fairtrial-run", "version": "0.1.0", "sha256": None},
            "runners": [SIGNER],
            "closes_at": instant_of(closes_at_us),
        },
        StudyPredicate,
    )
    if replay:
        source = Replay(source="a public thread", not_published=["head.tree"])
        predicate = msgspec.structs.replace(predicate, replay=source)
    at = 10 * ordinal if index is None else index
    opened = StudyState(
        digest=f"{ordinal:064x}",
        index=at,
        opened_at_us=T0,
        closes_at_us=closes_at_us,
        predicate=predicate,
        lock=locked,
        slots={planned.id: Slot(planned) for planned in plan(locked.document)},
    )
    return settled_anew(opened)


def filled(
    state: StudyState,
    slot: str,
    outcome: Outcome,
    *,
    at_index: int | None = None,
    receipts: int = 1,
    late: bool = False,
) -> StudyState:
    """Return ``state`` with one attempt at ``slot`` and ``receipts`` receipts in it."""
    index = state.index + 1 if at_index is None else at_index
    kept = tuple(
        ReceiptState(
            digest=f"{state.predicate.ordinal}{slot.encode().hex():0<62}{number}",
            index=index + 1 + number,
            at_us=T0 + 2,
            late=late,
            predicate=_receipt(state, slot, number),
            outcome=outcome,
        )
        for number in range(receipts)
    )
    attempt = Attempt(1, "e" * 64, index, T0 + 1, T0 + DAY, SIGNER, "spark-1", receipts=kept)
    planned = state.slots[slot].planned
    changed = replace(state, slots={**state.slots, slot: Slot(planned, (attempt,))})
    return settled_anew(changed)


def reserved(state: StudyState, slot: str, *, at_index: int | None = None) -> StudyState:
    return filled(state, slot, COMPLETE, at_index=at_index, receipts=0)


COMPLETE = Outcome("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), measured=True)
WARMUP_404 = Outcome("WARMUP_FAILED", "harness", (Reason.HARNESS_FAULT,), measured=False)
WARMUP_500 = Outcome("FAILED", "sut", (Reason.SERVER_FAULT,), measured=False)
RANK_MISMATCH = Outcome("INVALID", "identity", (Reason.RANK_MISMATCH,), measured=True)


def complete(state: StudyState, outcome: Outcome = COMPLETE) -> StudyState:
    """Return ``state`` with every slot filled alike."""
    for slot in state.slots:
        state = filled(state, slot, outcome)
    return state


def _receipt(state: StudyState, slot: str, number: int) -> ReceiptPredicate:
    """Return a receipt of which only the capture's digest is ever read here."""
    sha256 = f"{state.predicate.ordinal}{slot.encode().hex():f<62}{number}"
    capture = CaptureRef(sha256=sha256, size=1, schema="urn:fairtrial:capture:streams:v1")
    members = dict.fromkeys(ReceiptPredicate.__struct_fields__)
    return ReceiptPredicate(**{**members, "capture": capture, "slot": slot})  # type: ignore[arg-type]  # a stub


def policy(
    *claims: Claim, index: int = 1, branch: str | None = None, digest: str = "5" * 64
) -> PolicyInForce:
    predicate = PolicyPredicate(
        ledger=LEDGER,
        signer=SIGNER,
        annotations={},
        repository=REPOSITORY,
        supersedes=None,
        tracked_branch=branch,
        claims=list(claims),
        holds_cleared_by=[],
    )
    return PolicyInForce(index, T0, digest, predicate)


def claim(name: str = "land", *required: tuple[str, Sequence[str]]) -> Claim:
    wanted = required or (("live_correctness", (P1,)),)
    scopes = [RequiredScope(scope=Scope(s), protocols=list(ps)) for s, ps in wanted]
    return Claim(name=name, question=f"May it {name}?", required=scopes)


def standing(
    *studies: StudyState,
    policies: Sequence[PolicyInForce] = (),
    unknown: tuple[int, ...] = (),
) -> Standing:
    return Standing(
        LedgerState(length=3, last_at_us=T0 - 10),
        RepositoryState(
            length=2, last_at_us=T0 - 5, repository=REPOSITORY, policies=tuple(policies)
        ),
        HeadState(
            length=1 + len(studies),
            last_at_us=T0 + 2,
            unknown=unknown,
            repository=REPOSITORY,
            head=HEAD,
            studies=studies,
        ),
    )
