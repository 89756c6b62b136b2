# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""What gates with a p-value are refused for, with the numbers that show it."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from app.core.identity import Scope
from app.core.protocol.design import Design, design_findings, least_p, units_wanted
from app.core.protocol.lint import lint
from app.core.protocol.patch import Patch, put, remove
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared, drift, share
from tests.documents import CELL, canary_gate, completeness_gate, document
from tests.gates import bound, gate, identity
from tests.lints import LAST, found, gated, with_
from tests.refused_makers import waved

BRACKET = compared("non_inferiority", "A", "A2")
ANCHOR = bound()
FAIR = [Scope.LIVE_CORRECTNESS, Scope.FAIRNESS]


def codes(*gates: Any, repetitions: int = 8, **members: Any) -> set[str]:
    of = gated(*gates, repetitions=repetitions, **members)
    quiet = {"W_MARGIN_UNJUSTIFIED"}
    return {code for code, pointer in found(of) if pointer.startswith(LAST)} - quiet


def test_default_design_with_an_anchor_lints_clean() -> None:
    assert codes(compared(), ANCHOR) == set()
    assert codes(share(), share("proportion", id="p")) == set()
    assert codes(drift(), gate("assay", "A", role="validity", expect="PASS")) == set()
    assert codes(BRACKET, ANCHOR) == {"W_MONOTONE_ORDER"}


@pytest.mark.parametrize(
    ("record", "code", "member"),
    [
        (with_(compared(), claim="sample"), "E_SAMPLE_COMPARISON", "claim"),
        (with_(compared(), population__unit="stream"), "E_PSEUDOREPLICATION", "population/unit"),
        (with_(share(), population__unit="stream"), "E_PSEUDOREPLICATION", "population/unit"),
        (with_(compared(), inference="binomial"), "E_INFERENCE", "inference"),
        (with_(share(), inference="exact_ranksum"), "E_INFERENCE", "inference"),
        (with_(compared(), statistic="median"), "E_STATISTIC", "statistic"),
        (with_(compared(), alpha="0.5"), "E_ALPHA", "alpha"),
        (with_(compared(), alpha="0"), "E_ALPHA", "alpha"),
        (with_(compared(), metric=None), "E_GATE_MEMBER_MISSING", "metric"),
        (with_(compared(), slot_summary="kth"), "E_GATE_MEMBER_MISSING", "slot_k"),
        (with_(compared(), comparison=None), "E_GATE_MEMBER_MISSING", "comparison"),
        (
            with_(compared(), comparison={"kind": "absolute", "op": "<=", "limit": "1"}),
            "E_COMPARISON",
            "comparison/kind",
        ),
        (with_(drift(), comparison__kind="superiority"), "E_COMPARISON", "comparison/kind"),
        (with_(compared(), comparison__margin=None), "E_GATE_MEMBER_MISSING", "comparison/margin"),
        (with_(compared(), comparison__vs=None), "E_NO_CONTROL", "comparison/vs"),
        (with_(BRACKET, comparison__vs=["A"]), "E_NO_RETURN_CONTROL", "comparison/vs"),
        (with_(compared(), comparison__vs=["A", "A2"]), "E_COMPARISON", "comparison/vs"),
        (with_(share(), p=None), "E_GATE_MEMBER_MISSING", "p"),
        (with_(share(), p="1"), "E_GATE_MEMBER_MISSING", "p"),
        (with_(share(), comparison__op=None), "E_GATE_MEMBER_MISSING", "comparison/op"),
        (with_(share(), comparison__limit=None), "E_GATE_MEMBER_MISSING", "comparison/limit"),
        (
            with_(share(), comparison={"kind": "equality"}),
            "E_GATE_MEMBER_MISSING",
            "comparison/value",
        ),
        (
            with_(share(), comparison=compared()["comparison"]),
            "E_COMPARISON",
            "comparison/kind",
        ),
        (gate("assay", "A", expect="FAIL"), "E_ROLE", "role"),
        (gate("assay", "A", role="validity"), "E_GATE_MEMBER_MISSING", "expect"),
        (compared(family_mode="k_of_n", family="f"), "E_GATE_MEMBER_MISSING", "family_k"),
        (
            with_(compared(), population__against_cell="C9"),
            "E_SCOPE_UNDECLARED_CELL",
            "population/against_cell",
        ),
    ],
)
def test_claim_that_cannot_be_judged_is_refused(record: Any, code: str, member: str) -> None:
    assert (code, f"{LAST}/{member}") in found(gated(record, repetitions=8))


