# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A margin as wide as a known effect is no warning, one that is wider is (FDA's M1 in words)."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.patch import operations
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared
from tests.contended import RATE, TTFT, contention, envelope, population, protocol
from tests.gates import bound, gate
from tests.lints import with_
from tests.patches import patched
from tests.refused_makers import eight

CODE = "W_MARGIN_GT_EFFECT"


def wide(of: ProtocolDocument, pilot: Mapping[str, Fraction] | None = None) -> list[LintFinding]:
    return [each for each in lint(of, pilot or {}) if each.code == CODE]


def no_worse(margin: str, metric: Any = TTFT, **members: Any) -> Any:
    low = metric["direction"] == "lower_is_better"
    made: Any = {
        "id": "no-worse",
        "kind": "comparison",
        "role": "primary",
        "claim": "population",
        "scope": "performance",
        "population": population("B", unit="block"),
        "metric": metric,
        "slot_summary": "max" if low else "min",
        "inference": "signflip_blocks",
        "comparison": {
            "kind": "non_inferiority",
            "vs": ["A"],
            "margin": margin,
            "scale": "ratio",
            "worse": "higher" if low else "lower",
        },
    }
    return made | members


# ---- what the protocol's own assay must see of a control ----


@pytest.mark.parametrize(
    ("claim", "assay", "formula"),
    [
        (no_worse("0.5"), contention(factor="1.5"), None),
        (no_worse("0.500001"), contention(factor="1.5"), "0.500001 > 0.5, by contends-a"),
        (no_worse("0.5", RATE), contention(RATE, "0.5"), None),
        (no_worse("0.51", RATE), contention(RATE, "0.5"), "0.51 > 0.5, by contends-a"),
        (envelope(margin="0.5"), contention(factor="1.5"), None),
        (envelope(margin="0.6"), contention(factor="1.5"), "0.6 > 0.5, by contends-a"),
        (
            with_(no_worse("0.6"), comparison__kind="equivalence"),
            contention(factor="1.5"),
            "0.6 > 0.5, by contends-a",
        ),
    ],
)
def test_margin_wider_than_the_contention_that_an_assay_must_see_is_warned_of(
    claim: Any, assay: Any, formula: str | None
) -> None:
    found = wide(protocol(claim, assay))
    assert [each.formula for each in found] == ([] if formula is None else [formula])
    assert {each.severity for each in found} <= {"warning"}
    assert {each.pointer for each in found} <= {"/gates/0/comparison/margin"}


@pytest.mark.parametrize(
    ("claim", "assay"),
    [
        (no_worse("0.9"), contention(RATE, "0.5")),  # of another metric
        (no_worse("0.9"), contention(factor="1.5", scope="fairness")),
        (no_worse("0.9", role="exploratory"), contention(factor="1.5")),
        (with_(no_worse("9"), comparison__scale="abs"), contention(factor="1.5")),
        (with_(no_worse("-0.9"), comparison__kind="superiority"), contention(factor="1.5")),
        (no_worse("0.9"), contention(factor="1")),  # no effect at all, refused for that
        (no_worse("0.9"), contention(factor="0.5")),
    ],
)
def test_effect_of_something_else_is_not_held_against_the_margin(claim: Any, assay: Any) -> None:
    assert wide(protocol(claim, assay)) == []


def test_ratio_of_cells_is_not_held_against_the_contention_between_them() -> None:
    inside = with_(no_worse("0.9"), population__against_cell="C1")
    assert wide(protocol(inside, contention(factor="1.5"))) == []


def test_greatest_effect_that_an_assay_must_see_counts() -> None:
    assays = (contention(factor="1.3"), contention(factor="1.6", id="sharper"))
    assert wide(protocol(no_worse("0.6"), *assays)) == []
    (found,) = wide(protocol(no_worse("0.7"), *assays))
    assert found.formula == "0.7 > 0.6, by sharper"


def failing(margin: str, **members: Any) -> Any:
    """Return a comparison that a known-bad control must fail, with the claim's metric and cell."""
    return with_(compared(arm="A2", id="known-bad", expect="FAIL"), comparison__margin=margin) | (
        members
    )


