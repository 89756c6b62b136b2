# SPDX-License-Identifier: Apache-2.0
"""A gate's line says what a reviewer needs to do its test again by hand."""

from msgspec import structs

from app.core.protocol.plan import plan
from app.core.statement.interval import Interval
from app.core.statement.judgement import Inference, SubsetCount
from app.core.statement.tally import ReviewTally
from app.core.verdict.judgement_text import how_text, limit_text, observed_text, reviews_text
from tests.claims import compared, drift, share, times
from tests.contended import envelope, of_firsts, protocol, score
from tests.scores import only
from tests.scores import protocol as canary
from tests.unit.pages.test_gates import judgement


def test_blocks_say_p_alpha_and_the_subsets_counted() -> None:
    of = canary(compared(), repetitions=8)
    judged = times(of, {arm: [1_000_000] * 8 for arm in ("A", "B", "A2")})
    assert how_text(only(judged, "comparison-b")) == (
        "signflip_blocks, attempt 1: p 0.00390625 for PASS and 1 for FAIL, alpha 0.04; 1 and 256 "
        "of 256 subsets not below and not above 0; bounds: shift above about 0.998002 and below "
        "about 1.002002, limit 1.1; after Holm 1 for FAIL"
    )
    assert limit_text(only(judged, "comparison-b")) == "1.1 (ratio, above 1 is worse)"


def test_distance_says_its_limit_and_its_bounds_in_the_unit_of_the_metric() -> None:
    gate = compared()
    gate["comparison"] |= {"scale": "abs", "margin": "250000"}
    of = canary(gate, repetitions=8)
    judged = only(times(of, {arm: [1_000_000] * 8 for arm in ("A", "B", "A2")}), gate["id"])
    assert limit_text(judged) == "0.250 s (distance, above 0 is worse)"
    said = "bounds: shift above −0.002 s and below 0.002 s, limit 0.250 s"
    assert said in how_text(judged)


def test_equivalence_whose_fail_was_out_of_reach_says_so() -> None:
    of = canary(compared("equivalence"), repetitions=5)
    slow = times(of, {"A": [1_000_000] * 5, "B": [2_000_000] * 5, "A2": [1_000_000] * 5})
    text = how_text(only(slow, "comparison-b"))
    assert "bounds: shift below about 2.00" in text
    assert "; bounds, the other way round: shift below about 0.50" in text
    assert "FAIL was out of reach: with so few units its p is at least 0.0625" in text
    of = canary(compared("equivalence"), repetitions=6)
    judged = times(of, {arm: [1_000_000] * 6 for arm in ("A", "B", "A2")})
    assert "out of reach" not in how_text(only(judged, "comparison-b"))


def test_blocks_without_bounds_say_why() -> None:
    of = canary(compared(), repetitions=5)
    judged = times(of, {"A": [1_000_000] * 4 + [0], "B": [1_000_000] * 5, "A2": [0] * 5})
    gate = only(judged, "comparison-b")
    assert isinstance(gate.inference, Inference)
    none = structs.replace(gate.inference, undecided=[None])
    told = "bounds: no number, a value of 0 gives no ratio"
    assert told in how_text(structs.replace(gate, inference=none))
    many = [SubsetCount(not_below=1, not_above=1, subsets=2**25)]
    none = structs.replace(none, subsets=many)
    told = "bounds: no number, more than 24 blocks"
    assert told in how_text(structs.replace(gate, inference=none))


def test_each_side_of_an_equivalence_says_its_own_bounds_or_that_it_has_none() -> None:
    of = canary(compared("equivalence"), repetitions=6)
    judged = times(of, {"A": [1_000_000] * 5 + [0], "B": [1_000_000] * 6, "A2": [0] * 6})
    gate = only(judged, "comparison-b")
    assert isinstance(gate.inference, Inference)
    bounds = Interval(lo="0", hi="2", lo_open=False, hi_open=False)
    other = structs.replace(
        gate, inference=structs.replace(gate.inference, undecided=[None, bounds])
    )
    assert "bounds: no number, a value of 0 gives no ratio, limit 1.1; bounds, the other" in (
        how_text(other)
    )
    assert "; bounds, the other way round: shift below 2, limit 1.1" in how_text(other)


