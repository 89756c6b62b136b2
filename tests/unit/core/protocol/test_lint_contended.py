# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""What gates about cells that contend are refused for."""

from typing import Any

import msgspec
import pytest

from app.core.identity import Scope
from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.patch import operations
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import METRIC
from tests.contended import (
    CELL,
    RATE,
    SOLO,
    TTFT,
    contention,
    envelope,
    fairness,
    population,
    protocol,
    ratio,
)
from tests.documents import document
from tests.lints import with_
from tests.patches import patched


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
        ratio(TTFT, "99999999"),
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
        (fairness(limit="99999999"), "E_DEADLINE_LT_LIMIT", "comparison/limit"),
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


# ---- being no worse under contention, where nothing shows that there is any (SCORING.md B6) ----


def no_worse(kind: str = "non_inferiority", **members: Any) -> Any:
    gate: Any = {
        "id": "no-worse",
        "kind": "comparison",
        "role": "primary",
        "claim": "population",
        "scope": "performance",
        "population": population("B", unit="block"),
        "metric": METRIC,
        "slot_summary": "max",
        "comparison": {
            "kind": kind,
            "vs": ["A"],
            "margin": "-0.1" if kind == "superiority" else "0.2",
            "scale": "ratio",
            "worse": "higher",
        },
    }
    return with_(gate, **members)


def can_never_pass(of: ProtocolDocument) -> list[LintFinding]:
    return [each for each in lint(of) if (each.code, each.pointer) == ("E_CANNOT_PASS", "/gates/0")]


@pytest.mark.parametrize("kind", ["non_inferiority", "equivalence"])
@pytest.mark.parametrize("scope", ["fairness", "performance"])
@pytest.mark.parametrize("role", ["primary", "secondary"])
def test_gate_that_no_assay_could_let_pass_is_refused_before_the_lock(
    kind: str, scope: str, role: str
) -> None:
    of = protocol(no_worse(kind, scope=scope, role=role), repetitions=8)
    (finding,) = can_never_pass(of)
    assert finding.severity == "error"
    assert finding.formula == f"4 requests, no assay of ttft for {scope} in {CELL}"
    healed = patched(of, finding.change)
    assert not can_never_pass(healed)
    new = {(each.code, each.pointer) for each in lint(healed)}
    new -= {(each.code, each.pointer) for each in lint(of)}
    assert {code for code, _ in new if code.startswith("E_")} == set()
    assert healed.gates[-1].kind == "assay"


@pytest.mark.parametrize(
    "gate",
    [
        no_worse("superiority", scope="live_correctness"),
        no_worse("superiority", population__cell=SOLO),
        no_worse(role="exploratory"),
        no_worse(population__cell=SOLO),
        no_worse(scope="live_correctness"),
        fairness(),
        envelope(),
    ],
)
def test_gate_that_rests_on_no_contention_needs_no_assay(gate: Any) -> None:
    assert not can_never_pass(protocol(gate, repetitions=8))


def test_being_better_under_contention_is_refused_without_a_known_bad_control() -> None:
    better = no_worse("superiority")
    for beside in ((), (contention(),)):
        (finding,) = can_never_pass(protocol(better, *beside, repetitions=8))
        assert finding.formula == f"no control that fails ttft for performance in {CELL}"
        assert "decide" in finding.detail
        assert finding.change == ()
    worse = no_worse("superiority", id="known-bad", population__arm="P", expect="FAIL")
    place = population("P")
    reads = with_(contention(), metric=None, comparison=None, slot_summary=None, statistic=None)
    reads.update(population=place, expect="FAIL")
    shown = protocol(better, worse, reads, repetitions=8, arms=("A", "B", "P"))
    assert not can_never_pass(shown)


def test_assay_of_another_scope_or_cell_shows_nothing_here() -> None:
    for assay, refused in (
        (contention(), False),
        (contention(scope="fairness"), True),
        (with_(contention(), population__cell=SOLO, population__against_cell=CELL), True),
    ):
        found = can_never_pass(protocol(no_worse(), assay, repetitions=8))
        assert bool(found) is refused


@pytest.mark.parametrize(
    ("members", "name", "summary", "demand"),
    [
        ({}, "ttft", "max", (">=", "1.5")),
        ({"metric": RATE, "comparison__worse": "lower"}, "decode_rate", "min", ("<=", "0.5")),
        (
            {"metric": {**RATE, "name": "throughput"}, "comparison__worse": "lower"}
            | {"slot_summary": None},
            "decode_rate",
            "min",
            ("<=", "0.5"),
        ),
        (
            {"metric__name": "answered", "metric__source": "counter", "metric__unit": "1"}
            | {"metric__clock": None},
            "decode_rate",
            "min",
            ("<=", "0.5"),
        ),
    ],
)
def test_offered_assay_measures_what_a_stream_has(
    members: Any, name: str, summary: str, demand: tuple[str, str]
) -> None:
    (finding,) = can_never_pass(protocol(no_worse(**members), repetitions=8))
    (added,) = operations(finding.change)
    gate: Any = added["value"]
    assert (gate["metric"]["name"], gate["slot_summary"]) == (name, summary)
    assert (gate["comparison"]["op"], gate["comparison"]["limit"]) == demand
    assert (
        gate["population"] | {"arm": "A", "cell": CELL, "against_cell": SOLO}
        == (gate["population"])
    )


def test_role_that_the_solo_cell_does_not_have_is_measured_over_all_of_its_streams() -> None:
    of = protocol(no_worse(), repetitions=8)
    lanes = msgspec.to_builtins(of)
    for stream in lanes["cells"][1]["streams"]:
        stream["role"] = "writer"
    lanes["gates"][0]["population"]["stream_role"] = "writer"
    (finding,) = can_never_pass(msgspec.convert(lanes, ProtocolDocument))
    gate: Any = operations(finding.change)[0]["value"]
    assert gate["population"]["stream_role"] == "any"


def test_without_a_cell_of_fewer_requests_somebody_has_to_decide() -> None:
    gate = no_worse(population__stream_role="newcomer", population__cell="C2-canary")
    (finding,) = can_never_pass(document(gates=[gate], scopes=[Scope.PERFORMANCE], repetitions=8))
    assert finding.change == ()
    assert "decide" in finding.detail
