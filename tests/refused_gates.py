# SPDX-License-Identifier: Apache-2.0
"""For every code of the lint about gates, and every warning, documents that get it."""

from collections.abc import Mapping, Sequence

from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared, drift, share
from tests.contended import RATE, contention, envelope, protocol, ratio
from tests.documents import CELL, DAY_US, canary_gate, completeness_gate
from tests.gates import bound, gate, identity, integrity
from tests.lints import changed, gated, with_
from tests.refused_makers import (
    BRACKET,
    CLOCKLESS,
    FAMILY,
    eight,
    fair,
    fixed_tokens,
    gauge,
    hurried,
    rate,
    waved,
    with_cell,
)
from tests.results import CPU, HOUR_US, checks_gate, equality_gate, jobs_gate, with_cells
from tests.reviews import review_document

CANARY = with_(canary_gate("A", role="secondary"), id="x")
COMPLETE = with_(completeness_gate("B", 2), id="x")
THREE = [with_(compared(id=f"g{each}"), comparison__margin="0.2") for each in range(3)]
FOUR = [share(id=f"s{each}") for each in range(4)]

OF_GATES: Mapping[str, Sequence[ProtocolDocument]] = {
    "E_AMBIGUOUS_METRIC": [
        gated(CLOCKLESS),
        gated(with_(bound(), kind="progress")),
        gated(with_(integrity(), metric__source="hearsay")),
        gated(integrity("throughput")),
        gated(bound("color")),
        gated(bound(metric={"unit": "fortnight"})),
        gated(with_(CANARY, population__phase="warmup")),
    ],
    "E_CANNOT_FAIL": [
        eight(with_(compared(), comparison__margin="1000000"), bound()),
        eight(with_(compared(), comparison__scale="abs", comparison__margin="1000000000")),
        gated(gauge("<=", "100", ["0", "100"])),
        gated(with_(rate(), comparison__limit="0")),
        gated(with_(CANARY, rule__left={"stream_role": "newcomer", "event": "submitted"})),
        gated(
            with_(
                CANARY,
                rule__left={"stream_role": "incumbent", "event": "first_content"},
                population__stream_role="incumbent",
            )
        ),
        with_cells(checks_gate(max_failed=2), cells=[{**CPU, "suites": []}]),
        with_cells(checks_gate(max_failed=DAY_US), cells=[CPU]),
        with_cells(jobs_gate(max_failed=DAY_US)),
        hurried(envelope(), contention()),
    ],
    "E_CANNOT_PASS": [
        gated(bound(limit="999")),
        protocol(contention(RATE, "0"), envelope()),
        eight(with_(compared("superiority"), comparison__margin="-0.999999")),
        fair(with_(compared("superiority"), comparison__margin="-0.1")),
        gated(with_(bound(limit="0"), comparison__op="<")),
        gated(with_(COMPLETE, comparison={"kind": "equality", "value": "3"})),
        gated(gate("assay", "A", role="validity", expect="FAIL")),
        gated(with_(gauge("<=", "0", ["0", None]), metric__source="events")),
        fair(compared()),
        with_cells(jobs_gate(min_validated=DAY_US)),
        review_document(1000),
        hurried(envelope(), contention()),
    ],
    "E_CONTRADICTORY": [
        gated(gauge("<=", "10", ["0", "100"]), with_(gauge(">=", "20", ["0", "100"]), id="y"))
    ],
    "E_DEADLINE_LT_LIMIT": [
        changed(lambda d: d["window"].update(max_us=1)),
        changed(lambda d: d["reservation"].update(allowance_us=1)),
        gated(bound(limit="99000000000")),
        gated(bound(limit="900000000000000000")),
        eight(compared(), bound(arm="A", limit="200000000")),
        eight(
            with_(compared(), comparison__scale="abs", comparison__margin="5000"),
            bound(arm="A", limit="200000000"),
        ),
        with_cells(jobs_gate(min_duration_us=7 * HOUR_US)),
    ],
    "E_DIRECTION": [
        gated(with_(bound(), comparison__op=">=")),
        gated(bound(metric={"direction": "higher_is_better"})),
        eight(with_(compared(), comparison__worse="lower")),
    ],
    "E_DOMAIN_DECIDES": [
        gated(bound(metric={"domain": ["0", "20000000"]})),
        gated(with_(COMPLETE, metric__domain=["0", "2"])),
        gated(gauge("<=", "10", ["100", "0"])),
        gated(gauge("<=", "10", ["0", "100"], "sum")),
    ],
    "E_DROPS_SLOTS": [
        gated(with_(COMPLETE, comparison={"kind": "equality", "value": "1"})),
        gated(with_(COMPLETE, statistic="max")),
        gated(with_(COMPLETE, required_n=1)),
        gated(with_(COMPLETE, population__unit="slot", comparison__value="1")),
        gated(bound(statistic="min")),
        eight(with_(compared(), slot_summary="min")),
        gated(with_(integrity(), statistic="median")),
    ],
    "E_EXIT_CODE_GATE": [gated(bound("exit_code")), gated(bound("return_code"))],
    "E_GATE_MEMBER_MISSING": [
        gated(with_(bound(), metric=None)),
        gated(with_(bound(), comparison=None)),
        gated(with_(bound(), comparison__op=None)),
        gated(with_(bound(), comparison__limit=None)),
        gated(with_(bound(), comparison={"kind": "equality"})),
        gated(bound(metric={"domain": [None, None]})),
        gated(bound(statistic="kth")),
        gated(bound(slot_summary="kth")),
        gated(bound(family_mode="any")),
        gated(bound(family_mode="k_of_n", family="f")),
        gated(with_(CANARY, rule=None)),
        gated(with_(CANARY, resolution_us=None)),
        gated(with_(COMPLETE, metric__accepted_bases=None)),
        gated(gate("assay", "A", role="validity")),
        eight(with_(compared(), comparison__margin=None)),
        eight(with_(compared(), comparison__scale=None)),
        eight(with_(compared(), comparison__worse=None)),
        eight(with_(share(), p=None)),
        eight(with_(share(), comparison__op=None)),
        eight(with_(share(), comparison__limit=None)),
        eight(with_(share(), comparison={"kind": "equality"})),
    ],
    "E_HTTP_STATUS_GATE": [gated(bound("http_status")), gated(bound("status_code"))],
    "E_INTEGRITY_LIMIT": [gated(with_(integrity(), comparison__limit="1"))],
    "E_INTERPOLATED_QUANTILE": [
        gated(bound(statistic="quantile", p="0.95")),
        gated(with_(rate(), statistic="proportion")),
    ],
    "E_NO_EXPECTED_ANSWER": [
        changed(lambda d: d["cells"][0]["streams"][1].update(expected_answer=None))
    ],
    "E_NO_UNIT": [gated(with_(rate(), population__unit="stream"))],
    "E_ROLE": [gated(gate("identity")), gated(gate("assay", "A", expect="FAIL"))],
    "E_STATISTIC": [
        gated(with_(CANARY, statistic="any")),
        gated(bound(statistic="shift")),
        eight(with_(compared(), statistic="median")),
        with_cells(with_(equality_gate(), statistic=None)),
    ],
    "E_TAIL_LABEL": [
        gated(bound(id="ttft-p95")),
        gated(bound(id="p99_9-ttft")),
        eight(share(id="ttft-p99")),
    ],
    "E_TOO_FEW_LANES": [protocol(ratio(highest=4))],
    "E_UNIT_NOT_BUILT": [gated(with_(bound(), population__unit="lane"))],
    "E_UNUSED_MEMBER": [gated(with_(CANARY, p="0.9")), gated(with_(identity(), required_n=3))],
    "E_VALIDITY_ROLE": [gated(bound(role="validity"))],
}
OF_CLAIMS: Mapping[str, Sequence[ProtocolDocument]] = {
    "E_ALPHA": [eight(with_(compared(), alpha="0.5"), bound())],
    "E_BELOW_RESOLUTION": [
        gated(bound(limit="1000")),
        gated(with_(bound(), comparison={"kind": "equality", "value": "1000"})),
        eight(
            with_(
                compared(),
                comparison__scale="abs",
                comparison__margin="10",
                metric__resolution="1000",
            ),
            bound(),
        ),
        eight(
            with_(
                compared("superiority"),
                comparison__scale="abs",
                comparison__margin="-10",
                metric__resolution="1000",
            )
        ),
    ],
    "E_BRACKET_ONLY": [eight(with_(BRACKET, drift_policy="bracket_only"), bound())],
    "E_COMPARISON": [
        eight(with_(compared(), comparison={"kind": "absolute", "op": "<=", "limit": "1"})),
        eight(with_(drift(), comparison__kind="superiority")),
        eight(with_(compared(), comparison__vs=["A", "A2"])),
        eight(with_(drift(), comparison__vs=["A", "B"])),
        eight(with_(share(), comparison=compared()["comparison"])),
    ],
    "E_FAIL_UNATTAINABLE": [
        gated(*THREE, repetitions=6),
        eight(share(p="0.05")),
        eight(share(p="0.000000000001")),
        gated(share(p="0.001"), repetitions=2),
    ],
    "E_INFERENCE": [
        eight(with_(compared(), inference="binomial")),
        eight(with_(share(), inference="exact_ranksum")),
    ],
    "E_MARGIN_SIGN": [
        eight(with_(compared(), comparison__margin="-0.1"), bound()),
        eight(with_(compared(), comparison__margin="0"), bound()),
        eight(with_(compared("superiority"), comparison__margin="0.1")),
        eight(with_(drift(), comparison__margin="0")),
    ],
    "E_MEDIAN_ONLY": [
        fair(bound(statistic="median")),
        fair(bound(statistic="median", slot_summary="median")),
        fair(share()),
        fair(compared()),
    ],
    "E_N_TOO_LARGE": [gated(compared(), bound(), repetitions=33)],
    "E_N_UNATTAINABLE": [
        gated(bound(required_n=2)),
        gated(bound(statistic="kth", k=2)),
        eight(share(p="0.999999999999")),
        gated(compared(), bound(), repetitions=4),
        gated(
            compared(),
            with_(COMPLETE, comparison={"kind": "absolute", "op": ">=", "limit": "8"}),
            repetitions=4,
        ),
        gated(BRACKET, bound(), repetitions=3),
        gated(share(p="0.9"), repetitions=8),
        gated(drift(), repetitions=3),
        gated(
            with_(compared(**FAMILY), population__arm="B"),
            with_(compared(**FAMILY, id="other"), population__arm="C"),
            repetitions=5,
            arms=("A", "B", "C", "A2"),
        ),
    ],
    "E_NO_ANCHOR": [
        eight(compared()),
        eight(compared("equivalence")),
    ],
    "E_NO_COMPANION_GATE": [with_cell(2, with_(compared(), population__against_cell="C1-solo"))],
    "E_NO_CONTROL": [
        changed(lambda d: d["arms"][0].update(role="positive_control")),
        eight(with_(compared(), comparison__vs=None)),
        eight(with_(compared(), comparison__vs=["B"]), bound()),
    ],
    "E_NO_RETURN_CONTROL": [
        eight(with_(BRACKET, comparison__vs=["A"])),
        eight(with_(BRACKET, comparison__vs=["A"], drift_margin="0.1")),
    ],
    "E_PSEUDOREPLICATION": [
        eight(with_(compared(), population__unit="stream")),
        eight(with_(drift(), population__unit="slot")),
        waved(3, share(p="0.5"), repetitions=30),
        waved(3, with_(share(p="0.5"), population__unit="stream"), repetitions=30),
    ],
    "E_SAME_DATA": [
        eight(with_(compared(), population__arm="A")),
        eight(with_(BRACKET, comparison__vs=["A", "A"])),
        eight(with_(compared(), population__against_cell=CELL)),
    ],
    "E_SAMPLE_COMPARISON": [
        gated(with_(CANARY, claim="population")),
        eight(with_(compared(), claim="sample")),
        gated(with_(bound(), comparison=compared()["comparison"])),
        with_cells(with_(equality_gate(), comparison__kind="superiority")),
    ],
    "E_WAVES": [
        waved(3, compared(), bound(), repetitions=16),
        waved(3, with_(share(p="0.5"), population__unit="boot"), repetitions=31),
    ],
}
OF_WARNINGS: Mapping[str, Sequence[ProtocolDocument]] = {
    "W_CACHE_STATE": [eight(compared(), bound())],
    "W_CLOSED_LOOP_TAIL": [gated(share(p="0.9"), repetitions=30)],
    "W_DEGENERATE_EXPECTED": [fixed_tokens()],
    "W_MANY_PRIMARY": [eight(*FOUR)],
    "W_MARGIN_GT_EFFECT": [
        protocol(envelope(margin="0.6"), contention(factor="1.5")),
        protocol(envelope(RATE, "0.6"), contention(RATE, "0.5")),
    ],
    "W_MARGIN_UNJUSTIFIED": [
        eight(compared(), bound()),
        eight(with_(compared(), comparison__margin="1.5"), bound()),
        eight(with_(BRACKET, drift_margin="0.2"), bound()),
        with_cell(
            2, with_(compared(), population__against_cell="C1-solo", comparison__margin="0.05")
        ),
    ],
    "W_MEAN_STATISTIC": [eight(bound(statistic="sum"))],
    "W_MEDIAN_HIDES_INCOMPLETE": [
        changed(lambda d: d["gates"].append(bound(arm="A", statistic="median")))
    ],
    "W_MONOTONE_ORDER": [eight(BRACKET, bound())],
    "W_NO_ASSAY_CONTROL": [gated()],
    "W_USAGE_FALLBACK_MISSING": [gated(rate())],
    "W_WARMUP_UNDECLARED": [
        changed(lambda d: d["cells"][0].update(warmup=None)),
        changed(lambda d: d["cells"][0]["warmup"].update(requests=0)),
    ],
}
