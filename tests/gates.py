# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Gates to start from, as JSON, beside those of ``tests.documents``; tests change members."""

from typing import Any

from tests.documents import CELL


def population(arm: str, *, role: str = "any", unit: str = "slot") -> Any:
    return {"arm": arm, "cell": CELL, "stream_role": role, "phase": "measured", "unit": unit}


def gate(kind: str, arm: str = "B", **members: Any) -> Any:
    common = {"id": f"{kind}-{arm.lower()}", "kind": kind, "role": "primary", "claim": "sample"}
    return {**common, "scope": "live_correctness", "population": population(arm), **members}


def bound(name: str = "ttft", limit: str = "10000000", *, arm: str = "B", **members: Any) -> Any:
    metric = {
        "name": name,
        "unit": "us",
        "direction": "lower_is_better",
        "domain": ["0", None],
        "resolution": "1000",
        "clock": "monotonic",
    }
    demand = {
        "metric": {**metric, **members.pop("metric", {})},
        "statistic": "max",
        "comparison": {"kind": "absolute", "op": "<=", "limit": limit},
    }
    role = population(arm, role="newcomer", unit=members.pop("unit", "slot"))
    return gate("bound", arm, population=role, **(demand | members))


def integrity(name: str = "restarts", *, arm: str = "B", **members: Any) -> Any:
    given: Any = {"role": "integrity", **members}
    return gate(
        "integrity",
        arm,
        metric={
            "name": name,
            "unit": "1",
            "direction": "lower_is_better",
            "domain": ["0", None],
            "source": "container_inspect",
        },
        statistic="sum",
        comparison={"kind": "absolute", "op": "<=", "limit": "0"},
        **given,
    )


def identity(arm: str = "B", fields: Any = None) -> Any:
    rule = {} if fields is None else {"rule": {"fields": fields}}
    return gate("identity", arm, role="validity", **rule)
