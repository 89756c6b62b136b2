# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""What numbers of gates are refused for."""

from typing import Any

import pytest

from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.patch import put
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import CELL, completeness_gate, document
from tests.gates import bound
from tests.lints import LAST, found, gated, with_
from tests.results import HOUR_US, jobs_gate, with_cells


def error_of(of: ProtocolDocument) -> LintFinding:
    (finding,) = (each for each in lint(of) if each.severity == "error")
    return finding


def test_more_units_than_planned_are_refused() -> None:
    finding = error_of(gated(bound(required_n=2)))
    assert (finding.code, finding.pointer) == ("E_N_UNATTAINABLE", f"{LAST}/required_n")
    assert (finding.formula, finding.change) == ("2 > 1 planned", put(finding.pointer, 1))
    assert error_of(gated(bound(statistic="kth", k=2))).pointer == f"{LAST}/k"


def test_family_that_wants_more_places_to_pass_than_it_has_is_refused() -> None:
    def family(k: int, **more: Any) -> ProtocolDocument:
        return gated(bound(family="f", family_mode="k_of_n", family_k=k, **more))

    finding = error_of(family(2))
    assert (finding.code, finding.pointer) == ("E_N_UNATTAINABLE", f"{LAST}/family_k")
    assert (finding.formula, finding.change) == ("2 > 1 planned", put(finding.pointer, 1))
    assert found(family(1)) == set()
    assert found(family(2, role="exploratory")) == set()


@pytest.mark.parametrize(
    ("comparison", "code"),
    [
        ({"kind": "equality", "value": "3"}, "E_CANNOT_PASS"),
        ({"kind": "equality", "value": "1"}, "E_DROPS_SLOTS"),
        ({"kind": "absolute", "op": ">=", "limit": "1"}, "E_DROPS_SLOTS"),
        ({"kind": "absolute", "op": "<=", "limit": "2"}, "E_DROPS_SLOTS"),
    ],
)
def test_completeness_of_fewer_or_more_than_all_is_refused(comparison: Any, code: str) -> None:
    of = gated(with_(completeness_gate("B", 2), id="x", comparison=comparison))
    finding = next(each for each in lint(of) if each.code == code)
    assert (finding.code, finding.pointer) == (code, f"{LAST}/comparison")
    assert finding.change == put(finding.pointer, {"kind": "equality", "value": "2"})


def test_completeness_of_every_unit_needs_no_number() -> None:
    every = with_(completeness_gate("B", 2), id="x", statistic="all", comparison__value="1")
    at_least = {"kind": "absolute", "op": ">=", "limit": "2"}
    assert found(gated(every)) == set()
    assert found(gated(with_(completeness_gate("B", 2), id="x", comparison=at_least))) == set()


def test_time_with_a_greatest_value_is_refused() -> None:
    finding = error_of(gated(bound(metric={"domain": ["0", "20000000"]})))
    assert finding.code == "E_DOMAIN_DECIDES"
    assert finding.change == put(finding.pointer, ["0", None])


def gauge(op: str, limit: str, domain: Any, statistic: str = "all") -> Any:
    better = "lower_is_better" if op in ("<", "<=", "==") else "higher_is_better"
    of = {"unit": "1", "source": "sampled_max", "domain": domain, "direction": better}
    made = bound("kv", limit, metric=of)
    made["comparison"]["op"] = op
    made["statistic"] = statistic
    del made["metric"]["resolution"]
    return made


