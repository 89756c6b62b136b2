# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A gate that drops slots, streams or roles is refused."""

from typing import Any

import msgspec
import pytest

from app.core.identity import Scope
from tests.documents import completeness_gate, document
from tests.gates import bound, gate, integrity
from tests.lints import LAST, found, gated, with_
from tests.results import CPU, checks_gate, with_cells
from tests.reviews import review_document, review_gate

LIVE = (Scope.LIVE_CORRECTNESS, Scope.FAIRNESS, Scope.PERFORMANCE, Scope.CAPACITY)
EVERY = with_(completeness_gate("B", 10), id="x")
BY_SLOT: Any = {"id": "x", "population__unit": "slot"}


@pytest.mark.parametrize("scope", LIVE)
def test_live_scope_that_only_reviews_decide_is_refused(scope: Scope) -> None:
    of = review_document(scopes=(scope,), gates=[review_gate(scope=scope.value)])
    assert ("E_NO_COMPLETENESS_GATE", "/scopes/0") in found(of)
    assert found(review_document()) == set()


@pytest.mark.parametrize("scope", [Scope.LIVE_CORRECTNESS, Scope.FAIRNESS])
def test_scope_of_requests_that_only_checks_decide_is_refused(scope: Scope) -> None:
    checked = with_(checks_gate(), scope=scope.value)
    of = with_cells(checked, cells=(CPU,))
    of = msgspec.structs.replace(of, scopes=[scope])
    assert ("E_NO_COMPLETENESS_GATE", "/scopes/0") in found(of)


def of_five(gate: Any) -> set[tuple[str, str]]:
    return found(gated(gate, repetitions=5))


@pytest.mark.parametrize(
    ("gate", "member"),
    [
        (with_(EVERY, statistic="any", comparison__value="1"), "statistic"),
        (with_(EVERY, statistic="median", comparison__value="1"), "statistic"),
        (with_(EVERY, statistic="max", comparison__value="1"), "statistic"),
        (with_(EVERY, statistic="kth", k=3, comparison__value="1"), "statistic"),
        (with_(EVERY, statistic="all", comparison__value="0"), "comparison"),
        (with_(EVERY, required_n=9), "required_n"),
        (with_(completeness_gate("B", 5), **BY_SLOT, slot_summary="max"), "slot_summary"),
        (with_(completeness_gate("B", 5), **BY_SLOT, slot_summary="median"), "slot_summary"),
        (with_(completeness_gate("B", 5), **BY_SLOT, slot_summary="sum"), "slot_summary"),
        (with_(completeness_gate("B", 5), **BY_SLOT), "slot_summary"),
    ],
)
def test_l03_completeness_that_is_not_of_every_stream_is_refused(gate: Any, member: str) -> None:
    assert of_five(gate) == {("E_DROPS_SLOTS", f"{LAST}/{member}")}


def test_completeness_of_every_slots_least_stream_is_of_every_stream() -> None:
    least = with_(completeness_gate("B", 5), **BY_SLOT, slot_summary="min")
    assert of_five(least) == set()
    alone = with_(completeness_gate("B", 5), **BY_SLOT, population__stream_role="newcomer")
    assert of_five(alone) == set()
    assert of_five(with_(EVERY, required_n=10, statistic="sum")) == set()


@pytest.mark.parametrize("domain", [["1", "1"], ["0", None], ["5", "1"], ["0", "2"]])
def test_n01_completeness_that_its_domain_decides_is_refused(domain: Any) -> None:
    finding = ("E_DOMAIN_DECIDES", f"{LAST}/metric/domain")
    assert of_five(with_(EVERY, metric__domain=domain)) == {finding}


def gated_by(*gates: Any) -> set[tuple[str, str]]:
    return found(document(gates=[with_(each, id=f"g{n}") for n, each in enumerate(gates)]))


