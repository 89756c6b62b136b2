# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""What everything meets, or nothing: limits, margins, factors, deadlines and windows."""

from typing import Any

import pytest

from app.core.protocol.lint import lint
from app.core.protocol.patch import put
from tests.claims import compared, drift, share
from tests.contended import RATE, contention, envelope, fairness, protocol, ratio
from tests.documents import SLOT_DEADLINE_US
from tests.gates import bound, gate
from tests.lints import LAST, changed, found, gated, with_
from tests.refused_makers import eight, gauge, positive

DEADLINE = f"{SLOT_DEADLINE_US} us"


def said(of: Any, *codes: str) -> list[tuple[str, str, str]]:
    wanted = [each for each in lint(of) if each.code in codes or not codes]
    return [(each.code, each.pointer, each.formula) for each in wanted]


def margin(value: str, kind: str = "non_inferiority", **members: Any) -> Any:
    return with_(compared(kind), comparison__margin=value, **members)


# ---- times that no answer takes ----


@pytest.mark.parametrize(
    "made",
    [
        bound(limit="999"),
        with_(bound("max_content_gap", limit="999"), kind="progress"),
        share(limit="999"),
    ],
)
def test_limit_below_a_millisecond_is_met_by_nothing(made: Any) -> None:
    refused = ("E_CANNOT_PASS", f"{LAST}/comparison/limit", "999 us < 1000 us")
    assert refused in said(eight(made), "E_CANNOT_PASS")
    least = with_(made, comparison__limit="1000")
    assert said(eight(least), "E_CANNOT_PASS") == []


def test_limit_in_seconds_is_a_time_all_the_same() -> None:
    lanes = fairness(limit="0.0009")
    assert ("E_CANNOT_PASS", "/gates/0/comparison/limit", "900 us < 1000 us") in said(
        protocol(lanes)
    )
    assert said(protocol(ratio(limit="1.01")), "E_CANNOT_PASS") == []
    assert said(protocol(fairness(RATE, "0.0001")), "E_CANNOT_PASS") == []
    assert said(gated(gauge("<=", "1", ["0", "100"])), "E_CANNOT_PASS") == []


# ---- margins that leave nothing beyond them ----


@pytest.mark.parametrize(
    ("made", "code", "formula"),
    [
        (margin("239999"), "E_CANNOT_FAIL", f"(1 + 239999) x 1000 us >= {DEADLINE}"),
        (margin("239998.9"), "E_CANNOT_FAIL", None),
        (
            margin("-0.999996", "superiority"),
            "E_CANNOT_PASS",
            f"(1 - 0.999996) x {DEADLINE} < 1000 us",
        ),
        (margin("-0.99999", "superiority"), "E_CANNOT_PASS", None),
        (drift("239999"), "E_CANNOT_FAIL", f"(1 + 239999) x 1000 us >= {DEADLINE}"),
        (
            margin("240000000", comparison__scale="abs"),
            "E_CANNOT_FAIL",
            "240000000 >= 240000000",
        ),
        (margin("239999999", comparison__scale="abs"), "E_CANNOT_FAIL", None),
        (
            margin("-240000000", "superiority", comparison__scale="abs"),
            "E_CANNOT_PASS",
            "240000000 >= 240000000",
        ),
    ],
)
def test_margin_beyond_what_a_slot_can_show_is_refused(
    made: Any, code: str, formula: str | None
) -> None:
    refused = [each for each in said(eight(made), code) if each[1].endswith("/margin")]
    place = f"{LAST}/comparison/margin"
    assert refused == ([] if formula is None else [(code, place, formula)])


def test_margin_as_wide_as_a_bounded_domain_is_refused() -> None:
    complete = {"name": "complete", "unit": "1", "domain": ["0", "1"]}
    of = {**compared()["metric"], **complete, "direction": "higher_is_better"}
    whole = margin("1", metric=of, comparison__scale="abs", comparison__worse="lower")
    assert ("E_CANNOT_FAIL", f"{LAST}/comparison/margin", "1 >= 1") in said(eight(whole))
    half = with_(whole, comparison__margin="0.5")
    assert said(eight(half), "E_CANNOT_FAIL") == []


def test_margin_of_a_rate_or_of_a_ratio_inside_a_boot_has_no_end_that_a_slot_shows() -> None:
    rate = with_(envelope(RATE), comparison__margin="0.9")
    assert said(protocol(rate), "E_CANNOT_FAIL") == []
    apart = margin("9000000", metric={**compared()["metric"], **RATE}, comparison__scale="abs")
    assert said(eight(with_(apart, comparison__worse="lower")), "E_CANNOT_FAIL") == []
    inside = margin("239999", population__against_cell="C1-solo")
    assert "E_CANNOT_FAIL" not in {code for code, _ in found(eight(inside))}
    wide = said(protocol(with_(envelope(), comparison__margin="239999")), "E_CANNOT_FAIL")
    assert [each[1] for each in wide] == ["/gates/0/comparison/margin"]


