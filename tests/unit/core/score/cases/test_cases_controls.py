# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Cases in which the controls, or what was run beside them, decide what may be said."""

from typing import Any

import pytest
from msgspec import structs

from app.core.identity import Scope
from app.core.protocol.lint import lint
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.capture import Counter, ReportedValue, StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared
from tests.contended import (
    RATE,
    TTFT,
    envelope,
    fairness,
    lane,
    measured,
    of_firsts,
    of_rates,
    population,
    protocol,
    ratio,
    score,
)
from tests.gates import bound, integrity
from tests.lints import found, gated
from tests.patches import patched
from tests.results import CPU, LONG, checks, equality_gate, gate, jobs_gate, with_cells
from tests.scores import MISSING, Filled, only, said, scope


def of(*gates: Any, n: int = 1, lanes: int = 2) -> ProtocolDocument:
    return protocol(*gates, lanes=lanes, repetitions=n)


def judged(document: ProtocolDocument, filled: dict[str, Any]) -> StudyScore:
    """Judge slots that are complete, by arm and repetition; all others are missing."""
    slots = []
    for slot in plan(document):
        seen = filled.get(f"{slot.arm}/{slot.repetition}")
        complete = ("COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (seen,))
        slots.append(ScoredSlot(slot, *(MISSING if seen is None else complete)))
    return judge_study(document, slots)


# ---- A11: one blank line ----

BYTES: Any = {
    "name": "control-bytes-differ",
    "unit": "1",
    "direction": "lower_is_better",
    "domain": ["0", None],
    "source": "reported",
}


def differing(count: int) -> Any:
    return checks(values=[ReportedValue(name="control-bytes-differ", unit="1", value=str(count))])


def same_bytes() -> ProtocolDocument:
    """Return a document that locks equal bytes in every run, and that the control shows them."""
    control = equality_gate(id="bytes-a", role="secondary", metric=BYTES, expect="PASS")
    shown = gate("assay", CPU, id="reproducible-a", role="validity", expect="PASS")
    for each in (control, shown):
        each["population"] = {**each["population"], "arm": "A"}
    candidate = equality_gate(id="bytes-b", metric=BYTES)
    return with_cells(control, shown, candidate, cells=[CPU | {"repetitions": 3}])


def test_a11_value_that_is_asked_of_the_candidate_alone_is_warned_of() -> None:
    alone = with_cells(equality_gate(id="bytes-b", metric=BYTES), cells=[CPU | {"repetitions": 3}])
    (warned,) = (each for each in lint(alone) if each.pointer == "/gates/0")
    assert warned.code == "W_NO_ASSAY_CONTROL"
    healed = patched(alone, warned.change)
    assert healed == with_cells(*same_bytes_asked(), cells=[CPU | {"repetitions": 3}])
    assert {each.pointer for each in lint(healed)} <= {"/arms"}
    assert {each.pointer for each in lint(same_bytes())} <= {"/arms"}


def same_bytes_asked() -> list[Any]:
    """Return the gates of the healed document: the candidate's, its control's and the assay."""
    candidate = equality_gate(id="bytes-b", metric=BYTES)
    at = {**candidate["population"], "arm": "A"}
    control = candidate | {"id": "bytes-b-a", "role": "secondary", "population": at}
    shown = gate("assay", CPU, id="assay-a-cpu", role="validity", expect="PASS")
    return [candidate, control | {"expect": "PASS"}, shown | {"population": at}]


@pytest.mark.parametrize(("extra", "word"), [(1, "INCONCLUSIVE"), (0, "PASS")])
def test_a11_one_blank_line_in_two_controls_leaves_the_candidate_open(
    extra: int, word: str
) -> None:
    document = same_bytes()
    assert {each.code for each in lint(document) if each.severity == "error"} == set()
    runs = {f"A/{number}": differing(0 if number == 1 else extra) for number in (1, 2, 3)}
    seen = judged(document, runs | {f"B/{number}": differing(0) for number in (1, 2, 3)})
    assert only(seen, "bytes-b").state == word
    assert scope(seen).state == word
    if extra:
        assert only(seen, "bytes-a").state == "FAIL"
        assert only(seen, "bytes-b").reason == "NO_ASSAY_SENSITIVITY"
    assert len(only(seen, "bytes-b").observations) == 3


# ---- A17: hits of the prefix cache make an arm invalid only if the lock said so ----


def test_a17_contaminated_rows_fail_what_was_locked_cold_and_stay_in_the_count() -> None:
    cold = integrity("prefix_cache_hits", scope="performance", population=population("B"))
    cold["metric"] = {**cold["metric"], "source": "counter"}
    state, fault, reasons, (first,) = of_rates(1125.1, 1125.1)
    assert isinstance(first, StreamsCapture)
    hit = [Counter(name="prefix_cache_hits", before=0, after=45)]
    warm = structs.replace(first, observations=structs.replace(first.observations, counters=hit))
    seen = score(
        of(cold, envelope(RATE)),
        {"B": (state, fault, reasons, (warm,))},
        rest=of_rates(1139.5, 1139.5),
    )
    assert said(only(seen, "integrity-b")) == ("FAIL", "BOUND_VIOLATED")
    assert only(seen, "envelope-b").state != "PASS"
    assert scope(seen).state == "FAIL"
    assert len(only(seen, "integrity-b").observations) == 1


# ---- B3, B6: a control that was not run ----


@pytest.mark.parametrize("gone", [("A2",), ("A", "A2")])
def test_b03_b06_without_controls_a_speedup_is_not_assessed(gone: tuple[str, ...]) -> None:
    filled: dict[str, Filled] = {"B": of_firsts(17.9, 24.9), **dict.fromkeys(gone, MISSING)}
    seen = score(of(envelope(), fairness(limit="30")), filled, rest=of_firsts(440.2, 440.2))
    state, reason = said(only(seen, "envelope-b"))
    assert (state, reason.endswith("CONTROL_MISSING")) == ("INCONCLUSIVE", True)
    assert said(only(seen, "lane-b")) == ("PASS", "BOUND_HELD")


def test_b06_burst_p95_of_eight_is_its_maximum() -> None:
    codes = {code for code, _ in found(gated(bound(id="burst-p95"), repetitions=2))}
    assert "E_TAIL_LABEL" in codes
    bursts = (79.2, 37.6, 36.1, 35.0, 34.2, 33.8, 31.0, 23.7)
    limit = score(
        of(fairness(TTFT, "79"), lanes=8), {"B": of_firsts(*bursts)}, rest=of_firsts(*bursts)
    )
    assert said(only(limit, "lane-b")) == ("FAIL", "BOUND_VIOLATED")


# ---- B9: memory pressure beside the run ----


def test_b09_swap_counters_that_nobody_read_give_no_attribution() -> None:
    swap = bound("swap_out_pages", "0", role="secondary")
    swap["scope"], swap["population"] = "performance", population("B")
    swap["metric"] = {**swap["metric"], "unit": "1", "source": "counter"}
    del swap["metric"]["resolution"]
    seen = score(of(swap, fairness(RATE, "1")), {"B": of_rates(0.2, 29)}, rest=of_rates(26, 29))
    assert said(only(seen, "lane-b")) == ("FAIL", "BOUND_VIOLATED")
    assert said(only(seen, "bound-b")) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


# ---- RR#106 ----


def test_rr106_a_retest_of_four_requests_does_not_see_an_hour() -> None:
    long = jobs_gate(min_duration_us=3_600_000_000) | {"scope": "endurance"}
    document = structs.replace(with_cells(long, cells=[LONG]), scopes=[Scope.ENDURANCE])
    seen = judged(document, {})
    assert said(only(seen, "jobs")) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert scope(seen).state == "NOT_RUN"


# ---- TG: unchanged controls that differ ----


@pytest.mark.parametrize(
    ("control", "word"),
    [((25.9, 33.8), "INCONCLUSIVE"), ((30, 30), "FAIL")],
)
def test_tg_smoke_is_open_where_controls_differ_and_slower_where_they_do_not(
    control: tuple[float, float], word: str
) -> None:
    arms = {"A": of_rates(control[0], control[0]), "A2": of_rates(control[1], control[1])}
    seen = score(of(envelope(RATE), n=2), arms, rest=of_rates(20, 20))
    assert only(seen, "envelope-b").state == word
    assert len(only(seen, "envelope-b").observations) == 6


# ---- cautions for whoever scores ----


def test_caution_iii_ratio_that_improves_hides_that_both_lanes_got_worse() -> None:
    gates = (ratio(id="apart", limit="1.5"), fairness(RATE, "5", id="worst"))
    seen = score(of(*gates), {"B": of_rates(1, 1.2)}, rest=of_rates(10, 30))
    assert [only(seen, each).state for each in ("apart", "worst")] == ["PASS", "FAIL"]


def test_caution_iv_faster_but_shorter_never_wins() -> None:
    short = measured(*(lane(n, 0.1, 90, tokens=5, finish_reason="stop") for n in range(2)))
    gate = envelope({**TTFT, "name": "settlement"})
    seen = score(of(gate, n=3), {"B": short}, rest=of_rates(10, 10))
    assert only(seen, "envelope-b").state == "FAIL"


def test_caution_v_one_arm_after_another_gives_no_direction() -> None:
    codes = {code for code, _ in found(gated(compared("superiority"), repetitions=1))}
    assert "E_N_UNATTAINABLE" in codes
    later = score(of(envelope(RATE), n=3), {"A2": MISSING}, rest=of_rates(10, 10))
    assert said(only(later, "envelope-b")) == ("INCONCLUSIVE", "RETURN_CONTROL_MISSING")


@pytest.mark.parametrize(("rate", "word"), [("90", "PASS"), ("89.9", "FAIL")])
def test_caution_vi_boundary_is_decided_by_integers(rate: str, word: str) -> None:
    seen = score(
        of(fairness(RATE, "90"), n=1), {"B": of_rates(float(rate), 100)}, rest=of_rates(100, 100)
    )
    assert only(seen, "lane-b").state == word
