# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document or a capture is any JSON
"""Checks, long jobs and other tools' decisions: their cells, gates and captures to start from.

The figures of the endurance run and of the CPU suites are those that were published; their names
are ours.
"""

from collections.abc import Sequence
from typing import Any

from app.core.identity import Scope
from app.core.statement.capture import (
    Artifact,
    Capture,
    ChecksCapture,
    ClaimCapture,
    ClaimTool,
    Clock,
    ContainerIdentity,
    Counter,
    Event,
    JobsCapture,
    Lane,
    NamedResult,
    Observations,
    ReportedValue,
    Suite,
)
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import SECOND_US, digest, document

ENDURANCE_US = (5 * 3600 + 16 * 60 + 57) * SECOND_US
HOUR_US = 3600 * SECOND_US
DIGESTS = {
    f"{name}_sha256": digest(f"claim {name}") for name in ("policy", "collector", "workload")
}
HELPER = {"name": "helper-v5", "sha256": digest("helper v5"), "size": 4096}

CPU = {
    "capture": "checks",
    "id": "cpu",
    "repetitions": 1,
    "suites": ["repository"],
    "named": ["helper-v5", "round-trip"],
}
LONG = {
    "capture": "jobs",
    "id": "long",
    "repetitions": 1,
    "lanes": 2,
    "ends": {"slot_deadline_us": 6 * HOUR_US},
}
DECIDED = {
    "capture": "claim",
    "id": "decided",
    "repetitions": 1,
    "tool": {"name": "thegrill", "version": "0.2.0"},
}
CELLS = {"checks": CPU, "jobs": LONG, "claim": DECIDED}


def gate(kind: str, cell: Any, rule: Any = None, **members: Any) -> Any:
    """Return a gate of candidate B in a cell, as JSON."""
    population = {"arm": "B", "cell": cell["id"], "stream_role": "any", "phase": "measured"}
    common = {"id": kind.replace("_", "-"), "kind": kind, "role": "primary", "claim": "sample"}
    ruled = {} if rule is None else {"rule": rule}
    place = {"scope": "cpu", "population": {**population, "unit": "slot"}}
    return {**common, **place, **ruled, **members}


def checks_gate(**rule: Any) -> Any:
    return gate("checks", CPU, {"max_failed": 0, "allowed_skips": 65, **rule})


def jobs_gate(**rule: Any) -> Any:
    least = {"min_duration_us": 5 * HOUR_US, "min_validated": 200, "max_failed": 0}
    return gate("jobs", LONG, least | rule)


def registry_gate(*artifacts: Any) -> Any:
    return gate("artifact_registry", CPU, {"artifacts": list(artifacts or (HELPER,))})


def claim_gate(**rule: Any) -> Any:
    return gate("claim", DECIDED, {**DIGESTS, **rule})


def number(name: str = "largest-difference", **members: Any) -> Any:
    """Return the metric of a number that a tool reports."""
    metric = {"name": name, "unit": "1", "direction": "lower_is_better", "domain": ["0", None]}
    return {**metric, "source": "reported", **members}


def equality_gate(value: str = "0", **members: Any) -> Any:
    comparison = {"kind": "equality", "value": value}
    given = {"metric": number(), "statistic": "all", "comparison": comparison}
    return gate("equality", CPU, **(given | members))


def parity_gate(**members: Any) -> Any:
    comparison = {"kind": "equality", "vs": ["A"]}
    given = {"metric": number(), "statistic": "all", "comparison": comparison}
    return gate("parity", CPU, **(given | members))


def with_cells(*gates: Any, cells: Sequence[Any] = (CPU, LONG, DECIDED)) -> ProtocolDocument:
    """Return a document of two arms whose slots are filled by ``cells``."""
    table = [
        {"phase": "any", "error": "deadline", "fault": "sut"},
        {"phase": "any", "container": "exited", "fault": "sut"},
        {"phase": "any", "container": "restarted", "fault": "sut"},
    ]
    return document(
        arms=("A", "B"),
        scopes=(Scope.CPU,),
        cells=list(cells),
        gates=list(gates),
        fault_table=table,
    )


def engine(*, exited: bool | None = False, after: str = "c-1") -> ContainerIdentity:
    return ContainerIdentity(component="engine", before="c-1", after=after, exited=exited)


def observed(
    *identities: ContainerIdentity, counters: Any = None, events: Sequence[Event] = ()
) -> Observations:
    given = {"restarts": 0, "oom": 0} if counters is None else counters
    return Observations(
        counters=[Counter(name=name, before=0, after=after) for name, after in given.items()],
        gauges=[],
        events=list(events),
        identities=list(identities),
    )


def suite(passed: int | None = 379, failed: int | None = 0, skipped: int | None = 65) -> Suite:
    return Suite(name="repository", passed=passed, failed=failed, skipped=skipped)


def named(identity: str, result: Any = "passed", artifact: Any = None) -> NamedResult:
    return NamedResult(
        id=identity, result=result, artifact=None if artifact is None else Artifact(**artifact)
    )


HELPER_FOUND = named("helper-v5", artifact={"sha256": HELPER["sha256"], "size": HELPER["size"]})


def checks(**changes: Any) -> ChecksCapture:
    """Return the CPU suites as published: 379 passed, 0 failed, 65 skipped."""
    good: dict[str, Any] = {
        "schema": "urn:fairtrial:capture:checks:v1",
        "clock": Clock(kind="wall", zero="slot_start", resolution_us=SECOND_US),
        "boot_id": None,
        "suites": [suite()],
        "named": [HELPER_FOUND, named("round-trip")],
        "values": [ReportedValue(name="largest-difference", unit="1", value="0")],
        "observations": observed(),
    }
    return ChecksCapture(**(good | changes))


def lane(number_of: int = 0, validated: int | None = 251, **facts: Any) -> Lane:
    """Return a lane of the endurance run."""
    good: dict[str, Any] = {
        "started_us": 0,
        "ended_us": ENDURANCE_US,
        "observed_until_us": ENDURANCE_US,
        "completed": validated,
        "failed": 0,
        "longest_idle_us": None,
        "counters": [],
    }
    return Lane(lane=number_of, validated=validated, **(good | facts))


def jobs(*lanes: Lane, **changes: Any) -> JobsCapture:
    """Return the endurance run as published: 251 and 249 validated jobs in 5:16:57."""
    good: dict[str, Any] = {
        "schema": "urn:fairtrial:capture:jobs:v1",
        "clock": Clock(kind="monotonic", zero="slot_start", resolution_us=SECOND_US),
        "boot_id": "boot-1",
        "lanes": list(lanes or (lane(), lane(1, 249))),
        "observations": observed(engine()),
    }
    return JobsCapture(**(good | changes))


def claim(decision: str | None = "PASS", **changes: Any) -> ClaimCapture:
    """Return another tool's decision, bound to the locked digests."""
    good: dict[str, Any] = {
        "schema": "urn:fairtrial:capture:claim:v1",
        "tool": ClaimTool(name="thegrill", version="0.2.0"),
        **DIGESTS,
        "decision": decision,
        "reason_codes": [],
    }
    return ClaimCapture(**(good | changes))


GOOD: dict[str, Capture] = {"cpu": checks(), "long": jobs(), "decided": claim()}
