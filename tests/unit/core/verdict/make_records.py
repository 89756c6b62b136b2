# SPDX-License-Identifier: Apache-2.0
"""Study records as a verdict document holds them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from app.core.identity import instant_of
from app.core.statement.closure import Flow
from app.core.statement.verdict import Judgement, ProtocolRef, ScopeState, StateCount, StudyRecord
from tests.unit.core.verdict.make import DAY, HEAD, P1, T0


def flow(**counts: int) -> Flow:
    names = [name for name in Flow.__struct_fields__ if name != "planned"]
    return Flow(planned=sum(counts.values()), **{n: counts.get(n, 0) for n in names})


def scope_state(scope: str, state: str, reason: str) -> ScopeState:
    counts = {s: int(s == state) for s in StateCount.__struct_fields__}
    return msgspec.convert(
        {"scope": scope, "state": state, "reason": reason, "counts": counts}, ScopeState
    )


def record(
    ordinal: int = 1,
    states: Sequence[tuple[str, str, str]] = (("live_correctness", "PASS", "ALL_GATES_PASS"),),
    *,
    protocol: str = P1,
    counting: str = "counts",
    tested: str | None = HEAD,
    phase: str = "CLOSED",
    measured: int | None = 1,
    attempt: int | None = 1,
    judgements: Sequence[Judgement] = (),
    **counts: int,
) -> StudyRecord:
    """Return a study's record; ``counts`` are its flow, by default one complete slot."""
    return StudyRecord(
        study=f"{ordinal:064x}",
        ordinal=ordinal,
        attempt=attempt,
        protocol=ProtocolRef(digest=protocol, name="canary", version=1),
        counting=counting,  # type: ignore[arg-type]  # parametrized
        tested=tested,
        tests_head=tested == HEAD,
        state=phase,  # type: ignore[arg-type]  # parametrized
        sealed=phase != "CLOSED",
        tainted=False,
        closes_at=instant_of(T0 + DAY),
        opened_at=instant_of(T0),
        measured=measured,
        flow=flow(**(counts or {"complete": 1})),
        flows=[],
        scopes=[scope_state(*state) for state in states],
        judgements=list(judgements),
        flags=[],
        slots=[],
        not_claimed=[],
        not_published=[],
    )


def judgement(scope: str = "live_correctness", *, reason: str, role: str = "primary") -> Judgement:
    return msgspec.convert(
        {
            "gate": "canary-b",
            "kind": "canary",
            "role": role,
            "scope": scope,
            "arm": "B",
            "cell": "C1",
            "state": "INCONCLUSIVE",
            "reason": reason,
            "rule": "x before y",
            "unit": None,
            "limit": None,
            "observed": None,
            "margin": None,
            "counts": {"planned": 1, "exact": 1, "bounded": 0, "unknown": 0},
            "observations": [],
        },
        Judgement,
    )
