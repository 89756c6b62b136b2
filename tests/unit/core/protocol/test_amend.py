# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""What a later version changes, which way, and what it may say about older evidence."""

from typing import Any

import msgspec
import pytest

from app.core.protocol.amend import amended, moved_gates, role_for_earlier
from tests.claims import compared
from tests.documents import document
from tests.gates import bound
from tests.lints import Change, changed, gated, with_
from tests.refused_makers import with_cell

BOUND = bound(limit="10000000")


def bounded(**members: Any) -> Any:
    return gated(with_(BOUND, **members))


def test_versions_that_say_the_same_differ_in_nothing() -> None:
    assert amended(document(), document(version=2)) == ()
    assert moved_gates(document(), document(version=2)) == frozenset()


@pytest.mark.parametrize(
    ("before", "after", "where", "direction"),
    [
        (bounded(), bounded(comparison__limit="15000000"), "comparison/limit", "loosened"),
        (bounded(), bounded(comparison__limit="5000000"), "comparison/limit", "tightened"),
        (
            bounded(comparison__op=">="),
            bounded(comparison__op=">=", comparison__limit="15000000"),
            "comparison/limit",
            "tightened",
        ),
        (
            bounded(comparison__op="=="),
            bounded(comparison__op="==", comparison__limit="15000000"),
            "comparison/limit",
            "changed",
        ),
        (bounded(required_n=1), bounded(required_n=2), "required_n", "tightened"),
        (bounded(required_n=2), bounded(required_n=1), "required_n", "loosened"),
        (bounded(), bounded(required_n=1), "required_n", "changed"),
        (bounded(), bounded(role="exploratory"), "role", "loosened"),
        (bounded(role="exploratory"), bounded(role="secondary"), "role", "tightened"),
        (bounded(), bounded(role="secondary"), "role", "changed"),
        (bounded(), bounded(statistic="median"), "statistic", "changed"),
        (bounded(), bounded(population__unit="stream"), "population/unit", "changed"),
        (
            bounded(),
            bounded(comparison={"kind": "equality", "value": "1"}),
            "comparison/limit",
            "changed",
        ),
    ],
)
def test_z02_gate_that_changed_is_named_with_its_direction(
    before: Any, after: Any, where: str, direction: str
) -> None:
    found = {each.where: each for each in amended(before, after)}
    change = found[f"gate bound-b/{where}"]
    assert change.direction == direction
    assert change.pointer == f"/gates/4/{where}"
    assert role_for_earlier("bound-b", before, after) == "exploratory"


@pytest.mark.parametrize(
    ("margins", "direction"),
    [(("0.1", "0.2"), "loosened"), (("-0.1", "-0.2"), "tightened"), (("0.2", "0.1"), "tightened")],
)
def test_margin_below_is_the_stricter_one(margins: tuple[str, str], direction: str) -> None:
    one, other = (gated(with_(compared(), comparison__margin=each)) for each in margins)
    (change,) = amended(one, other)
    assert (change.before, change.after) == margins
    assert change.direction == direction


def test_z08_gate_that_was_added_is_exploratory_for_what_existed() -> None:
    (change,) = amended(gated(), bounded())
    assert (change.where, change.pointer) == ("gate bound-b", "/gates/4")
    assert (change.before, change.direction) == (None, "tightened")
    assert role_for_earlier("bound-b", gated(), bounded()) == "exploratory"
    assert role_for_earlier("canary-b-0", gated(), bounded()) == "primary"


def test_gate_that_was_removed_loosens_and_points_into_the_earlier_version() -> None:
    (change,) = amended(bounded(), gated())
    assert (change.pointer, change.after, change.direction) == ("/gates/4", None, "loosened")
    (explored,) = amended(bounded(role="exploratory"), gated())
    assert explored.direction == "changed"


def test_gate_that_only_moved_is_the_same() -> None:
    moved = changed(lambda d: d["gates"].reverse())
    assert amended(document(), moved) == ()
    assert moved_gates(document(), moved) == frozenset()