ASSAY = gate("assay", "A2", role="validity", expect="FAIL")


@pytest.mark.parametrize(
    ("claim", "control", "assay", "formula"),
    [
        ("0.3", failing("0.3"), ASSAY, None),
        ("0.31", failing("0.3"), ASSAY, "0.31 > 0.3, by known-bad"),
        ("0.31", failing("0.3"), with_(ASSAY, expect=None), None),  # reads another expectation
        ("0.31", failing("0.3", expect="PASS"), with_(ASSAY, expect="PASS"), None),
        ("0.31", failing("0.3"), with_(ASSAY, population__arm="A"), None),
        ("0.31", with_(failing("3"), comparison__scale="abs"), ASSAY, None),
        ("0.31", with_(failing("-0.3"), comparison__kind="superiority"), ASSAY, None),
        ("0.31", with_(failing("0.3"), metric__name="settlement"), ASSAY, None),
        ("0.31", bound(arm="A2", expect="FAIL"), ASSAY, None),
    ],
)
def test_margin_wider_than_that_which_a_control_must_fail_is_warned_of(
    claim: str, control: Any, assay: Any, formula: str | None
) -> None:
    gates = (with_(compared(), comparison__margin=claim), bound(), control, assay)
    found = wide(eight(*gates))
    assert [each.formula for each in found] == ([] if formula is None else [formula])


# ---- what somebody's pilot has seen ----


@pytest.mark.parametrize(
    ("kind", "margin", "effect", "formula", "healed"),
    [
        ("non_inferiority", "0.2", Fraction("0.2"), None, None),
        ("non_inferiority", "0.2", Fraction("0.1999"), "0.2 > 0.1999, by the pilot", "0.1999"),
        ("equivalence", "0.2", Fraction("0.12"), "0.2 > 0.12, by the pilot", "0.12"),
        ("superiority", "-0.2", Fraction("0.2"), None, None),
        ("superiority", "-0.2", Fraction("0.15"), "0.2 > 0.15, by the pilot", "-0.15"),
        ("superiority", "-0.2", Fraction(0), "0.2 > 0, by the pilot", None),
        ("non_inferiority", "0.2", Fraction(0), "0.2 > 0, by the pilot", None),
    ],
)
def test_margin_wider_than_the_effect_of_a_pilot_is_warned_of(
    kind: str, margin: str, effect: Fraction, formula: str | None, healed: str | None
) -> None:
    claim = with_(compared(kind), comparison__margin=margin)
    of = eight(claim, bound())
    found = wide(of, {claim["id"]: effect})
    assert [each.formula for each in found] == ([] if formula is None else [formula])
    for each in found:
        offered = [one["value"] for one in operations(each.change)]
        assert offered == ([] if healed is None else [healed])
        assert each.change or "decide" in each.detail.lower()
        assert wide(patched(of, each.change), {claim["id"]: effect} if each.change else {}) == []


def test_pilot_of_a_distance_is_in_the_unit_of_the_metric() -> None:
    claim = with_(compared(), comparison__scale="abs", comparison__margin="200000")
    of = eight(claim, bound())
    assert wide(of, {claim["id"]: Fraction(200_000)}) == []
    (found,) = wide(of, {claim["id"]: Fraction(199_999)})
    assert found.formula == "200000 > 199999, by the pilot"


def test_pilot_says_more_of_a_gate_than_the_assay_beside_it() -> None:
    of = protocol(no_worse("0.4"), contention(factor="1.5"))
    assert wide(of) == []
    (found,) = wide(of, {"no-worse": Fraction("0.3")})
    assert found.formula == "0.4 > 0.3, by the pilot"
    of = protocol(no_worse("0.6"), contention(factor="1.5"))
    assert wide(of, {"no-worse": Fraction("0.7")}) == []


def test_pilot_of_another_gate_says_nothing() -> None:
    assert wide(eight(compared(), bound()), {"other": Fraction("0.01")}) == []


def test_gates_that_are_not_in_order_are_not_held_against_a_pilot() -> None:
    broken = with_(compared(), comparison__margin=None)
    assert wide(eight(broken, bound()), {broken["id"]: Fraction(0)}) == []