def test_live_scope_in_which_a_role_may_starve_unseen_is_refused() -> None:
    first = bound(statistic="max")
    watched = with_(completeness_gate("B", 1), population__stream_role="incumbent")
    other = with_(completeness_gate("B", 1), population__stream_role="newcomer")
    refused = {("E_NO_COMPLETENESS_GATE", "/scopes/0")}
    assert gated_by(first) == refused
    assert gated_by(first, watched) == refused
    assert gated_by(first, watched, with_(other, role="exploratory")) == refused
    assert gated_by(first, watched, other) == set()
    assert gated_by(first, with_(completeness_gate("A", 2))) == refused


def high(**members: Any) -> Any:
    metric = {"name": "answer", "unit": "1", "direction": "higher_is_better", "domain": ["0", "1"]}
    comparison = {"kind": "absolute", "op": ">=", "limit": "1"}
    made = gate("bound", metric=metric, comparison=comparison, **{"statistic": "min"} | members)
    return with_(made, population__stream_role=members.pop("stream", "newcomer"))


@pytest.mark.parametrize(
    ("gate", "member"),
    [
        (bound(statistic="min"), "statistic"),
        (bound(statistic="any"), "statistic"),
        (bound(statistic="kth", k=2), "statistic"),
        (high(statistic="max"), "statistic"),
        (high(statistic="any"), "statistic"),
        (high(statistic="kth", k=4), "statistic"),
        (with_(bound(slot_summary="min"), population__stream_role="any"), "slot_summary"),
        (with_(bound(slot_summary="kth", slot_k=1), population__stream_role="any"), "slot_summary"),
        (with_(high(slot_summary="max"), population__stream_role="any"), "slot_summary"),
        (with_(integrity(), statistic="min"), "statistic"),
        (with_(integrity(), statistic="any"), "statistic"),
    ],
)
def test_l03_best_of_the_planned_units_is_refused(gate: Any, member: str) -> None:
    assert ("E_DROPS_SLOTS", f"{LAST}/{member}") in of_five(gate)


@pytest.mark.parametrize(
    "gate",
    [
        bound(statistic="kth", k=3),
        bound(statistic="kth", k=5),
        bound(statistic="median"),
        high(statistic="kth", k=3),
        high(),
        bound(slot_summary="kth", slot_k=1),
        bound(statistic="min", role="exploratory"),
        with_(bound(slot_summary="max"), population__stream_role="any"),
    ],
)
def test_middle_and_worst_values_and_exploration_are_not_best_of(gate: Any) -> None:
    assert of_five(gate) == set()


def test_equality_takes_its_worse_side_from_the_metric() -> None:
    right = {"kind": "equality", "value": "1"}
    assert of_five(with_(high(), comparison=right)) == set()
    assert of_five(with_(high(), comparison=right, statistic="max")) == {
        ("E_DROPS_SLOTS", f"{LAST}/statistic")
    }


def test_middle_value_beside_a_best_or_a_middle_one_is_refused_in_fairness() -> None:
    role = {"population__stream_role": "incumbent", "scope": "fairness"}
    complete = completeness_gate("B", 2, scope="fairness")
    side = with_(bound("max_content_gap", id="side"), **role)
    middle = bound(statistic="median", scope="fairness", id="middle")

    def beside(*others: Any) -> set[tuple[str, str]]:
        return found(document(scopes=[Scope.FAIRNESS], gates=[complete, side, middle, *others]))

    alone = ("E_MEDIAN_ONLY", "/gates/2/statistic")
    assert beside() == {alone}
    assert alone in beside(bound(statistic="min", scope="fairness"))
    assert alone in beside(bound(role="exploratory", scope="fairness"))
    assert alone in beside(bound(slot_summary="median", scope="fairness"))
    assert beside(bound(scope="fairness")) == set()
    rising = with_(high(statistic="median", scope="fairness", id="rising"))
    assert beside(bound(scope="fairness"), rising) == {("E_MEDIAN_ONLY", "/gates/4/statistic")}
