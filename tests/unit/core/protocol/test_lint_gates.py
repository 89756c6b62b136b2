# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""What gates are refused for, each by itself and all together."""

from typing import Any

import msgspec
import pytest

from app.core.identity import Scope
from app.core.protocol.lint import lint
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import canary_gate, completeness_gate, document
from tests.gates import bound, identity, integrity
from tests.lints import LAST, changed, found, gated, with_


@pytest.mark.parametrize(
    ("gate", "code", "member"),
    [
        (with_(bound(), kind="review"), "E_GATE_MEMBER_MISSING", "rule/accepted"),
        (with_(bound(), claim="population"), "E_SAMPLE_COMPARISON", "claim"),
        (with_(bound(), population__unit="block"), "E_UNIT_NOT_BUILT", "population/unit"),
        (with_(bound(), population__phase="warmup"), "E_AMBIGUOUS_METRIC", "population/phase"),
        (with_(bound(), family_mode="any"), "E_GATE_MEMBER_MISSING", "family"),
        (with_(canary_gate("A"), id="x", rule=None), "E_GATE_MEMBER_MISSING", "rule"),
        (with_(canary_gate("A"), id="x", rule__op=None), "E_GATE_MEMBER_MISSING", "rule"),
        (with_(canary_gate("A"), id="x", statistic="any"), "E_STATISTIC", "statistic"),
        (
            with_(canary_gate("A"), id="x", population__unit="stream"),
            "E_NO_UNIT",
            "population/unit",
        ),
        (
            with_(canary_gate("A"), id="x", resolution_us=None),
            "E_GATE_MEMBER_MISSING",
            "resolution_us",
        ),
        (
            with_(canary_gate("A"), id="x", population__against_role="newcomer"),
            "E_REFERENCE",
            "population",
        ),
        (with_(identity(), role="primary"), "E_ROLE", "role"),
        (identity(fields=["color"]), "E_REFERENCE", "rule/fields"),
        (with_(bound(), metric=None), "E_GATE_MEMBER_MISSING", "metric"),
        (with_(bound(), statistic="quantile"), "E_INTERPOLATED_QUANTILE", "statistic"),
        (with_(bound(), statistic="kth"), "E_GATE_MEMBER_MISSING", "k"),
        (with_(bound(), slot_summary="kth"), "E_GATE_MEMBER_MISSING", "slot_k"),
        (with_(bound(), comparison=None), "E_GATE_MEMBER_MISSING", "comparison"),
        (with_(bound(), comparison__op=None), "E_GATE_MEMBER_MISSING", "comparison/op"),
        (with_(bound(), comparison__limit=None), "E_GATE_MEMBER_MISSING", "comparison/limit"),
        (
            with_(bound(), comparison={"kind": "equality"}),
            "E_GATE_MEMBER_MISSING",
            "comparison/value",
        ),
        (
            with_(bound(), comparison={"kind": "superiority"}),
            "E_SAMPLE_COMPARISON",
            "comparison/kind",
        ),
        (with_(bound(), kind="progress"), "E_AMBIGUOUS_METRIC", "metric/name"),
        (
            with_(completeness_gate("A", 2), metric__accepted_bases=None),
            "E_GATE_MEMBER_MISSING",
            "metric/accepted_bases",
        ),
        (with_(integrity(), metric__source="hearsay"), "E_AMBIGUOUS_METRIC", "metric/source"),
        (bound("color"), "E_AMBIGUOUS_METRIC", "metric/name"),
        (bound(metric={"unit": "fortnight"}), "E_AMBIGUOUS_METRIC", "metric/unit"),
        (
            with_(bound("throughput", metric={"unit": "tokens_per_s"}), population__unit="stream"),
            "E_NO_UNIT",
            "population/unit",
        ),
        (bound(metric={"domain": [None, None]}), "E_GATE_MEMBER_MISSING", "metric/domain/0"),
    ],
)
def test_gate_that_cannot_be_judged_is_refused(gate: Any, code: str, member: str) -> None:
    assert (code, f"{LAST}/{member}") in found(gated(gate))


# ---- gates together ----


def test_scope_without_a_blocking_gate_is_refused() -> None:
    assert ("E_NO_BLOCKING_GATE", "/scopes/1") in found(
        changed(lambda d: d["scopes"].append("cpu"))
    )


def test_live_scope_without_a_completeness_gate_is_refused() -> None:
    assert found(document(gates=[canary_gate("B")])) == {("E_NO_COMPLETENESS_GATE", "/scopes/0")}


def test_scope_that_is_not_live_needs_no_completeness_gate() -> None:
    of = document(scopes=[Scope.CPU], gates=[canary_gate("B", scope="cpu")])
    assert found(of) == set()


