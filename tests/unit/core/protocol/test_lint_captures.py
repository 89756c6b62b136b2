# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Gates read what their cells capture, and say every limit that they hold results against."""

from typing import Any

import pytest

from app.core.protocol.gate import (
    BoundGate,
    ChecksGate,
    DecisionGate,
    JobsGate,
    ParityGate,
    RegistryGate,
    parse_gates,
)
from app.core.protocol.lint import lint
from app.core.protocol.lint_captures import capture_of
from tests import gates
from tests.documents import canary_gate, document
from tests.lints import with_
from tests.results import (
    CPU,
    DECIDED,
    HELPER,
    LONG,
    checks_gate,
    claim_gate,
    equality_gate,
    gate,
    jobs_gate,
    number,
    parity_gate,
    registry_gate,
    with_cells,
)

EVERY = (checks_gate(), jobs_gate(), registry_gate(), claim_gate(), equality_gate(), parity_gate())
ANY = "E_REFERENCE"


def found(*of_document: Any, cells: Any = (CPU, LONG, DECIDED)) -> set[tuple[str, str]]:
    """Return the errors, save that a candidate has no gate in every cell of the scope."""
    errors = {
        (each.code, each.pointer)
        for each in lint(with_cells(*of_document, cells=cells))
        if each.severity == "error"
    }
    return errors - {("E_SCOPE_UNDECLARED_CELL", "/scopes/0")}


def test_good_gates_of_every_kind_lint_and_are_typed() -> None:
    assert found(*EVERY) == set()
    kinds = [type(each) for each in parse_gates(with_cells(*EVERY))]
    assert kinds == [ChecksGate, JobsGate, RegistryGate, DecisionGate, BoundGate, ParityGate]


def test_cells_say_what_they_capture() -> None:
    captured = [capture_of(cell) for cell in with_cells(*EVERY).cells]
    assert captured == ["checks", "jobs", "claim"]
    assert capture_of(document().cells[0]) == "streams"


def moved(rule: Any, cell: Any) -> Any:
    return {**rule, "population": {**rule["population"], "cell": cell["id"]}}


MOVED = [
    moved(checks_gate(), LONG),
    moved(jobs_gate(), CPU),
    moved(registry_gate(), DECIDED),
    moved(claim_gate(), CPU),
    moved(equality_gate(), LONG),
    moved(gates.integrity(scope="cpu"), DECIDED),
    gate("bound", CPU, metric=number("ttft", unit="us", clock="monotonic"), statistic="max")
    | {"comparison": {"kind": "absolute", "op": "<=", "limit": "1"}},
]


@pytest.mark.parametrize("rule", MOVED)
def test_l20_gate_on_a_cell_of_another_kind_is_refused(rule: Any) -> None:
    assert ("E_CAPTURE_KIND", "/gates/0/population/cell") in found(rule)


def test_l20_checks_gate_on_a_cell_of_streams_is_refused() -> None:
    of = document(gates=[canary_gate("B"), moved(checks_gate(), {"id": "C2-canary"})])
    codes = {(each.code, each.pointer) for each in lint(of)}
    assert ("E_CAPTURE_KIND", "/gates/1/population/cell") in codes


def test_counters_gauges_and_containers_are_read_in_whatever_ran() -> None:
    for cell in (CPU, LONG):
        for name in ("restarts", "container_identity"):
            beside = moved(gates.integrity(name, scope="cpu"), cell)
            assert found(*EVERY, beside) == set()


def test_unknown_cell_is_said_once() -> None:
    nowhere = moved(checks_gate(), {"id": "nowhere"})
    assert found(nowhere, *EVERY[1:]) >= {("E_SCOPE_UNDECLARED_CELL", "/gates/0/population/cell")}
    assert ("E_CAPTURE_KIND", "/gates/0/population/cell") not in found(nowhere)


def test_named_results_and_files_are_such_as_the_cell_plans() -> None:
    assert found(checks_gate(named=["round-trip"]), *EVERY[1:]) == set()
    assert (ANY, "/gates/0/rule/named") in found(checks_gate(named=["other"]))
    other = registry_gate(HELPER, {**HELPER, "name": "Other.bin"})
    assert (ANY, "/gates/0/rule/artifacts") in found(other)


