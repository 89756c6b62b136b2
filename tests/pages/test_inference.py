# SPDX-License-Identifier: Apache-2.0
"""A gate's line says what a reviewer needs to do its test again by hand."""

from app.core.protocol.plan import plan
from app.pages.views.inference import how_text
from tests.claims import compared, share, times
from tests.contended import envelope, of_firsts, protocol, score
from tests.scores import only
from tests.scores import protocol as canary


def test_blocks_say_p_alpha_and_the_subsets_counted() -> None:
    of = canary(compared(), repetitions=8)
    judged = times(of, {arm: [1_000_000] * 8 for arm in ("A", "B", "A2")})
    assert how_text(only(judged, "comparison-b")) == (
        "signflip_blocks, attempt 1: p 0.00390625 for PASS and 1 for FAIL, alpha 0.04; 1 and 256 "
        "of 256 subsets not below and not above 0; after Holm 1 for FAIL"
    )


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
