# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""Oracle cases sent as protocol, study and captures: the served document says the same."""

import ast
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from app.core.protocol.lint import lint
from app.core.score.state import State, Word
from app.core.statement.protocol_document import ProtocolDocument
from app.storage.migrate import upgrade
from tests.api.world import World, opened
from tests.conformance import rest_adapters, rest_captures
from tests.conformance.rest_adapters import ORACLE, Told, companion, told
from tests.documents import CELL, commit, document

KINDS = ("bound", "canary", "progress")
AT_LEAST = 20
"""How many cases of the file must travel over REST; of a short file, half of those kinds."""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    """Yield a ledger with a maintainer and a runner."""
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    upgrade(url)
    async with opened(url) as one:
        await one.begin()
        yield one


def cases_of(path: Path, kind: str) -> list[tuple[Any, Told]]:
    """Return the cases of a kind that captures can show, of a protocol that may be locked."""
    pairs = [(case, told(case)) for case in of_kind(path, kind)]
    return [(case, one) for case, one in pairs if one is not None and is_lockable(case, one)]


def of_kind(path: Path, kind: str) -> list[Any]:
    return [case for case in json.loads(path.read_text())["cases"] if case["kind"] == kind]


def is_lockable(case: Any, one: Told) -> bool:
    """Return whether the lint lets the case's gate be locked: the file also asks for others."""
    return all(each.severity != "error" for each in lint(protocol_of(case, one)))


def protocol_of(case: Any, one: Told) -> ProtocolDocument:
    repetitions = len(one.captures)
    plain = document(name=f"oracle-{case['id'].lower()}", arms=["B"], repetitions=repetitions)
    changes: dict[str, Any] = {
        "gates": [one.gate, companion(2 * repetitions if one.cell is None else repetitions)],
        "stop_rule": {"on": []},
        "reservation": {"ahead_max": 100, "allowance_us": plain.reservation.allowance_us},
    }
    if one.cell is not None:
        changes["cells"] = [{**one.cell, "repetitions": repetitions}]
    return document(name=plain.name, arms=["B"], repetitions=repetitions, **changes)


async def judged(world: World, case: Any, one: Told) -> Any:
    """Send the case on a head of its own and return the served judgement of its gate."""
    world.make = replace(world.make, head=commit(case["id"]))
    world.document = protocol_of(case, one)
    await world.put(world.make.lock(world.document))
    study = await world.open()
    filled = {
        f"B/{CELL}/{number}": each
        for number, each in enumerate(one.captures, start=1)
        if each is not None
    }
    reserved = await world.reserve(study, list(filled)) if filled else None
    for slot, each in filled.items():
        assert reserved is not None
        turn = replace(reserved, slots=[slot])
        await world.push_all(study, turn, each)
        reserved.challenge = turn.challenge
    if len(filled) < len(one.captures):
        await world.put(world.make.deviation(study.digest, ends_study=True))
    answer = await world.client.get(world.head_path)
    (served,) = answer.json()["verdicts"][0]["studies"]
    (found,) = [each for each in served["judgements"] if each["gate"] == ORACLE]
    return found


def differences(expected: Any, got: Any) -> list[str]:
    counts = got["counts"]
    values = {
        "n_planned": counts["planned"],
        "n_observed": counts["exact"] + counts["bounded"],
    }
    found = [] if expected["state"] in {None, got["state"]} else [f"state {got['state']}"]
    if expected["reason"] not in {None, got["reason"]}:
        found.append(f"reason {got['reason']}")
    found += [
        f"{name} {value}"
        for name, value in values.items()
        if expected["values"].get(name, value) != value
    ]
    return found


@pytest.mark.parametrize("kind", KINDS)
async def test_served_document_gives_the_judgement_of_the_oracle(
    kind: str, world: World, oracles_file: Path
) -> None:
    wrong = {}
    for case, one in cases_of(oracles_file, kind):
        found = differences(case["expected"], await judged(world, case, one))
        if found:
            wrong[case["id"]] = found
    assert not wrong