@pytest.mark.parametrize(
    ("gate", "code"),
    [
        (gauge("<=", "100", ["0", "100"]), "E_CANNOT_FAIL"),
        (gauge("<", "101", ["0", "100"]), "E_CANNOT_FAIL"),
        (gauge("<", "100", ["0", "100"]), None),
        (gauge(">=", "0", ["0", None]), "E_CANNOT_FAIL"),
        (gauge(">", "0", ["1", None]), "E_CANNOT_FAIL"),
        (gauge(">", "0", ["0", None]), None),
        (gauge(">=", "101", ["0", "100"]), "E_CANNOT_PASS"),
        (gauge(">", "100", ["0", "100"]), "E_CANNOT_PASS"),
        (gauge("<=", "1", ["2", None]), "E_CANNOT_PASS"),
        (gauge("<", "2", ["2", None]), "E_CANNOT_PASS"),
        (gauge("==", "1", ["2", None]), "E_CANNOT_PASS"),
        (gauge("==", "9", ["2", "8"]), "E_CANNOT_PASS"),
        (gauge("==", "5", ["2", "8"]), None),
        (gauge("==", "5", ["8", "2"]), "E_DOMAIN_DECIDES"),
        (gauge("<=", "9", ["0", "10"], "sum"), "E_DOMAIN_DECIDES"),
        (gauge("<=", "9", ["0", None], "sum"), None),
    ],
)
def test_gate_that_its_domain_decides_is_refused(gate: Any, code: str | None) -> None:
    refused = {(code, f"{LAST}/metric/domain")} if code else set()
    assert {each for each in found(gated(gate)) if each[1] == f"{LAST}/metric/domain"} >= refused
    assert bool(found(gated(gate))) is bool(code)


def test_limit_finer_than_the_clock_is_refused() -> None:
    finding = error_of(gated(bound(limit="1999")))
    assert (finding.code, finding.formula) == ("E_BELOW_RESOLUTION", "1999 < 2 x 1000")
    assert found(gated(bound(limit="2000"))) == set()


def test_deadline_before_the_limit_is_refused() -> None:
    finding = error_of(gated(bound(limit="240000001")))
    assert (finding.code, finding.pointer) == ("E_DEADLINE_LT_LIMIT", f"{LAST}/comparison/limit")
    assert found(gated(bound(limit="240000000"))) == set()
    seconds = bound(limit="240", metric={"unit": "s", "resolution": "0.001"})
    assert found(gated(seconds)) == set()


@pytest.mark.parametrize(("hours", "refused"), [(6, False), (7, True)])
def test_lane_that_lasts_longer_than_its_slot_is_refused(hours: int, refused: bool) -> None:
    of = lint(with_cells(jobs_gate(min_duration_us=hours * HOUR_US)))
    place = "/gates/0/rule/min_duration_us"
    late = [each for each in of if (each.code, each.pointer) == ("E_DEADLINE_LT_LIMIT", place)]
    assert [each.formula for each in late] == ["21600000000 us < 25200000000 us"] * refused
    deadline = put("/cells/1/ends/slot_deadline_us", 7 * HOUR_US)
    assert [each.change for each in late] == [deadline] * refused


def test_gates_that_exclude_each_other_are_refused() -> None:
    tokens = {"unit": "tokens", "fallback_bounds": "content_deltas_to_max_tokens"}

    def counted(op: str, limit: str, name: str) -> Any:
        better = "lower_is_better" if op == "<=" else "higher_is_better"
        made = bound("completion_tokens", limit, id=name, metric={**tokens, "direction": better})
        return with_(made, comparison__op=op, statistic="all")

    def pair(op: str, limit: str) -> ProtocolDocument:
        return gated(counted("<=", "10000000", "one"), counted(op, limit, "other"))

    assert found(pair(">=", "10000001")) == {("E_CONTRADICTORY", "/gates/5/comparison")}
    assert found(pair(">", "10000000")) == {("E_CONTRADICTORY", "/gates/5/comparison")}
    assert found(pair(">=", "10000000")) == set()
    assert found(pair("<=", "5000000")) == set()
    assert found(gated(bound(), bound("settlement", id="other"))) == set()


def test_unit_of_streams_is_every_planned_one_of_the_role() -> None:
    assert found(gated(bound(unit="stream", required_n=1))) == set()
    assert error_of(gated(bound(unit="stream", required_n=2))).formula == "2 > 1 planned"


def test_cell_is_named_in_the_documents_of_these_tests() -> None:
    assert document().cells[0].id == CELL
