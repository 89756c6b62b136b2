# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""No gate passes because the server failed, whichever way it points."""

from typing import Any

import pytest

from app.core.reason import Reason
from app.core.score.interval import INFINITY, NEGATIVE_INFINITY
from app.core.score.worst import no_number
from tests import facts
from tests.gates import bound
from tests.scores import Filled, only, protocol, said, study

BOUNDS = "content_deltas_to_max_tokens"
RATE: Any = {"unit": "tokens_per_s", "fallback_bounds": BOUNDS, "resolution": "0"}
TOKENS: Any = {"unit": "tokens", "fallback_bounds": BOUNDS, "resolution": "0"}
FAILED: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), (facts.server_error(),))
SHORT: Filled = (
    "FAILED",
    "sut",
    (Reason.SHORT_OUTPUT,),
    (facts.capture(facts.incumbent(tokens=10), facts.newcomer()),),
)


def judged(name: str, op: str, limit: str, filled: Filled, **members: Any) -> tuple[str, str]:
    gate = bound(name, limit, **members)
    gate["comparison"]["op"] = op
    return said(only(study(protocol(gate), {"B": filled}), "bound-b"))


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("ttft", {}),
        ("settlement", {}),
        ("max_content_gap", {}),
        ("decode_rate", RATE),
        ("throughput", RATE),
        ("completion_tokens", TOKENS),
    ],
)
@pytest.mark.parametrize(
    ("op", "limit"),
    [("<=", "100000000"), ("<", "1"), (">=", "2000"), (">", "1000"), ("==", "0"), ("==", "7")],
)
def test_failed_request_is_the_worst_value_for_every_operator(
    name: str, metric: Any, op: str, limit: str
) -> None:
    assert judged(name, op, limit, FAILED, metric=metric)[0] == "FAIL"


@pytest.mark.parametrize(("op", "limit"), [("<=", "100000"), (">=", "1")])
@pytest.mark.parametrize(("name", "metric"), [("settlement", {}), ("decode_rate", RATE)])
def test_shorter_stream_than_locked_is_the_worst_value_too(
    name: str, metric: Any, op: str, limit: str
) -> None:
    role = {"slot_summary": "max" if op == "<=" else "min", "metric": metric}
    gate = bound(name, limit, **role)
    gate["comparison"]["op"] = op
    gate["population"]["stream_role"] = "incumbent"
    score = study(protocol(gate), {"B": SHORT})
    assert said(only(score, "bound-b")) == ("FAIL", "BOUND_VIOLATED")


def test_failed_answer_is_unknown_and_a_time_that_came_stays_what_it_is() -> None:
    answer = {"unit": "1", "domain": ["0", "1"], "resolution": "0"}
    assert judged("answer", "<=", "0", FAILED, metric=answer)[0] == "INCONCLUSIVE"
    assert judged("ttft", ">=", "100", ("COMPLETE", None, (), (facts.capture(),)))[0] == "PASS"


@pytest.mark.parametrize("op", [">", ">=", "<", "<=", "=="])
def test_no_number_lies_beyond_every_limit_of_its_side(op: Any) -> None:
    interval = no_number(op).interval
    assert interval is not None
    assert interval.lo == interval.hi == (NEGATIVE_INFINITY if op in (">", ">=") else INFINITY)