@pytest.mark.parametrize(
    ("change", "where", "direction"),
    [
        (lambda d: d["cells"][0].update(repetitions=2), "cell C2-canary/repetitions", "changed"),
        (
            lambda d: d["arms"][1]["settings"].clear(),
            "arm B/settings/MIXED_PREFILL_CHUNK",
            "changed",
        ),
        (lambda d: d["retry"].update(max_per_slot=0), "retry/max_per_slot", "tightened"),
        (lambda d: d.update(max_void_studies=0), "max_void_studies", "tightened"),
        (lambda d: d.update(max_void_studies=9), "max_void_studies", "loosened"),
        (lambda d: d["scopes"].append("cpu"), "scopes", "tightened"),
        (lambda d: d.update(scopes=["cpu"]), "scopes", "changed"),
        (lambda d: d["fault_table"].pop(), "fault_table", "changed"),
        (lambda d: d.update(question="Another?"), "question", "changed"),
        (
            lambda d: d["arms"].append({"id": "C", "role": "candidate", "settings": {}}),
            "arm C",
            "changed",
        ),
    ],
)
def test_every_other_place_is_named_too(change: Change, where: str, direction: str) -> None:
    (found,) = amended(document(), changed(change))
    assert (found.where, found.direction) == (where, direction)


INSIDE: Any = with_(
    compared("non_inferiority", "A", id="inside"), population__against_cell="C1-solo"
)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["fault_table"].pop(),
        lambda d: d["retry"].update(max_per_slot=0),
        lambda d: d["stop_rule"].update(on=[]),
        lambda d: d["request_controls"].update(temperature="1"),
        lambda d: d["workload"].update(sha256="0" * 64),
        lambda d: d["binding"].pop(),
        lambda d: d["order"].reverse(),
        lambda d: d["conditions"]["topology"].update(nodes=1),
        lambda d: d["varies"].clear(),
        lambda d: d.update(endpoint_path="/v2/completions"),
        lambda d: d.update(scoring=2),
    ],
)
def test_z08_change_of_how_every_slot_is_read_moves_every_gate(change: Change) -> None:
    after = changed(change)
    assert moved_gates(document(), after) == {gate.id for gate in after.gates}


@pytest.mark.parametrize(
    ("change", "moved"),
    [
        (lambda d: d["cells"][0].update(repetitions=9), {"canary-b-0", "bound-b", "inside"}),
        (lambda d: d["cells"][1]["warmup"].update(requests=9), {"inside"}),
        (lambda d: d["arms"][0]["settings"].update(OTHER="1"), {"inside"}),
        (lambda d: d["arms"][1]["settings"].clear(), {"canary-b-0", "bound-b", "inside"}),
        (lambda d: d["arms"].append({"id": "C", "role": "candidate", "settings": {}}), set()),
        (lambda d: d.update(question="Another?"), set()),
        (lambda d: d.update(max_void_studies=9), set()),
        (lambda d: d["not_claimed"].clear(), set()),
        (lambda d: d["window"].update(max_us=1), set()),
    ],
)
def test_z08_change_of_an_arm_or_cell_moves_the_gates_that_read_it(
    change: Change, moved: set[str]
) -> None:
    before = with_cell(2, BOUND, INSIDE)
    value = msgspec.to_builtins(before)
    change(value)
    found = moved_gates(before, msgspec.convert(value, type(before)))
    assert found & {"canary-b-0", "bound-b", "inside"} == moved


@pytest.mark.parametrize("rest", [{"role": "validity"}, {"kind": "integrity"}, {"kind": "assay"}])
def test_z08_change_of_a_gate_that_others_rest_on_moves_every_gate(rest: dict[str, str]) -> None:
    gate = with_(BOUND, id="rested-on", **rest)
    other = with_(gate, claim="population")
    without, before, after = (with_cell(2, BOUND, *some) for some in ((), (gate,), (other,)))
    for one, later in ((before, after), (before, without), (without, before)):
        assert moved_gates(one, later) == {each.id for each in later.gates}
    assert moved_gates(before, before) == frozenset()
