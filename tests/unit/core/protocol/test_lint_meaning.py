# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A gate that cannot fail, points the other way or has no part in the result is refused."""

from typing import Any

import pytest

from tests.documents import canary_gate
from tests.gates import bound, identity, integrity
from tests.lints import LAST, found, gated, with_
from tests.reviews import review_document

HIGH: Any = {"metric__direction": "higher_is_better"}
RATE: Any = {"unit": "tokens_per_s", "fallback_bounds": "content_deltas_to_max_tokens"}
TOKENS: Any = {"unit": "tokens", "fallback_bounds": "content_deltas_to_max_tokens"}


@pytest.mark.parametrize(
    ("gate", "member"),
    [
        (with_(bound(), comparison__op=">=", statistic="min"), "comparison/op"),
        (with_(bound(), comparison__op=">=", statistic="min", **HIGH), "metric/direction"),
        (bound("decode_rate", metric=RATE), "metric/direction"),
        (with_(bound("decode_rate", metric=RATE), **HIGH, statistic="min"), "comparison/op"),
        (with_(bound("completion_tokens", metric=TOKENS), **HIGH), "comparison/op"),
        (with_(integrity(), **HIGH), "metric/direction"),
    ],
)
def test_gate_that_points_the_other_way_than_its_metric_is_refused(gate: Any, member: str) -> None:
    assert ("E_DIRECTION", f"{LAST}/{member}") in found(gated(gate))


def test_exploration_equality_and_tokens_may_point_anywhere() -> None:
    for gate in (
        with_(bound(role="exploratory"), **HIGH),
        bound("completion_tokens", metric=TOKENS),
        with_(
            bound("completion_tokens", metric=TOKENS), **HIGH, comparison__op=">=", statistic="min"
        ),
        with_(integrity(), comparison={"kind": "equality", "value": "0"}),
    ):
        assert found(gated(gate)) == set()


@pytest.mark.parametrize("gate", [bound(role="validity"), integrity(role="validity")])
def test_validity_role_of_a_gate_that_measures_the_server_is_refused(gate: Any) -> None:
    assert ("E_VALIDITY_ROLE", f"{LAST}/role") in found(gated(gate))
    assert found(gated(identity())) == set()


@pytest.mark.parametrize("unit", ["boot", "block", "lane", "head"])
def test_unit_that_is_not_folded_is_refused(unit: str) -> None:
    refused = ("E_UNIT_NOT_BUILT", f"{LAST}/population/unit")
    assert refused in found(gated(with_(bound(), population__unit=unit)))


def canary(left: tuple[str, str], right: tuple[str, str], op: str = "<") -> Any:
    (one, its), (other, event) = left, right
    made = with_(canary_gate("B"), id="x", population__stream_role=one)
    made["population"]["against_role"] = other
    made["rule"] = {
        "left": {"stream_role": one, "event": its},
        "op": op,
        "right": {"stream_role": other, "event": event},
    }
    return made


@pytest.mark.parametrize(
    ("gate", "refused"),
    [
        (canary(("newcomer", "first_content"), ("newcomer", "last_content")), True),
        (canary(("newcomer", "submitted"), ("incumbent", "last_content")), True),
        (canary(("incumbent", "last_content"), ("newcomer", "submitted"), ">"), True),
        (canary(("newcomer", "submitted"), ("incumbent", "last_content"), ">"), False),
        (canary(("newcomer", "first_content"), ("incumbent", "last_content")), False),
    ],
)
def test_canary_on_what_the_server_does_not_decide_is_refused(gate: Any, refused: bool) -> None:
    place = ("E_CANNOT_FAIL", f"{LAST}/rule")
    assert found(gated(gate)) == ({place} if refused else set())


@pytest.mark.parametrize(
    "comparison",
    [
        {"kind": "absolute", "op": "<=", "limit": "1000000"},
        {"kind": "absolute", "op": "<", "limit": "1"},
        {"kind": "equality", "value": "1"},
    ],
)
def test_l19_integrity_gate_that_lets_something_happen_is_refused(comparison: Any) -> None:
    gate = with_(integrity(), comparison=comparison)
    assert found(gated(gate)) == {("E_INTEGRITY_LIMIT", f"{LAST}/comparison")}


def test_l19_integrity_gate_of_a_middle_slot_or_of_a_domain_is_refused() -> None:
    assert ("E_DROPS_SLOTS", f"{LAST}/statistic") in found(
        gated(with_(integrity(), statistic="median"))
    )
    for domain in (["0", "0"], ["0", "100"], ["1", None]):
        found_ = found(gated(with_(integrity(), metric__domain=domain)))
        assert ("E_DOMAIN_DECIDES", f"{LAST}/metric/domain") in found_


def test_review_gate_that_nobody_has_to_accept_is_refused() -> None:
    nobody = review_document(0)
    assert ("E_CANNOT_FAIL", "/gates/0/rule/accepted") in found(nobody)
