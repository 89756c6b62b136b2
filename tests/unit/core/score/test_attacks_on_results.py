# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""Ways to make reported results look better than they are, each over the real judge, in vain."""

from typing import Any

import pytest

from app.core.identity import Scope
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, judge_study
from app.core.statement.capture import Capture, ChecksCapture, ReportedValue
from tests.gates import integrity
from tests.results import (
    CPU,
    HELPER,
    HELPER_FOUND,
    LONG,
    checks,
    checks_gate,
    engine,
    equality_gate,
    gate,
    jobs,
    named,
    number,
    observed,
    parity_gate,
    registry_gate,
    suite,
    with_cells,
)
from tests.reviews import READ, review_gate
from tests.scores import said
from tests.unit.core.score.test_review import review

Filled = tuple[Any, Any, tuple[Reason, ...], tuple[Capture, ...]]
Said = tuple[str, str]
RESTARTED = observed(engine(), counters={"restarts": 1, "swapped-in": 1})
NOT_TESTED = ("INCONCLUSIVE", "NOT_TESTED")
DIFFERS = ("FAIL", "ARTIFACT_DIFFERS")


def complete(capture: Capture) -> Filled:
    return ("COMPLETE", None, (Reason.ALL_CHECKS_REPORTED,), (capture,))


def failed(*captures: Capture) -> Filled:
    """Return a slot whose server failed, with what was reported all the same."""
    return ("FAILED", "sut", (Reason.SERVER_FAULT,), captures)


def says(rule: Any, b: Filled, a: Filled | None = None, *more: Any, cell: Any = CPU) -> Said:
    """Return what the first gate says of a candidate's one slot beside a control's."""
    of = with_cells(rule, *more, cells=[cell])
    slots = [ScoredSlot(each, *(b if each.arm == "B" else a or b)) for each in plan(of)]
    return said(judge_study(of, slots).judgements[0])


# ---- skips that no suite counts ----


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([HELPER_FOUND, named("round-trip")], "PASS"),
        ([HELPER_FOUND, named("round-trip", "skipped")], "INCONCLUSIVE"),
        ([HELPER_FOUND, named("round-trip", "not_run")], "INCONCLUSIVE"),
        ([HELPER_FOUND], "INCONCLUSIVE"),
        ([HELPER_FOUND, named("round-trip"), named("unplanned", "skipped")], "INCONCLUSIVE"),
    ],
)
@pytest.mark.parametrize("suites", [[], ["repository"]])
def test_skip_by_name_is_a_skip_whatever_the_suites_count(
    names: Any, expected: str, suites: list[str]
) -> None:
    capture = checks(suites=[suite(10, 0, 0)] if suites else [], named=names)
    rule = checks_gate(allowed_skips=0, named=["helper-v5"])
    assert says(rule, complete(capture), cell=CPU | {"suites": suites})[0] == expected
    one = checks_gate(allowed_skips=1, named=["helper-v5"])
    assert says(one, complete(capture), cell=CPU | {"suites": suites})[0] == "PASS"


def test_suite_of_nulls_is_no_better_than_one_left_out_when_the_server_failed() -> None:
    uncounted = checks(suites=[suite(None, None, None)])
    assert says(checks_gate(), failed(uncounted)) == ("FAIL", "CHECK_FAILED")
    assert says(checks_gate(), failed(checks(suites=[]))) == ("FAIL", "CHECK_FAILED")
    assert says(checks_gate(), complete(uncounted)) == NOT_TESTED
    assert says(checks_gate(), failed(checks(suites=[suite(None, 0, 0)]))) == NOT_TESTED


# ---- the right bytes, of a check that did not pass ----


@pytest.mark.parametrize(
    ("result", "expected"),
    [("failed", DIFFERS), ("skipped", NOT_TESTED), ("not_run", NOT_TESTED)],
)
def test_right_digest_of_a_check_that_did_not_pass_registers_nothing(
    result: str, expected: Said
) -> None:
    found = {"sha256": HELPER["sha256"], "size": HELPER["size"]}
    capture = checks(named=[named("helper-v5", result, artifact=found)])
    assert says(registry_gate(), complete(capture)) == expected


