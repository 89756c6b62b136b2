# SPDX-License-Identifier: Apache-2.0
"""What a judgement repeats of its test is what the test found, number for number."""

from fractions import Fraction
from typing import Literal

import pytest

from app.core.protocol.contrast import Claim, Contrast
from app.core.protocol.gate import Domain
from app.core.protocol.margin import Margin
from app.core.score.blocks import judge_blocks
from app.core.score.bracket import judge_bracket
from app.core.score.claim_record import (
    Spent,
    blocks_record,
    bracket_record,
    drift_record,
    share_record,
    with_samples,
)
from app.core.score.drift import drift_of
from app.core.score.interval import finite, point
from app.core.score.number import number_text
from app.core.score.observed import conflicting, exact
from app.core.score.sample import Sample
from app.core.score.share import ShareClaim, judge_counts
from app.core.statement.judgement import AgainstArm, Inference, MarginOf

ALPHA = Fraction(1, 20)
Worse = Literal["higher", "lower"]
TENTH = Margin(Fraction(1, 10), "ratio", "higher")


def sample(*values: int) -> Sample:
    return Sample(tuple(exact(each) for each in values), Domain(Fraction(0), None))


def against(candidate: Sample, control: Sample) -> AgainstArm:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    judged = judge_bracket(contrast, candidate, (control, control))
    first, back = bracket_record(judged, ["A", "A2"], contrast, 1).against
    assert (first.arm, back.arm) == ("A", "A2")
    return first


def chances(record: Inference) -> tuple[str, str, str]:
    return record.p_pass, record.p_fail, record.least_p


def test_record_of_a_bracket_has_the_shift_and_its_bounds() -> None:
    record = against(sample(20, 20, 20), sample(10, 10, 10))
    assert record.shift is not None
    assert (record.shift.lo, record.lower, record.upper) == ("2", "2", "2")
    assert (record.favourable, record.unfavourable, record.pairs) == (0, 9, 9)
    assert (record.p_pass, record.p_fail) == ("1", "0.05")


def test_record_of_too_few_units_has_a_shift_without_bounds() -> None:
    record = against(sample(20, 20), sample(10, 10))
    assert record.shift is not None
    assert (record.lower, record.upper) == (None, None)


def test_record_over_a_control_of_nothing_has_no_shift() -> None:
    record = against(sample(20, 20, 20), sample(0, 10, 10))
    assert (record.shift, record.lower, record.upper) == (None, None, None)


def test_record_says_its_design_its_alpha_and_its_attempt() -> None:
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    three = sample(10, 11, 12)
    bracket = bracket_record(judge_bracket(contrast, three, (three, three)), ["A"] * 2, contrast, 2)
    blocks = blocks_record(judge_blocks(contrast, three, three), contrast, 3)
    claim = ShareClaim(Fraction(1, 2), ALPHA, "<=", Fraction(10))
    share = share_record(judge_counts(claim, n=5, good=5), claim, 4)
    still = drift_of([point(1)], [point(1)], margin=TENTH, alpha=ALPHA)
    drift = drift_record(still, TENTH, Spent(ALPHA, 5), least_p=Fraction(1, 2))
    assert [
        (each.design, each.alpha, each.attempt) for each in (bracket, blocks, share, drift)
    ] == [
        ("exact_ranksum", "0.05", 2),
        ("signflip_blocks", "0.05", 3),
        ("binomial", "0.05", 4),
        ("exact_ranksum", "0.05", 5),
    ]


def test_record_of_a_bracket_without_a_control_has_no_drift_and_no_side_of_it() -> None:
    contrast, three = Contrast("non_inferiority", TENTH, ALPHA), sample(10, 11, 12)
    record = bracket_record(judge_bracket(contrast, three, (three, None)), ["A", "A2"], contrast, 1)
    assert [each.arm for each in record.against] == ["A"]
    assert record.drift is None
    none = bracket_record(judge_bracket(contrast, three, (None, None)), ["A", "A2"], contrast, 1)
    assert none.against == []


def test_record_of_blocks_counts_subsets_on_both_sides_and_shows_each_difference() -> None:
    contrast = Contrast("superiority", Margin(Fraction(0), "ratio", "higher"), ALPHA)
    judged = judge_blocks(contrast, sample(9, 9, 12), sample(10, 10, 10))
    record = blocks_record(judged, contrast, 1)
    (subsets,) = record.subsets
    assert (subsets.not_below, subsets.not_above, subsets.subsets) == (5, 5, 8)
    assert [each.lo for each in record.differences] == ["-1", "-1", "2"]
    assert record.baseline is not None
    assert record.baseline.subsets == 8
    assert chances(record) == ("0.625", "0.625", "0.125")
    assert record.least_p_fail == "0.125"


