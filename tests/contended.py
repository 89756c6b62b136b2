# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A protocol of a solo cell and a contended one, its gates as JSON, and slots of given lanes.

All lanes have one role and an exact amount of output. A lane is told in seconds from its own
submission at slot start.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from app.core.identity import Scope
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.capture import Clock, Stream, StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.documents import SECOND_US, document
from tests.scores import Filled

SOLO, CELL, ROLE, TOKENS = "C1", "C4", "reader", 101
TTFT: Any = {
    "name": "ttft",
    "unit": "s",
    "direction": "lower_is_better",
    "domain": ["0", None],
    "clock": "monotonic",
}
RATE: Any = {
    "name": "decode_rate",
    "unit": "tokens_per_s",
    "direction": "higher_is_better",
    "domain": ["0", None],
}


def population(arm: str, cell: str = CELL, unit: str = "slot", **members: Any) -> Any:
    at = {"arm": arm, "cell": cell, "stream_role": ROLE, "phase": "measured", "unit": unit}
    return at | members


def fairness(metric: Any = TTFT, limit: str = "30", *, arm: str = "B", **members: Any) -> Any:
    """Return a gate on the worst lane."""
    low = metric["direction"] == "lower_is_better"
    return {
        "id": f"lane-{arm.lower()}",
        "kind": "fairness",
        "role": "primary",
        "claim": "sample",
        "scope": "fairness",
        "population": population(arm, unit="lane"),
        "metric": metric,
        "statistic": "max" if low else "min",
        "comparison": {"kind": "absolute", "op": "<=" if low else ">=", "limit": limit},
    } | members


def ratio(
    metric: Any = RATE, limit: str = "2", highest: int = 1, lowest: int = 1, **members: Any
) -> Any:
    """Return a gate on how far the lanes of a slot lie apart."""
    apart = {
        "id": "ratio-b",
        "statistic": "max",
        "lane_ratio": {"highest": highest, "lowest": lowest},
        "comparison": {"kind": "absolute", "op": "<=", "limit": limit},
    }
    return fairness(metric, limit, **(apart | members))


def envelope(metric: Any = TTFT, margin: str = "0.1", spread: str = "0.25", **members: Any) -> Any:
    low = metric["direction"] == "lower_is_better"
    return {
        "id": "envelope-b",
        "kind": "observed_envelope",
        "role": "primary",
        "claim": "sample",
        "scope": "performance",
        "population": population("B"),
        "metric": metric,
        "slot_summary": "max" if low else "min",
        "comparison": {
            "kind": "non_inferiority",
            "vs": ["A", "A2"],
            "margin": margin,
            "scale": "ratio",
            "worse": "higher" if low else "lower",
            "max_reference_spread": spread,
        },
    } | members


def contention(metric: Any = TTFT, factor: str = "1.5", *, arm: str = "A", **members: Any) -> Any:
    """Return an assay by contention: the contended cell over the solo one."""
    low = metric["direction"] == "lower_is_better"
    return {
        "id": f"contends-{arm.lower()}",
        "kind": "assay",
        "role": "validity",
        "claim": "sample",
        "scope": "performance",
        "population": population(arm, against_cell=SOLO),
        "metric": metric,
        "slot_summary": "max" if low else "min",
        "statistic": "all",
        "comparison": {"kind": "absolute", "op": ">=" if low else "<=", "limit": factor},
    } | members


def cell(name: str, lanes: int, repetitions: int, *, exact: bool = True) -> Any:
    """Return a cell of so many equal lanes, all sent at slot start."""
    made: Any = msgspec.to_builtins(document())["cells"][0]
    stream: Any = made["streams"][0] | {"role": ROLE, "max_output_tokens": TOKENS}
    streams = [stream | {"lane": each, "exact_output": exact} for each in range(lanes)]
    ends = made["ends"] | {"cancels": []}
    return made | {
        "id": name,
        "concurrency": lanes,
        "repetitions": repetitions,
        "warmup": None,
        "streams": streams,
        "preconditions": [],
        "ends": ends,
    }


def protocol(
    *gates: Any,
    lanes: int = 4,
    repetitions: int = 1,
    arms: Sequence[str] = ("A", "B", "A2"),
    exact: bool = True,
    **changes: Any,
) -> ProtocolDocument:
    """Return a protocol of the gates, each arm once solo and once contended a repetition."""
    scopes = list(dict.fromkeys(gate["scope"] for gate in gates))
    cells = [
        cell(SOLO, 1, repetitions, exact=exact),
        cell(CELL, lanes, repetitions, exact=exact),
    ]
    given: Any = {"cells": cells, "gates": list(gates), "scopes": scopes}
    return document(arms=arms, **(given | changes))


def lane(number: int, first: float | None, rate: float = 10, **members: Any) -> Stream:
    """Return a lane whose first content came after ``first`` s and that decoded at ``rate``.

    None: it was watched for 100 s, and nothing came.
    """
    if first is None:
        return facts.stream(ROLE, number, **({"observed_until_us": 100 * SECOND_US} | members))
    begun = round(first * SECOND_US)
    took = round((members.get("tokens", TOKENS) - 1) / rate * SECOND_US)
    return facts.complete_stream(
        ROLE, number, **({"first": begun, "last": begun + took, "tokens": TOKENS} | members)
    )


def failed(number: int, **members: Any) -> Stream:
    """Return a lane that the server refused at once."""
    refused = {"http_status": 503, "error_class": "http_error", "observed_until_us": 1000}
    return facts.stream(ROLE, number, **(refused | members))


def seen(*lanes: Stream, boot_id: str | None = "boot-1") -> StreamsCapture:
    """Return a capture of the lanes, by a clock that is exact."""
    capture = facts.capture(*lanes, boot_id=boot_id)
    exact = Clock(kind="monotonic", zero="slot_start", resolution_us=0)
    return replace(capture, clock=exact)


def measured(*lanes: Stream, boot_id: str | None = "boot-1", state: str = "COMPLETE") -> Filled:
    return (state, None, (Reason.ALL_STREAMS_COMPLETE,), (seen(*lanes, boot_id=boot_id),))


def of_firsts(*firsts: float | None, **members: Any) -> Filled:
    """Return a slot whose lanes' first contents came after so many seconds."""
    return measured(*(lane(number, each) for number, each in enumerate(firsts)), **members)


def of_rates(*rates: float, **members: Any) -> Filled:
    """Return a slot whose lanes decoded at so many tokens a second."""
    return measured(*(lane(number, 1, each) for number, each in enumerate(rates)), **members)


def score(
    of: ProtocolDocument, filled: Mapping[str, Filled], *, rest: Filled, **members: Any
) -> StudyScore:
    """Judge a study whose slots are ``filled`` by id, ``arm/cell`` or arm; all others: ``rest``."""
    slots = []
    for slot in plan(of):
        names = (slot.id, f"{slot.arm}/{slot.cell}", slot.arm)
        found = next((filled[name] for name in names if name in filled), rest)
        slots.append(ScoredSlot(slot, *found))
    return judge_study(of, slots, **members)


FAIR = [Scope.FAIRNESS]