def test_distance_that_is_established_above_nothing_says_so() -> None:
    gate = compared()
    gate["comparison"] |= {"scale": "abs", "margin": "250000"}
    of = canary(gate, repetitions=8)
    judged = only(times(of, {arm: [1_000_000] * 8 for arm in ("A", "B", "A2")}), gate["id"])
    assert isinstance(judged.inference, Inference)
    from_zero = Interval(lo="0", hi="2000", lo_open=False, hi_open=False)
    record = structs.replace(judged.inference, undecided=[from_zero])
    said = how_text(structs.replace(judged, inference=record))
    assert "bounds: shift above 0 s and below 0.002 s" in said


def test_drift_says_its_state_and_never_that_its_fail_was_out_of_reach() -> None:
    of = canary(drift("0.2"), compared("non_inferiority", "A", "A2"), repetitions=6)
    judged = times(of, {arm: [1_000_000] * 6 for arm in ("A", "B", "A2")})
    text = how_text(only(judged, "drift-a2"))
    assert "controls STABLE, p " in text
    assert "out of reach" not in text
    assert ", certified" in how_text(only(judged, "comparison-b"))
    assert ", certified" not in text


def test_bracket_and_share_say_the_pairs_and_the_units_counted() -> None:
    of = canary(compared("non_inferiority", "A", "A2"), share(), repetitions=8)
    judged = times(of, {arm: [1_000_000 + each for each in range(8)] for arm in ("A", "B", "A2")})
    text = how_text(only(judged, "comparison-b"))
    assert "against A 64 pairs for and 0 against of 64, shift between about 0.9" in text
    assert "(bounds about 0.997999 to about 1.002005); against A2 64 pairs for" in text
    assert "8 to 8 of 8 units good, share above 0." in how_text(only(judged, "quantile-b"))


def test_bracket_of_too_few_units_says_no_bounds() -> None:
    of = canary(compared("non_inferiority", "A", "A2"), repetitions=2)
    judged = times(of, {arm: [1_000_000, 1_000_001] for arm in ("A", "B", "A2")})
    text = how_text(only(judged, "comparison-b"))
    assert "shift between" in text
    assert "bounds" not in text


def test_envelope_says_its_four_ends_and_its_spread() -> None:
    of = protocol(envelope(), lanes=2)
    judged = score(of, {"A2": of_firsts(12, 1)}, rest=of_firsts(10, 1))
    text = how_text(only(judged, "envelope-b"))
    assert text.startswith("controls from 10")
    assert text.endswith("of at most 0.25")
    assert len(plan(of)) == 6


def test_reviews_that_count_are_named_and_a_doubted_one_is_marked() -> None:
    said = [
        ReviewTally(entry=1, person="rita", outcome="accepted", suspect=False),
        ReviewTally(entry=2, person="ruth", outcome="changes_requested", suspect=True),
    ]
    assert reviews_text(said) == "rita accepts, ruth asks for changes (doubted)"
    assert reviews_text([]) == "no review counts"


def test_gate_without_a_test_says_its_limit_and_what_was_observed() -> None:
    gate = judgement(limit="10", observed=Interval(lo="7", hi="7", lo_open=False, hi_open=False))
    assert (limit_text(gate), observed_text(gate), how_text(gate)) == ("10", "7", "")
    assert limit_text(judgement(limit=None)) == "no number"


def test_family_says_what_holm_makes_of_a_pass_and_a_side_without_shift_says_none() -> None:
    of = canary(compared("non_inferiority", "A", "A2"), repetitions=6)
    judged = only(times(of, {arm: [1_000_000] * 6 for arm in ("A", "B", "A2")}), "comparison-b")
    assert isinstance(judged.inference, Inference)
    sides = [structs.replace(each, shift=None) for each in judged.inference.against]
    record = structs.replace(judged.inference, adjusted_p_pass="0.02", against=sides)
    text = how_text(structs.replace(judged, inference=record))
    assert "; after Holm 0.02 for PASS" in text
    assert "shift" not in text