def test_cell_of_checks_plans_each_result_once() -> None:
    twice = {**CPU, "suites": ["repository"] * 2, "named": ["helper-v5"] * 2}
    assert found(checks_gate(), cells=[twice]) == {
        ("E_DUPLICATE_ID", "/cells/0/suites"),
        ("E_DUPLICATE_ID", "/cells/0/named"),
    }


def test_decisions_of_one_cell_are_bound_to_one_set_of_digests() -> None:
    second = with_(claim_gate(policy_sha256="0" * 64), id="second")
    assert found(*EVERY, second) == {("E_CONTRADICTORY", "/gates/6/rule")}
    same = with_(claim_gate(), id="second")
    assert found(*EVERY, same) == set()


RULES = {
    "checks": (checks_gate(), ("max_failed", "allowed_skips")),
    "jobs": (jobs_gate(), ("min_duration_us", "min_validated", "max_failed")),
    "artifact_registry": (registry_gate(), ("artifacts",)),
    "claim": (claim_gate(), ("policy_sha256", "collector_sha256", "workload_sha256")),
}


@pytest.mark.parametrize(
    ("rule", "member"),
    [(rule, member) for rule, members in RULES.values() for member in members],
)
def test_limit_that_is_not_said_is_not_assumed(rule: Any, member: str) -> None:
    less = with_(rule, **{f"rule__{member}": None})
    assert found(less) == {("E_GATE_MEMBER_MISSING", f"/gates/0/rule/{member}")}
    assert ("E_GATE_MEMBER_MISSING", f"/gates/0/rule/{member}") in found(with_(rule, rule=None))


def test_member_that_nobody_reads_is_refused() -> None:
    assert found(with_(checks_gate(), rule__accepted=1)) == {
        ("E_UNUSED_MEMBER", "/gates/0/rule/accepted")
    }
    more = with_(parity_gate(), comparison__value="1")
    assert found(more) == {("E_UNUSED_MEMBER", "/gates/0/comparison/value")}


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            with_(equality_gate(), comparison={"kind": "absolute", "op": "<=", "limit": "1"}),
            ("E_SAMPLE_COMPARISON", "/gates/0/comparison/kind"),
        ),
        (with_(equality_gate(), statistic="max"), ("E_STATISTIC", "/gates/0/statistic")),
        (with_(equality_gate(), statistic="sum"), ("E_STATISTIC", "/gates/0/statistic")),
        (
            with_(parity_gate(), comparison__kind="absolute"),
            ("E_SAMPLE_COMPARISON", "/gates/0/comparison/kind"),
        ),
        (
            with_(parity_gate(), comparison__vs=None),
            ("E_GATE_MEMBER_MISSING", "/gates/0/comparison/vs"),
        ),
        (
            with_(parity_gate(), comparison__vs=["A", "B"]),
            ("E_GATE_MEMBER_MISSING", "/gates/0/comparison/vs"),
        ),
        (
            with_(parity_gate(), comparison__margin="-1"),
            ("E_MARGIN_SIGN", "/gates/0/comparison/margin"),
        ),
        (with_(parity_gate(), metric=None), ("E_GATE_MEMBER_MISSING", "/gates/0/metric")),
        (with_(parity_gate(), comparison=None), ("E_GATE_MEMBER_MISSING", "/gates/0/comparison")),
        (with_(parity_gate(), statistic="any"), ("E_STATISTIC", "/gates/0/statistic")),
        (with_(parity_gate(), slot_summary="kth"), ("E_GATE_MEMBER_MISSING", "/gates/0/slot_k")),
    ],
)
def test_equality_and_parity_say_with_what(rule: Any, expected: tuple[str, str]) -> None:
    assert expected in found(rule)


def test_event_may_be_asked_for_and_its_absence_may_not() -> None:
    seen = with_(gates.bound("engaged"), metric__source="events", metric__unit="1")
    asked = with_(
        seen,
        metric__direction="higher_is_better",
        comparison={"kind": "absolute", "op": ">=", "limit": "1"},
        statistic="min",
    )
    assert "E_CANNOT_PASS" not in {each.code for each in lint(document(gates=[asked]))}
    assert "E_CANNOT_PASS" in {each.code for each in lint(document(gates=[seen]))}