# ---- members that nobody reads ----


@pytest.mark.parametrize(
    ("record", "member"),
    [
        (with_(canary_gate("A"), id="x", p="0.9"), "p"),
        (with_(canary_gate("A"), id="x", k=3), "k"),
        (with_(canary_gate("A"), id="x", alpha="0.01"), "alpha"),
        (with_(canary_gate("A"), id="x", family_k=2), "family_k"),
        (with_(canary_gate("A"), id="x", metric=ANCHOR["metric"]), "metric"),
        (with_(canary_gate("A"), id="x", population__against_cell=CELL), "population/against_cell"),
        (with_(canary_gate("A"), id="x", rule__max_failed=0), "rule/max_failed"),
        (with_(identity(), rule={"fields": ["image"], "and": "answer_matched"}), "rule/and"),
        (with_(identity(), required_n=3), "required_n"),
        (with_(bound(), k=1), "k"),
        (with_(bound(), slot_k=1), "slot_k"),
        (with_(bound(), rule={}), "rule"),
        (with_(bound(), population__against_role="incumbent"), "population/against_role"),
        (with_(bound(), comparison__margin="0.1"), "comparison/margin"),
        (with_(bound(), resolution_us=5), "resolution_us"),
        (with_(compared(), drift_margin="0.1"), "drift_margin"),
        (with_(compared(), drift_policy="bracket_only"), "drift_policy"),
        (
            with_(compared(), comparison__max_reference_spread="0.1"),
            "comparison/max_reference_spread",
        ),
        (drift(required_n=3), "required_n"),
        (gate("assay", "A", role="validity", expect="FAIL", statistic="all"), "statistic"),
    ],
)
def test_member_that_its_kind_does_not_read_is_refused(record: Any, member: str) -> None:
    of = gated(record, repetitions=8)
    (finding,) = [each for each in lint(of) if each.code == "E_UNUSED_MEMBER"]
    assert finding.pointer == f"{LAST}/{member}"
    assert finding.change == remove(finding.pointer)


# ---- numbers ----


def test_too_few_units_are_refused_with_the_number_that_would_do() -> None:
    (finding,) = [
        each
        for each in lint(gated(compared(), ANCHOR, repetitions=4))
        if each.code == "E_N_UNATTAINABLE"
    ]
    assert finding.formula == "smallest p 0.0625 > 0.04; 5 units reach it"
    repeated, counted = finding.change
    assert put("/cells/0/repetitions", 5) == (repeated,)
    assert put("/gates/1/comparison/value", "10") == (counted,)
    assert "E_N_UNATTAINABLE" in codes(BRACKET, ANCHOR, repetitions=3)
    assert "E_N_UNATTAINABLE" not in codes(BRACKET, ANCHOR, repetitions=4)
    assert "E_N_UNATTAINABLE" in codes(share(p="0.9"))
    assert "E_N_UNATTAINABLE" in codes(drift(), repetitions=3)


def test_family_divides_alpha_among_its_places() -> None:
    family: Any = {"family": "f", "family_mode": "any"}
    gates = [compared(**family, id=f"g{each}") for each in range(2)]
    gates[1] = with_(gates[1], population__arm="C")
    arms = ("A", "B", "C", "A2")
    of = gated(*gates, ANCHOR, repetitions=5, arms=arms)
    formulas = {each.formula for each in lint(of) if each.code == "E_N_UNATTAINABLE"}
    assert formulas == {"smallest p 0.03125 > 0.04 / 2; 6 units reach it"}


def test_more_units_than_can_be_counted_are_refused() -> None:
    assert "E_N_TOO_LARGE" in codes(compared(), ANCHOR, repetitions=33)
    assert "E_N_TOO_LARGE" not in codes(share(), repetitions=33)


def test_fail_that_no_outcome_could_establish_needs_an_absolute_bound() -> None:
    many = [with_(compared(id=f"g{each}"), population__arm="B") for each in range(3)]
    assert "E_FAIL_UNATTAINABLE" in codes(*many, repetitions=6)
    assert "E_FAIL_UNATTAINABLE" not in codes(*many, ANCHOR, repetitions=6)
    assert "E_FAIL_UNATTAINABLE" not in codes(*many, repetitions=8)