def test_candidate_without_a_gate_in_a_cell_is_refused() -> None:
    def another_cell(value: Any) -> None:
        value["cells"].append({**value["cells"][0], "id": "C4"})
        value["gates"].append(with_(canary_gate("A"), id="other", population__cell="C4"))

    (finding,) = (each for each in lint(changed(another_cell)) if each.severity == "error")
    assert (finding.code, finding.formula) == ("E_SCOPE_UNDECLARED_CELL", "no gate: B/C4")


def test_gate_in_a_cell_that_is_not_declared_is_refused_and_breaks_no_other_rule() -> None:
    def nowhere(value: Any) -> None:
        value["gates"].append(with_(bound(arm="A"), id="other", population__cell="C9"))

    codes = {each.code for each in lint(changed(nowhere)) if each.severity == "error"}
    assert codes == {"E_SCOPE_UNDECLARED_CELL"}


def fairness(*gates: Any, concurrency: int = 2) -> ProtocolDocument:
    made = [{**gate, "scope": "fairness", "id": f"g{n}"} for n, gate in enumerate(gates)]
    value = msgspec.to_builtins(document(scopes=[Scope.FAIRNESS], gates=made))
    value["cells"][0]["concurrency"] = concurrency
    return msgspec.convert(value, ProtocolDocument)


INCUMBENT = with_(bound("max_content_gap"), population__stream_role="incumbent")


def test_fairness_without_contention_or_on_one_side_is_refused() -> None:
    complete = completeness_gate("B", 2)
    assert found(fairness(complete, bound(), INCUMBENT)) == set()
    anyone = with_(bound(slot_summary="max"), population__stream_role="any")
    assert found(fairness(complete, anyone)) == set()
    assert found(fairness(complete, bound())) == {("E_ONE_SIDED", "/scopes/0")}
    alone = fairness(complete, bound(), INCUMBENT, concurrency=1)
    assert found(alone) == {
        ("E_SCOPE_UNDECLARED_CELL", "/scopes/0"),
        ("E_CONCURRENCY", "/cells/0/concurrency"),
    }
    for role in ("exploratory", "validity"):
        looking = with_(INCUMBENT, role=role)
        assert ("E_ONE_SIDED", "/scopes/0") in found(fairness(complete, bound(), looking))
    assert ("E_ONE_SIDED", "/scopes/0") in found(fairness(complete, bound(), integrity()))


def test_median_alone_is_refused_in_fairness_and_warned_of_elsewhere() -> None:
    complete, median = completeness_gate("B", 2), bound(statistic="median")
    assert found(fairness(complete, median, INCUMBENT)) == {("E_MEDIAN_ONLY", "/gates/1/statistic")}
    assert found(fairness(complete, median, bound(), INCUMBENT)) == set()
    looking = bound(role="exploratory")
    assert ("E_MEDIAN_ONLY", "/gates/1/statistic") in found(
        fairness(complete, median, looking, INCUMBENT)
    )
    alone = document(scopes=[Scope.CPU], gates=[{**median, "scope": "cpu"}])
    assert found(alone) == {("W_MEDIAN_HIDES_INCOMPLETE", "/gates/0/statistic")}


def test_percentile_label_and_exit_codes_are_refused() -> None:
    assert found(gated(bound(id="ttft-p95"))) == {("E_TAIL_LABEL", f"{LAST}/id")}
    assert found(gated(bound(id="p9500"))) == set()
    for name, code in (
        ("exit_code", "E_EXIT_CODE_GATE"),
        ("http_status", "E_HTTP_STATUS_GATE"),
    ):
        gate = bound(name, metric={"unit": "1", "source": "counter"})
        assert (code, f"{LAST}/metric/name") in found(gated(gate))


def test_answer_that_is_demanded_and_not_declared_is_refused() -> None:
    def forget(value: Any) -> None:
        value["cells"][0]["streams"][1]["expected_answer"] = None

    assert ("E_NO_EXPECTED_ANSWER", "/gates/0/rule/and") in found(changed(forget))

    def parts(value: Any) -> None:
        forget(value)
        value["cells"][0]["streams"][1]["answer_parts"] = ["head", "tail"]

    assert found(changed(parts)) == set()


def test_token_metric_without_fallback_is_warned_of() -> None:
    rate = bound("decode_rate", metric={"unit": "tokens_per_s", "direction": "higher_is_better"})
    rate = with_(rate, comparison__op=">=", statistic="min")
    assert found(gated(rate)) == {("W_USAGE_FALLBACK_MISSING", f"{LAST}/metric")}
    declared = with_(rate, metric__fallback_bounds="content_deltas_to_max_tokens")
    assert found(gated(declared)) == set()