def test_record_of_a_share_has_its_bound_and_its_least_chance() -> None:
    claim = ShareClaim(Fraction(1, 2), ALPHA, "<=", Fraction(10))
    judged = judge_counts(claim, n=5, good=5)
    record = share_record(judged, claim, 1)
    assert chances(record) == ("0.03125", "1", "0.03125")
    assert record.share is not None
    assert (record.share.n, record.share.least_n, record.share.least_good) == (5, 5, 5)
    assert record.share.most_good == 5
    assert record.share.bound.startswith("0.549")
    assert (record.against, record.subsets, record.differences) == ([], [], [])
    assert (record.baseline, record.drift) == (None, None)
    assert (record.adjusted_p_pass, record.adjusted_p_fail) == (None, None)


def test_record_of_drift_cannot_fail_and_passes_by_no_less_than_its_units_allow() -> None:
    three = [point(each) for each in (10, 11, 12)]
    margin = Margin(Fraction(1), "ratio", "higher")
    drift = drift_of(three, three, margin=margin, alpha=ALPHA)
    record = drift_record(drift, margin, Spent(ALPHA, 1), least_p=Fraction(1, 20))
    assert chances(record) == ("0.05", "1", "0.05")
    assert record.drift is not None
    assert (record.drift.state, record.drift.certified) == ("STABLE", None)
    assert (record.drift.p_upper, record.drift.p_lower) == ("0.05", "0.05")
    assert record.least_p_fail == "1"


def test_least_chance_of_a_fail_is_that_of_each_way_and_never_above_one() -> None:
    one, both = (Contrast(each, TENTH, ALPHA) for each in ("non_inferiority", "equivalence"))
    three, none = sample(10, 11, 12), sample()

    def blocks(contrast: Contrast, arm: Sample) -> str:
        return blocks_record(judge_blocks(contrast, arm, arm), contrast, 1).least_p_fail

    def bracket(contrast: Contrast) -> str:
        judged = judge_bracket(contrast, three, (three, three))
        return bracket_record(judged, ["A", "A2"], contrast, 1).least_p_fail

    assert (blocks(one, three), blocks(both, three), blocks(both, none)) == ("0.125", "0.25", "1")
    assert (bracket(one), bracket(both)) == ("0.05", "0.1")


@pytest.mark.parametrize(
    ("claim", "value", "worse", "limit"),
    [
        ("non_inferiority", "0.2", "lower", "1.25"),
        ("non_inferiority", "0.2", "higher", "1.2"),
        ("superiority", "-0.2", "higher", "0.8"),
        ("equivalence", "0.2", "lower", "1.2"),
        ("equivalence", "-0.2", "lower", "1.2"),
    ],
)
def test_margin_stands_as_it_was_locked_beside_the_shift_that_it_allows(
    claim: Claim, value: str, worse: Worse, limit: str
) -> None:
    contrast, three = Contrast(claim, Margin(Fraction(value), "ratio", worse), ALPHA), sample(1, 2)
    blocks = blocks_record(judge_blocks(contrast, three, three), contrast, 1)
    assert blocks.margin == MarginOf("ratio", worse, value, limit, None)
    judged = judge_bracket(contrast, three, (three, three))
    record = bracket_record(judged, ["A", "A2"], contrast, 1)
    drift = number_text(finite(contrast.drift.value))
    assert record.margin == MarginOf("ratio", worse, value, limit, drift)
    assert record.undecided == []


def test_side_of_an_equivalence_without_a_ratio_is_null_and_the_other_keeps_its_bounds() -> None:
    contrast = Contrast("equivalence", TENTH, Fraction(1, 4))
    judged = judge_blocks(contrast, sample(10, 11, 12), sample(10, 0, 12))
    first, second = blocks_record(judged, contrast, 1).undecided
    assert first is None
    assert second is not None
    assert (second.lo, second.hi) == ("0", "1")


def test_margin_of_drift_stands_without_a_side() -> None:
    still = drift_of([point(1)], [point(1)], margin=TENTH, alpha=ALPHA)
    record = drift_record(
        still, Margin(Fraction(1, 10), "ratio", "lower"), Spent(ALPHA, 1), least_p=Fraction(1, 2)
    )
    assert record.margin == MarginOf("ratio", "higher", "0.1", "1.1", None)


def test_sample_that_pass_and_fail_read_otherwise_is_shown_as_each_reads_it() -> None:
    twice = Sample((conflicting([exact(2), exact(3)]),), Domain(Fraction(0), None))
    contrast = Contrast("non_inferiority", TENTH, ALPHA)
    record = blocks_record(judge_blocks(contrast, twice, twice), contrast, 1)
    (said,) = with_samples(record, ["B"], [exact(2)], [twice]).samples
    assert said.arm == "B"
    assert [(each.lo, each.hi) for each in said.for_pass] == [("0", "inf")]
    assert [(each.lo, each.hi) for each in said.for_fail] == [("2", "3")]