@pytest.mark.parametrize(
    ("made", "place", "formula"),
    [
        (margin("1"), "margin", None),
        (margin("1.01"), "margin", "1.01 > 1"),
        (margin("0.51", comparison__worse="lower"), "margin", "0.51 > 0.5"),
    ],
)
def test_margin_that_lets_twice_as_bad_pass_is_warned_of(
    made: Any, place: str, formula: str | None
) -> None:
    warned = said(eight(made, bound()), "W_MARGIN_UNJUSTIFIED")
    of = ("W_MARGIN_UNJUSTIFIED", f"{LAST}/comparison/{place}", formula)
    assert warned == ([] if formula is None else [of])


def test_controls_that_may_drift_farther_than_the_margin_are_warned_of() -> None:
    bracket = with_(
        compared("non_inferiority", "A", "A2", drift_margin="0.31"), comparison__margin="0.3"
    )
    warned = said(eight(bracket, bound()), "W_MARGIN_UNJUSTIFIED")
    assert warned == [("W_MARGIN_UNJUSTIFIED", f"{LAST}/drift_margin", "0.31 > 0.3")]
    equal = with_(bracket, drift_margin="0.3")
    assert said(eight(equal, bound()), "W_MARGIN_UNJUSTIFIED") == []


# ---- assays that can show nothing ----


@pytest.mark.parametrize(
    ("made", "formula", "healed"),
    [
        (contention(factor="240000"), None, ""),
        (contention(factor="240001"), f"240001 > {DEADLINE} / 1000 us", "1.5"),
        (contention(RATE, "0.001"), None, ""),
        (contention(RATE, "0"), "0 <= 0", "0.5"),
    ],
)
def test_contention_by_a_factor_that_no_control_shows_is_refused(
    made: Any, formula: str | None, healed: str
) -> None:
    of = protocol(made, with_(fairness(), scope="performance"))
    refused = [each for each in lint(of) if each.code == "E_CANNOT_PASS"]
    assert [each.formula for each in refused] == ([] if formula is None else [formula])
    for each in refused:
        assert each.change == put("/gates/0/comparison/limit", healed)


@pytest.mark.parametrize(
    ("own", "bad", "op", "formula"),
    [
        ("9000000", "9000000", "<=", None),
        ("9000000", "9000001", "<=", None),
        ("9000000", "8999999", "<=", "<= 8999999, of the candidate <= 9000000"),
        ("5", "6", ">=", ">= 6, of the candidate >= 5"),
        ("5", "5", ">=", None),
    ],
)
def test_known_bad_control_that_is_asked_for_more_than_the_candidate_is_warned_of(
    own: str, bad: str, op: str, formula: str | None
) -> None:
    def change(value: Any) -> None:
        positive(expect="FAIL", limit=bad)(value)
        value["gates"][-1]["comparison"]["op"] = op
        value["gates"].append(with_(bound(limit=own, id="own"), comparison__op=op))
        value["gates"].append(gate("assay", "P", role="validity", expect="FAIL"))

    of = changed(change)
    warned = [each for each in lint(of) if each.code == "W_NO_ASSAY_CONTROL"]
    assert [(each.pointer, each.formula) for each in warned] == (
        [] if formula is None else [("/gates/4/comparison/limit", formula)]
    )
    for each in warned:
        assert each.change == put("/gates/4/comparison/limit", own)


# ---- deadlines and windows that nothing meets ----


@pytest.mark.parametrize(("deadline", "least"), [(1, 250_001), (250_000, 250_001), (250_001, None)])
def test_deadline_before_a_stream_is_sent_is_met_by_nothing(
    deadline: int, least: int | None
) -> None:
    def change(value: Any) -> None:
        value["cells"][0]["ends"]["slot_deadline_us"] = deadline

    place, formula = "/cells/0/ends/slot_deadline_us", f"{deadline} us < {least} us"
    refused = said(changed(change), "E_CANNOT_PASS")
    assert refused == ([] if least is None else [("E_CANNOT_PASS", place, formula)])


def test_deadline_of_a_microsecond_is_met_by_nothing() -> None:
    def change(value: Any) -> None:
        for stream in value["cells"][0]["streams"]:
            stream["starts"] = {"at": "slot_start"}
        value["cells"][0]["ends"]["slot_deadline_us"] = 999

    assert said(changed(change), "E_CANNOT_PASS") == [
        ("E_CANNOT_PASS", "/cells/0/ends/slot_deadline_us", "999 us < 1000 us")
    ]


@pytest.mark.parametrize(
    ("member", "name"), [("window", "max_us"), ("reservation", "allowance_us")]
)
def test_window_that_ends_before_a_slots_deadline_hides_whoever_is_slow(
    member: str, name: str
) -> None:
    short = changed(lambda d: d[member].update({name: SLOT_DEADLINE_US - 1}))
    (finding,) = (each for each in lint(short) if each.severity == "error")
    assert (finding.code, finding.pointer) == ("E_DEADLINE_LT_LIMIT", f"/{member}/{name}")
    assert finding.change == put(f"/{member}/{name}", SLOT_DEADLINE_US)
    as_long = changed(lambda d: d[member].update({name: SLOT_DEADLINE_US}))
    assert {each.severity for each in lint(as_long)} == {"warning"}