@pytest.mark.parametrize(
    ("p", "n", "formula", "change"),
    [
        (
            "0.05",
            62,
            "smallest p (1 - 0.05)^62 = 0.0415780 > 0.04; 63 units reach it",
            put("/cells/0/repetitions", 63) + put("/gates/1/comparison/value", "126"),
        ),
        ("0.05", 63, None, ()),
        (
            "0.003",
            8,
            "smallest p (1 - 0.003)^8 = 0.976250 > 0.04; 1072 units reach it",
            put("/gates/4/p", "0.34"),
        ),
    ],
)
def test_share_that_even_units_all_bad_would_not_refute_is_refused(
    p: str, n: int, formula: str | None, change: Patch
) -> None:
    of = gated(share("proportion", p), repetitions=n)
    refused = [each for each in lint(of) if each.code == "E_FAIL_UNATTAINABLE"]
    assert [(each.formula, each.change) for each in refused] == (
        [] if formula is None else [(formula, change)]
    )
    beside = gated(share("proportion", p), bound(), repetitions=n)
    assert "E_FAIL_UNATTAINABLE" not in {each.code for each in lint(beside)}


def test_share_of_billions_of_units_is_refused_at_once_and_healed_by_no_cell() -> None:
    of = gated(share(p="0.999999999999"), repetitions=8)
    (finding,) = (each for each in lint(of) if each.code == "E_N_UNATTAINABLE")
    assert finding.formula.endswith("; 3218875824867 units reach it")
    assert finding.change == ()
    assert "Decide" in finding.detail


def test_margins_that_add_up_need_an_anchor() -> None:
    assert codes(compared()) == {"E_NO_ANCHOR"}
    assert codes(compared(), share(id="anchor")) == set()
    better = with_(compared("superiority"), comparison__margin="-0.1")
    assert codes(better) == set()
    other = bound(arm="A")
    assert codes(compared(), other) == {"E_NO_ANCHOR"}
    assert codes(compared(), bound("settlement")) == {"E_NO_ANCHOR"}
    assert codes(compared(), bound(role="exploratory")) == {"E_NO_ANCHOR"}
    of_other = with_(bound(), population__stream_role="incumbent")
    assert codes(compared(), of_other) == {"E_NO_ANCHOR"}
    assert codes(compared(), with_(bound(), population__stream_role="any")) == set()


@pytest.mark.parametrize(
    ("kind", "margin", "worse", "change"),
    [
        ("non_inferiority", "-0.1", "higher", "0.1"),
        ("non_inferiority", "0", "higher", "0.2"),
        ("superiority", "0.1", "higher", "-0.1"),
        ("superiority", "-1", "higher", "-0.2"),
        ("non_inferiority", "1", "lower", "0.2"),
    ],
)
def test_margin_of_the_wrong_sign_is_refused(
    kind: str, margin: str, worse: str, change: str
) -> None:
    record = with_(compared(kind), comparison__margin=margin, comparison__worse=worse)
    (finding,) = [each for each in lint(gated(record, ANCHOR)) if each.code == "E_MARGIN_SIGN"]
    assert finding.change == put(finding.pointer, change)


def test_margin_above_the_control_is_allowed_where_higher_is_worse() -> None:
    assert codes(with_(compared(), comparison__margin="1.5"), ANCHOR) == set()
    assert codes(with_(drift("0.1"), comparison__margin="0")) == {"E_MARGIN_SIGN"}


def test_margin_finer_than_the_clock_is_refused() -> None:
    fine = with_(compared(), comparison__scale="abs", comparison__margin="10")
    fine["metric"] = {**fine["metric"], "resolution": "1000"}
    assert codes(fine, ANCHOR) == {"E_BELOW_RESOLUTION"}


def test_only_superiority_may_ignore_drift() -> None:
    free = compared("non_inferiority", "A", "A2", drift_policy="bracket_only")
    assert "E_BRACKET_ONLY" in codes(free, ANCHOR)
    better = with_(
        compared("superiority", "A", "A2", drift_policy="bracket_only"), comparison__margin="-0.1"
    )
    assert codes(better) == {"W_MONOTONE_ORDER"}


