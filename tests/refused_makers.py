# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""Documents of one or two cells to do something wrong in."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec

from app.core.identity import Scope
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared
from tests.contended import protocol
from tests.documents import completeness_gate, document
from tests.gates import bound, gate
from tests.lints import Change, changed, gated, with_

FAIR = [Scope.LIVE_CORRECTNESS, Scope.FAIRNESS]
BRACKET = compared("non_inferiority", "A", "A2")
CLOCKLESS = with_(bound(), metric__clock=None)
FAMILY: Any = {"family": "f", "family_mode": "any"}


def eight(*gates: Any, **members: Any) -> ProtocolDocument:
    return gated(*gates, repetitions=8, **members)


def waved(waves: int, *gates: Any, **members: Any) -> ProtocolDocument:
    """Return the good document with so many slots in a row that share a boot."""
    value = msgspec.to_builtins(gated(*gates, **members))
    value["cells"][0]["waves"] = waves
    return msgspec.convert(value, ProtocolDocument)


def fair(*gates: Any) -> ProtocolDocument:
    """Return the good document with fairness gates, of which both roles and all slots are."""
    of_fairness = [{**each, "scope": "fairness"} for each in gates]
    complete = with_(completeness_gate("B", 16, scope="fairness"), id="complete-fair")
    good = msgspec.to_builtins(document(repetitions=8))["gates"]
    return document(gates=[*good, *of_fairness, complete], repetitions=8, scopes=FAIR)


def with_cell(concurrency: int, *gates: Any, name: str = "C1-solo") -> ProtocolDocument:
    """Return the good document with a second cell of so many streams, and gates."""
    value = msgspec.to_builtins(gated(*gates, repetitions=8))
    cell = deepcopy(value["cells"][0])
    cell.update(id=name, streams=cell["streams"][:concurrency], concurrency=concurrency)
    if concurrency == 1:
        cell.update(preconditions=[])
        cell["ends"]["cancels"] = []
    value["cells"].append(cell)
    return msgspec.convert(value, ProtocolDocument)


def hurried(*gates: Any) -> ProtocolDocument:
    """Return a document of a solo cell and a contended one that watches slots for 1.1 ms."""
    value = msgspec.to_builtins(protocol(*gates))
    for cell in value["cells"]:
        cell["ends"]["slot_deadline_us"] = 1100
    return msgspec.convert(value, ProtocolDocument)


def of_role(made: Any, role: str) -> Any:
    return with_(made, population__stream_role=role, id=f"{made['id']}-{role}")


def positive(role: str = "primary", **members: Any) -> Change:
    def change(value: Any) -> None:
        value["arms"].append({"id": "P", "role": "positive_control", "settings": {}})
        value["order"].append("P")
        if role:
            value["gates"].append(bound(arm="P", role=role, id="known-bad", **members))

    return change


def positive_with_assay(value: Any) -> None:
    """Add a positive control that an assay reads, and of whose gate nothing is expected."""
    positive()(value)
    value["gates"].append(bound(arm="P", id="shown", expect="FAIL"))
    value["gates"].append(gate("assay", "P", role="validity", expect="FAIL"))


def twice(member: str) -> ProtocolDocument:
    return changed(lambda d: d[member].append(d[member][0]))


def solo_fairness() -> ProtocolDocument:
    """Return a document whose only cell has one stream, and whose scope is fairness (L23)."""

    def change(value: Any) -> None:
        cell = value["cells"][0]
        cell.update(streams=cell["streams"][:1], concurrency=1, preconditions=[])
        cell["ends"]["cancels"] = []
        whole = with_(completeness_gate("B", 1, scope="fairness"), id="whole")
        gap = of_role(bound("max_content_gap", scope="fairness"), "incumbent")
        value.update(scopes=["fairness"], gates=[gap, whole])

    return changed(change)


def row(**members: Any) -> Change:
    return lambda d: d["fault_table"].append({"phase": "any", "fault": "harness", **members})


def gauge(op: str, limit: str, domain: Sequence[str | None], statistic: str = "max") -> Any:
    better = "lower_is_better" if op in ("<", "<=") else "higher_is_better"
    of = {"unit": "1", "source": "sampled_max", "domain": domain, "direction": better}
    made = bound("kv-use", limit, metric=of, statistic=statistic)
    return with_(made, comparison__op=op)


def rate(**members: Any) -> Any:
    return bound(
        "throughput",
        "10",
        metric={"unit": "tokens_per_s", "direction": "higher_is_better", **members},
        statistic="min",
        comparison={"kind": "absolute", "op": ">=", "limit": "10"},
    )


def forget(arm: str) -> Change:
    """Return the change that leaves an arm without gates."""
    return lambda d: d.update(
        gates=[each for each in d["gates"] if each["population"]["arm"] != arm]
    )


def many_cells(value: Any) -> None:
    cell = value["cells"][0]
    cell["repetitions"] = 1000
    value["gates"][1]["comparison"]["value"] = "2000"
    for number in range(3):
        value["cells"].append({**deepcopy(cell), "id": f"C2-{number}"})


def fixed_tokens() -> ProtocolDocument:
    counted = compared()
    counted["metric"] = {**counted["metric"], "name": "completion_tokens", "unit": "tokens"}
    counted["metric"].update(fallback_bounds="content_deltas_to_max_tokens")
    return eight(with_(counted, population__stream_role="incumbent"))