def test_file_whose_check_did_not_run_because_the_server_failed_is_its_failure() -> None:
    found = {"sha256": HELPER["sha256"], "size": HELPER["size"]}
    capture = checks(named=[named("helper-v5", "not_run", artifact=found)])
    assert says(registry_gate(), failed(capture)) == DIFFERS


# ---- numbers of another server, or of one that died ----


def limit(cell: Any = LONG) -> Any:
    metric = number("swapped-in", source="counter")
    comparison = {"kind": "absolute", "op": "<=", "limit": "3"}
    return gate("bound", cell, metric=metric, statistic="max", comparison=comparison)


def restarts_in(cell: Any) -> Any:
    made = integrity()
    population = {**made["population"], "cell": cell["id"], "stream_role": "any"}
    return {**made, "population": population, "scope": "cpu"}


@pytest.mark.parametrize(
    ("rule", "capture", "cell"),
    [
        (equality_gate(), checks(observations=RESTARTED), CPU),
        (parity_gate(), checks(observations=RESTARTED), CPU),
        (limit(), jobs(observations=RESTARTED), LONG),
    ],
)
def test_number_that_two_servers_gave_is_unknown(rule: Any, capture: Capture, cell: Any) -> None:
    unknown = ("INCONCLUSIVE", "MISSING_UNDECIDED")
    assert says(rule, complete(capture), None, restarts_in(cell), cell=cell) == unknown
    assert says(rule, complete(capture), None, cell=cell)[0] == "PASS"


def value(text: str | None) -> ChecksCapture:
    return checks(values=[ReportedValue(name="largest-difference", unit="1", value=text)])


def test_number_that_the_server_failed_to_give_equals_nothing() -> None:
    for nothing in (failed(value(None)), failed(checks(values=[])), failed()):
        assert says(equality_gate(), nothing) == ("FAIL", "BOUND_VIOLATED")
        assert says(parity_gate(), nothing, complete(value("0"))) == ("FAIL", "PARITY_BROKEN")
    assert says(equality_gate(), failed(value("0"))) == ("PASS", "BOUND_HELD")
    assert says(equality_gate(), complete(value(None)))[0] == "INCONCLUSIVE"


def test_control_that_failed_is_no_evidence_against_the_candidate() -> None:
    own = complete(value("0"))
    missing = ("INCONCLUSIVE", "CONTROL_MISSING")
    for nothing in (failed(value(None)), failed(value("nan")), failed()):
        assert says(parity_gate(), own, nothing) == missing
        assert says(parity_gate(), complete(value(None)), nothing) == missing
    assert says(parity_gate(), own, complete(value("nan"))) == ("FAIL", "PARITY_BROKEN")
    assert says(parity_gate(), own, failed(value("1"))) == ("FAIL", "PARITY_BROKEN")


def test_accepted_review_beside_slots_that_do_not_add_up_is_no_pass() -> None:
    read = {"capture": "review", "id": READ}
    of = with_cells(review_gate(1, scope="cpu"), checks_gate(), cells=[CPU, read])
    slots = [ScoredSlot(each, *complete(checks())) for each in plan(of)]
    reviews = [review(scope=Scope.CPU)]
    assert said(judge_study(of, slots, reviews=reviews).judgements[0])[0] == "PASS"
    fewer = judge_study(of, slots[:1], reviews=reviews)
    assert {said(each) for each in fewer.judgements} == {("INVALID", "LEDGER_UNBALANCED")}


def test_failure_that_no_check_showed_is_not_the_servers_where_another_took_its_place() -> None:
    def beside(capture: Capture) -> Said:
        return says(checks_gate(), failed(capture), None, restarts_in(CPU))

    unreported = checks(suites=[], observations=RESTARTED)
    assert says(checks_gate(), failed(unreported)) == ("FAIL", "CHECK_FAILED")
    assert beside(unreported)[0] == "INCONCLUSIVE"
    shown = checks(suites=[suite(9, 1, 0)], observations=RESTARTED)
    assert beside(shown) == ("FAIL", "CHECK_FAILED")