def test_controls_are_control_arms_and_other_arms() -> None:
    (finding,) = [
        each
        for each in lint(gated(with_(compared(), comparison__vs=["B"]), ANCHOR, repetitions=8))
        if each.code == "E_NO_CONTROL"
    ]
    assert finding.change == put(finding.pointer, ["A"])
    assert "E_SAME_DATA" in codes(with_(compared(), population__arm="A"), ANCHOR)
    assert "E_NO_CONTROL" in codes(with_(drift(), comparison__vs=["B"]))


def test_finite_domain_of_a_time_decides_nothing() -> None:
    short = compared()
    short["metric"] = {**short["metric"], "domain": ["0", "60000000"]}
    assert "E_DOMAIN_DECIDES" in codes(short, ANCHOR)


def in_boot(*more: Any, kind: str = "non_inferiority", n: int = 8, **members: Any) -> set[str]:
    """Return what the lint finds in a ratio inside a boot; other gates are on the solo cell."""
    record = with_(compared(kind, **members), population__against_cell=CELL)
    value = msgspec.to_builtins(gated(record, *more, repetitions=n))
    value["scopes"] = [*FAIR]
    solo = deepcopy(value["cells"][0])
    solo["id"] = "C1-solo"
    value["cells"].append(solo)
    value["gates"][4]["population"]["against_cell"] = "C1-solo"
    for each in value["gates"][5:]:
        each["population"]["cell"] = "C1-solo"
    of = msgspec.convert(value, ProtocolDocument)
    all_of = {each.code for each in lint(of) if each.pointer.startswith(LAST)}
    return all_of - {"W_MARGIN_UNJUSTIFIED"}


def test_ratio_inside_a_boot_needs_its_companion() -> None:
    assert in_boot() == {"E_NO_COMPANION_GATE"}
    assert in_boot(compared(id="solo")) == set()
    loose: Any = {"role": "exploratory"}
    assert in_boot(compared(id="solo", **loose), **loose) == set()


@pytest.mark.parametrize(
    "member",
    [
        {"population__arm": "A"},
        {"population__stream_role": "incumbent"},
        {"metric__name": "settlement"},
        {"role": "exploratory"},
        {"scope": "fairness"},
        {"family": "f", "family_mode": "any"},
    ],
)
def test_companion_of_another_thing_or_one_that_need_not_hold_is_none(member: Any) -> None:
    assert in_boot(with_(compared(id="solo"), **member)) == {"E_NO_COMPANION_GATE"}


def test_fail_of_an_equivalence_takes_both_of_its_sides() -> None:
    assert in_boot(compared(id="solo"), n=6) == set()
    assert in_boot(compared(id="solo"), n=6, kind="equivalence") == {"E_FAIL_UNATTAINABLE"}
    assert in_boot(compared(id="solo"), n=7, kind="equivalence") == set()


# ---- designs by themselves ----


def only_code(design: Design) -> list[str]:
    return [each.code for each in design_findings(design)]


def test_designs_without_a_population_a_control_or_all_slots_are_refused() -> None:
    assert only_code(Design("bound", has_population=False)) == ["E_NO_POPULATION"]
    assert only_code(Design("rank_sum", has_control=False)) == ["E_NO_CONTROL"]
    assert only_code(Design("bound", drops_slots=True)) == ["E_DROPS_SLOTS"]
    assert only_code(Design("bound", interpolates=True)) == ["E_INTERPOLATED_QUANTILE"]
    assert only_code(Design("bound", is_mean=True)) == ["W_MEAN_STATISTIC"]
    assert only_code(Design("rank_sum", unit="request")) == ["E_PSEUDOREPLICATION"]
    assert only_code(Design("rank_sum", unit="boot")) == []
    assert least_p(Design("bound", n=3)) is None
    few = Design("share", Fraction(1, 20), 3, share=Fraction(9, 10))
    (unattainable,) = design_findings(few)
    assert (unattainable.code, unattainable.change) == ("E_N_UNATTAINABLE", ())
    assert only_code(Design("rank_sum", n=3, m=3)) == []
    assert only_code(Design("bound", limit=Fraction(2), resolution=Fraction(1))) == []
    assert only_code(Design("bound", limit=Fraction(1), resolution=Fraction(1))) == [
        "E_BELOW_RESOLUTION"
    ]


