# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""Gate judgements computed by somebody else, held against what the served verdict calls."""

import ast
import json
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.core.score.state import State, Word
from tests.conformance import oracle_adapters, oracle_rules, oracle_statistics
from tests.conformance.oracle_adapters import ADAPTERS, answer
from tests.conformance.oracle_observations import Answer
from tests.conformance.oracle_rules import RULES

NOT_BUILT: dict[str, str] = {}


def _cases(path: Path) -> list[Any]:
    cases: list[Any] = json.loads(path.read_text())["cases"]
    return cases


def _near(ours: Any, theirs: Any, tolerance: Fraction) -> bool:
    """Compare numbers in text within the tolerance, everything else exactly."""
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(
            _near(mine, other, tolerance) for mine, other in zip(ours, theirs, strict=True)
        )
    if not isinstance(theirs, str) or theirs in ("inf", "-inf"):
        return bool(ours == theirs)
    try:
        expected, got = Fraction(theirs), Fraction(str(ours))
    except ValueError:
        return bool(ours == theirs)
    return abs(expected - got) <= tolerance * max(Fraction(1), abs(expected))


def _differences(case: Any, got: Answer, tolerance: Fraction) -> list[str]:
    expected = case["expected"]
    found = []
    if expected["state"] not in {None, got.state}:
        found.append(f"state {got.state} for {expected['state']}")
    if expected["reason"] is not None and expected["reason"] != got.reason:
        found.append(f"reason {got.reason} for {expected['reason']}")
    found += [
        f"{name} {got.values.get(name)} for {value}"
        for name, value in expected["values"].items()
        if name not in got.values or not _near(got.values[name], value, tolerance)
    ]
    return found


@pytest.mark.parametrize("kind", sorted(ADAPTERS))
def test_every_oracle_of_a_built_kind_gives_state_reason_and_values(
    kind: str, oracles_file: Path
) -> None:
    tolerance = Fraction(json.loads(oracles_file.read_text())["tolerance"])
    wrong = {}
    cases = [case for case in _cases(oracles_file) if case["kind"] == kind]
    for case in cases:
        got = answer(case["kind"], case["gate"], case["inputs"])
        if differences := _differences(case, got, tolerance):
            wrong[case["id"]] = differences
    assert not wrong


def test_every_kind_of_the_file_is_built_or_named_as_not_built(oracles_file: Path) -> None:
    kinds = {case["kind"] for case in _cases(oracles_file)}
    assert kinds <= set(ADAPTERS) | set(NOT_BUILT)
    assert not set(ADAPTERS) & set(NOT_BUILT)
    assert all(NOT_BUILT.values())


def test_every_policy_rule_of_the_schema_has_an_adapter(oracles_file: Path) -> None:
    schema = oracles_file.with_name("oracles.schema.json")
    if not schema.exists():
        pytest.skip("the file came without its schema: nothing lists the rules")
    rules = json.loads(schema.read_text())["$defs"]["gate"]["properties"]["rule"]["enum"]
    assert set(rules) == set(RULES)


@pytest.mark.parametrize("module", [oracle_adapters, oracle_rules, oracle_statistics])
def test_oracle_adapters_only_translate_and_know_no_state_by_name(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text())
    words = {*State.__members__, *Word.__members__}
    refused = []
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=operator) if not isinstance(operator, ast.BitOr):
                refused.append(f"line {node.lineno}: arithmetic")
            case ast.AugAssign() | ast.UnaryOp(op=ast.USub() | ast.UAdd() | ast.Invert()):
                refused.append(f"line {node.lineno}: arithmetic")
            case ast.Compare(ops=operators) if not all(
                isinstance(each, ast.In | ast.NotIn | ast.Is | ast.IsNot) for each in operators
            ):
                refused.append(f"line {node.lineno}: comparison")
            case ast.Constant(value=str(text)) if text in words:
                refused.append(f"line {node.lineno}: {text}")
            case ast.Attribute(attr=name) | ast.Name(id=name) if name in words:
                refused.append(f"line {node.lineno}: {name}")
            case _:
                pass
    assert not refused


LINTED = {
    "E_DROPS_SLOTS": {"type": "bound", "statistic": "max", "on_missing": "skip"},
    "E_INTERPOLATED_QUANTILE": {"type": "bound", "statistic": "interpolated"},
    "E_NO_POPULATION": {"type": "quantile", "population": {}, "on_missing": "unknown"},
    "E_N_UNATTAINABLE": {
        "type": "superiority",
        "unit_of_analysis": "slot",
        "nA": 2,
        "nB": 2,
        "alpha": "5e-2",
    },
    "W_MEAN_STATISTIC": {"type": "bound", "statistic": "mean"},
}


@pytest.mark.parametrize("code", LINTED)
def test_fragment_in_other_words_gets_the_code_of_what_it_means(code: str) -> None:
    got = answer("lint", {}, {"arms": {}, "facts": {"fragment": LINTED[code]}})
    assert got.reason == code


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("http_5xx => sut", "FAIL"),
        ("http_503=>sut", "FAIL"),
        ("http_503 => harness", "INCONCLUSIVE"),
        (None, "INCONCLUSIVE"),
    ],
)
def test_rule_that_no_lock_takes_declares_nothing(rule: str | None, shown: str) -> None:
    facts = {"http": 503, "phase": "measured", "predeclared_rule": rule}
    got = answer("policy", {"rule": "fault_table"}, {"arms": {}, "facts": facts})
    assert got.values["A"] == shown


def test_controls_that_were_never_captured_have_no_known_drift() -> None:
    gate = {"drift_margin": "0.05", "scale": "ratio", "alpha": "0.05"}
    got = answer("drift", gate, {"arms": {"A": None, "A2": [{"v": "1"}]}, "facts": {}})
    assert got.values["p"] == "1"


def test_chance_with_thousands_of_digits_is_told() -> None:
    gate, facts = {"p": "0.999", "alpha": "0.05"}, {"n": 2995, "exceedances": 0}
    got = answer("quantile", gate, {"arms": {}, "facts": facts})
    assert _near(got.values["p_pass"], "0.0499617034", Fraction(1, 10**9))


def test_oracle_wrong_in_one_value_is_noticed(oracles_file: Path) -> None:
    case = next(case for case in _cases(oracles_file) if case["kind"] == "bound")
    got = answer(case["kind"], case["gate"], case["inputs"])
    changed = {**case, "expected": {**case["expected"], "values": {"n_planned": -1}}}
    assert _differences(changed, got, Fraction(0))
