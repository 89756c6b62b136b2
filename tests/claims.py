# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Gates with a p-value, as JSON, and studies whose newcomers answered after given times."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from app.core.identity import Scope
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.documents import CELL, document
from tests.gates import bound, gate, population
from tests.scores import Filled

METRIC: Any = {
    "name": "ttft",
    "unit": "us",
    "direction": "lower_is_better",
    "domain": ["0", None],
    "clock": "monotonic",
}


def claim(kind: str, arm: str = "B", *, unit: str = "block", **members: Any) -> Any:
    base = {
        "claim": "population",
        "metric": METRIC,
        "population": population(arm, role="newcomer", unit=unit),
    }
    return gate(kind, arm, **(base | members))


def compared(kind: str = "non_inferiority", *vs: str, arm: str = "B", **members: Any) -> Any:
    """Return a comparison; against two controls by a bracket, else in blocks."""
    bracket = len(vs) > 1
    design = {
        "comparison": {
            "kind": kind,
            "vs": list(vs or ("A",)),
            "margin": "0.1",
            "scale": "ratio",
            "worse": "higher",
        },
        "inference": "exact_ranksum" if bracket else "signflip_blocks",
    }
    return claim("comparison", arm, unit="boot" if bracket else "block", **(design | members))


def share(kind: str = "quantile", p: str = "0.5", limit: str = "9000000", **members: Any) -> Any:
    demand = {"p": p, "comparison": {"kind": "absolute", "op": "<=", "limit": limit}}
    return claim(kind, unit="slot", **(demand | members))


def drift(margin: str = "0.1", **members: Any) -> Any:
    compare = {"kind": "equivalence", "vs": ["A"], "margin": margin, "scale": "ratio"}
    return claim("drift", "A2", unit="boot", comparison={**compare, "worse": "higher"}, **members)


def answered(after_us: int, boot: str | None) -> Filled:
    """Return a slot whose newcomer's first content came so long after it was sent."""
    first = 680_000 + after_us
    newcomer = facts.newcomer(first=first, last=first + 100_000)
    seen = facts.capture(facts.incumbent(), newcomer, boot_id=boot)
    return ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (seen,))


def times(
    of: ProtocolDocument,
    by_arm: Mapping[str, Sequence[int | Filled]],
    *,
    boots: Mapping[str, str | None] | None = None,
    attempts: Mapping[Scope, int] | None = None,
) -> StudyScore:
    """Judge a study by the times of each arm's slots; each slot has a boot of its own."""
    slots = []
    for slot in plan(of):
        value = by_arm[slot.arm][slot.repetition - 1]
        name = slot.id.replace(f"/{CELL}/", "")
        boot = name if boots is None or name not in boots else boots[name]
        filled = answered(value, boot) if isinstance(value, int) else value
        slots.append(ScoredSlot(slot, *filled))
    return judge_study(of, slots, attempts=attempts)


def in_blocks(blocks: int = 6, **members: Any) -> ProtocolDocument:
    """Return a protocol that is judged in blocks, lints clean and is stopped by nothing."""
    whole = {"repetitions": blocks, "stop_rule": {"on": []}, **members}
    good = msgspec.to_builtins(document(**whole))["gates"]
    return document(gates=[*good, compared(), bound()], **whole)