@pytest.mark.parametrize(
    ("n", "ratio", "under"),
    [
        (2, "4", True),
        (3, "0.5", True),
        (3, "2", True),
        (3, "3", False),
        (5, "2", True),
        (6, "2.9", False),
        (7, "2", False),
        (10, "9", False),
    ],
)
def test_power_is_read_from_the_next_lower_row_and_column(n: int, ratio: str, under: bool) -> None:
    design = Design("rank_sum", n=n, m=n + 1, margin_over_sd=Fraction(ratio))
    assert only_code(design) == (["W_UNDERPOWERED"] if under else [])


def test_units_wanted_are_the_least() -> None:
    alpha = Fraction(1, 25)
    assert units_wanted(Design("sign_flip"), alpha) == 5
    assert units_wanted(Design("rank_sum"), alpha) == 4
    assert units_wanted(Design("share", share=Fraction(1, 2)), alpha) == 5


# ---- the rules of every gate, for gates with a p-value too ----


@pytest.mark.parametrize(
    ("record", "code", "member"),
    [
        (with_(compared(), comparison__worse="lower"), "E_DIRECTION", "comparison/worse"),
        (with_(drift(), comparison__worse="lower"), "E_DIRECTION", "comparison/worse"),
        (with_(share(), comparison__op=">="), "E_DIRECTION", "comparison/op"),
        (
            with_(share(), comparison__limit="99000000000"),
            "E_DEADLINE_LT_LIMIT",
            "comparison/limit",
        ),
        (with_(share(), metric__resolution="9000000"), "E_BELOW_RESOLUTION", "comparison/limit"),
        (with_(share(), metric__domain=["1", None]), "E_DOMAIN_DECIDES", "metric/domain"),
        (
            with_(share(), comparison__limit="0", comparison__op="<"),
            "E_CANNOT_PASS",
            "metric/domain",
        ),
        (with_(compared(), slot_summary="min"), "E_DROPS_SLOTS", "slot_summary"),
        (with_(compared(), slot_summary="kth", slot_k=1), "E_DROPS_SLOTS", "slot_summary"),
        (with_(compared(), population__unit="slot"), "E_PSEUDOREPLICATION", "population/unit"),
        (with_(drift(), population__unit="block"), "E_PSEUDOREPLICATION", "population/unit"),
        (with_(share(), population__unit="lane"), "E_UNIT_NOT_BUILT", "population/unit"),
        (with_(compared(), role="validity"), "E_VALIDITY_ROLE", "role"),
    ],
)
def test_claim_is_refused_by_the_rules_of_every_gate(record: Any, code: str, member: str) -> None:
    assert (code, f"{LAST}/{member}") in found(gated(record, repetitions=8))


def test_worst_slot_of_a_boot_is_no_best_of() -> None:
    assert codes(with_(compared(), slot_summary="max"), ANCHOR) == set()
    assert codes(with_(compared(), slot_summary="kth", slot_k=8), ANCHOR) == set()


def test_claims_in_fairness_need_a_bound_on_the_worst_slot() -> None:
    fair: Any = {"scope": "fairness"}
    beside = {code for code, _ in found(gated(share(**fair), repetitions=8, scopes=FAIR))}
    assert "E_MEDIAN_ONLY" in beside
    both = gated(share(**fair), bound(**fair), drift(**fair), repetitions=8, scopes=FAIR)
    assert "E_MEDIAN_ONLY" not in {code for code, _ in found(both)}


def test_completeness_that_need_not_hold_watches_nothing_but_its_own_family() -> None:
    def of(complete: Any, first: Any) -> set[tuple[str, str]]:
        gates = [with_(completeness_gate("B", 2), **complete), with_(bound(), **first)]
        return found(document(gates=gates))

    family: Any = {"family": "f", "family_mode": "any"}
    refused = {("E_NO_COMPLETENESS_GATE", "/scopes/0")}
    assert of({}, {}) == of({}, family) == of(family, family) == set()
    assert of(family, {}) == of(family, {**family, "family": "g"}) == refused


def test_anchor_of_another_family_is_none() -> None:
    assert codes(compared(), bound(family="f", family_mode="any")) == {"E_NO_ANCHOR"}


def test_waves_of_one_boot_are_one_unit_of_a_block() -> None:
    value = msgspec.to_builtins(waved(3, compared(), ANCHOR, repetitions=12))
    (finding,) = [
        each
        for each in lint(msgspec.convert(value, ProtocolDocument))
        if each.code == "E_N_UNATTAINABLE"
    ]
    assert finding.formula == "smallest p 0.0625 > 0.04; 5 units reach it"
    assert finding.change[0].value == 15
