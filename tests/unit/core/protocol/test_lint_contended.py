# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""What gates about cells that contend are refused for."""

from typing import Any

import pytest

from app.core.protocol.lint import lint
from tests.contended import CELL, RATE, SOLO, TTFT, contention, envelope, fairness, protocol, ratio
from tests.lints import with_


def codes(*gates: Any, **members: Any) -> set[tuple[str, str]]:
    return {
        (each.code, each.pointer)
        for each in lint(protocol(*gates, **members))
        if each.pointer.startswith("/gates/0")
    }


@pytest.mark.parametrize(
    "gate",
    [
        fairness(),
        fairness(RATE, "10"),
        ratio(),
        ratio(highest=2),
        ratio(TTFT, lowest=3),
        envelope(),
        envelope(RATE),
        envelope(margin="0"),
        contention(),
        contention(RATE, "0.5"),
        contention(statistic="kth", k=1),
    ],
)
def test_good_gates_lint_clean(gate: Any) -> None:
    assert {code for code, _ in codes(gate) if code.startswith("E_")} == set()


@pytest.mark.parametrize(
    ("gate", "code", "member"),
    [
        (with_(fairness(), metric=None), "E_GATE_MEMBER_MISSING", "metric"),
        (with_(fairness(), metric__name="throughput"), "E_AMBIGUOUS_METRIC", "metric/name"),
        (with_(fairness(), metric__name="complete"), "E_AMBIGUOUS_METRIC", "metric/name"),
        (with_(fairness(), statistic="median"), "E_DROPS_SLOTS", "statistic"),
        (with_(fairness(RATE), statistic="max"), "E_DROPS_SLOTS", "statistic"),
        (with_(ratio(), statistic="min"), "E_DROPS_SLOTS", "statistic"),
        (with_(ratio(), comparison__op=">="), "E_GATE_MEMBER_MISSING", "comparison/op"),
        (with_(fairness(), comparison__limit=None), "E_GATE_MEMBER_MISSING", "comparison/limit"),
        (with_(fairness(), comparison=None), "E_GATE_MEMBER_MISSING", "comparison"),
        (ratio(lowest=2), "E_DROPS_SLOTS", "lane_ratio/lowest"),
        (ratio(TTFT, highest=2), "E_DROPS_SLOTS", "lane_ratio/highest"),
        (ratio(highest=4), "E_TOO_FEW_LANES", "lane_ratio"),
        (ratio(limit="0.5"), "E_CANNOT_PASS", "metric/domain"),
        (with_(fairness(), population__unit="slot"), "E_UNIT_NOT_BUILT", "population/unit"),
        (with_(fairness(), slot_summary="max"), "E_UNUSED_MEMBER", "slot_summary"),
        (
            with_(envelope(), lane_ratio={"highest": 1, "lowest": 1}),
            "E_UNUSED_MEMBER",
            "lane_ratio",
        ),
        (with_(envelope(), metric=None), "E_GATE_MEMBER_MISSING", "metric"),
        (with_(envelope(), comparison=None), "E_GATE_MEMBER_MISSING", "comparison"),
        (with_(envelope(), slot_summary="kth"), "E_GATE_MEMBER_MISSING", "slot_k"),
        (with_(envelope(), comparison__kind="superiority"), "E_COMPARISON", "comparison/kind"),
        (with_(envelope(), comparison__vs=["A"]), "E_NO_RETURN_CONTROL", "comparison/vs"),
        (with_(envelope(), comparison__vs=["A2", "A"]), "E_NO_CONTROL", "comparison/vs"),
        (with_(envelope(), comparison__scale="abs"), "E_COMPARISON", "comparison/scale"),
        (
            with_(envelope(), comparison__max_reference_spread=None),
            "E_GATE_MEMBER_MISSING",
            "comparison/max_reference_spread",
        ),
        (with_(envelope(), comparison__margin="-0.1"), "E_MARGIN_SIGN", "comparison/margin"),
        (envelope(RATE, "1"), "E_MARGIN_SIGN", "comparison/margin"),
        (with_(envelope(), comparison__worse="lower"), "E_DIRECTION", "comparison/worse"),
        (with_(envelope(), claim="population"), "E_SAMPLE_COMPARISON", "claim"),
        (with_(envelope(), statistic="max"), "E_UNUSED_MEMBER", "statistic"),
        (
            with_(contention(), population__against_cell=None),
            "E_GATE_MEMBER_MISSING",
            "population/against_cell",
        ),
        (with_(contention(), expect="FAIL"), "E_COMPARISON", "expect"),
        (with_(contention(), statistic="sum"), "E_STATISTIC", "statistic"),
        (with_(contention(), statistic="kth"), "E_GATE_MEMBER_MISSING", "k"),
        (with_(contention(), slot_summary="kth"), "E_GATE_MEMBER_MISSING", "slot_k"),
        (with_(contention(), comparison__op="<="), "E_GATE_MEMBER_MISSING", "comparison/op"),
        (contention(arm="B"), "E_NO_CONTROL", "population/arm"),
        (contention(factor="1"), "E_CANNOT_FAIL", "comparison/limit"),
        (contention(RATE, "1"), "E_CANNOT_FAIL", "comparison/limit"),
        (
            with_(contention(), population__cell=SOLO, population__against_cell=CELL),
            "E_CANNOT_FAIL",
            "population/against_cell",
        ),
        (with_(contention(), metric=None), "E_UNUSED_MEMBER", "comparison"),
        (with_(contention(), metric=None), "E_UNUSED_MEMBER", "population/against_cell"),
    ],
)
def test_refused(gate: Any, code: str, member: str) -> None:
    assert (code, f"/gates/0/{member}") in codes(gate)


def test_an_assay_by_contention_answers_the_warning_that_there_is_none() -> None:
    named = {each.code for each in lint(protocol(fairness(), contention(scope="fairness")))}
    assert "W_NO_ASSAY_CONTROL" not in named
    assert "W_NO_ASSAY_CONTROL" in {each.code for each in lint(protocol(fairness()))}