def test_judgement_that_is_another_is_noticed() -> None:
    counts = {"planned": 2, "exact": 1, "bounded": 0, "unknown": 1}
    got = {"state": "PASS", "reason": "BOUND_HELD", "counts": counts}
    other = {"state": "FAIL", "reason": "BOUND_VIOLATED", "values": {"n_observed": 2}}
    assert len(differences(other, got)) == 3


def test_at_least_twenty_oracles_travel_over_rest(oracles_file: Path) -> None:
    there = sum(len(of_kind(oracles_file, kind)) for kind in KINDS)
    sent = sum(len(cases_of(oracles_file, kind)) for kind in KINDS)
    assert sent >= min(AT_LEAST, there // 2)


SECONDS = {"statistic": "max", "op": "<=", "limit": "2e0", "unit": "s", "domain": ["0", "inf"]}
COUNTS = {"statistic": "sum", "op": "==", "limit": "0", "unit": "count", "domain": ["0", "inf"]}
REQUESTS = {"statistic": "sum", "op": ">=", "limit": "1", "unit": "requests", "domain": ["0", "1"]}
LATE = {"expect": "OK", "b_answer": None, "valid_overlap": True, "a_last": {"v": "21"}}


@pytest.mark.parametrize(
    ("kind", "gate", "inputs"),
    [
        ("bound", SECONDS, {"arms": {"B": None}}),
        ("bound", SECONDS, {"arms": {"B": [{"v": "0.0000001"}]}}),
        ("bound", SECONDS, {"arms": {"B": [{"iv": ["1", "2"]}]}}),
        ("bound", SECONDS, {"arms": {"B": [{"missing": "abandoned"}]}}),
        ("bound", COUNTS, {"arms": {"B": [{"v": "0.5"}]}}),
        ("bound", COUNTS, {"arms": {"B": [{"gt": "1"}]}}),
        ("bound", REQUESTS, {"arms": {"B": [{"iv": ["0", "1"]}]}}),
        ("canary", {}, {"facts": {**LATE, "b_final": {"missing": "abandoned"}}}),
        ("canary", {}, {"facts": {**LATE, "b_final": {"v": "9", "res": "0.1"}}}),
        ("canary", {}, {"facts": {**LATE, "b_final": {"v": "9"}, "expect": None}}),
    ],
)
def test_case_that_no_capture_shows_is_left_out_and_breaks_nothing(
    kind: str, gate: Any, inputs: Any
) -> None:
    assert told({"kind": kind, "gate": gate, "inputs": inputs}) is None


@pytest.mark.parametrize(
    ("kind", "gate", "inputs"),
    [
        ("bound", SECONDS, {"arms": {"B": [{"iv": ["inf", "inf"]}]}}),
        ("bound", COUNTS, {"arms": {"B": [{"iv": ["2", "inf"]}]}}),
        ("bound", REQUESTS, {"arms": {"B": [{"v": "0"}, {"v": "1.0"}]}}),
        (
            "progress",
            {"op": "<=", "limit": "5", "unit": "s"},
            {
                "facts": {
                    "submit": "0",
                    "content_events": [],
                    "observation_end": "4",
                    "stream_ended": True,
                }
            },
        ),
    ],
)
def test_case_with_an_error_a_reset_or_no_content_at_all_is_told(
    kind: str, gate: Any, inputs: Any
) -> None:
    assert told({"kind": kind, "gate": gate, "inputs": inputs}) is not None


@pytest.mark.parametrize("module", [rest_adapters, rest_captures])
def test_rest_adapters_only_translate_and_know_no_state_by_name(module: ModuleType) -> None:
    tree = ast.parse(Path(str(module.__file__)).read_text())
    words = {*State.__members__, *Word.__members__}
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=operator):
                assert isinstance(operator, ast.BitOr), f"line {node.lineno}: arithmetic"
            case ast.Compare(ops=operators):
                allowed = (ast.In, ast.NotIn, ast.Is, ast.IsNot)
                assert all(isinstance(one, allowed) for one in operators), f"line {node.lineno}"
            case ast.Constant(value=str(text)):
                assert text not in words, f"line {node.lineno}: {text}"
            case ast.Attribute(attr=name) | ast.Name(id=name):
                assert name not in words, f"line {node.lineno}: {name}"
            case _:
                assert not isinstance(node, ast.AugAssign), f"line {node.lineno}: arithmetic"
