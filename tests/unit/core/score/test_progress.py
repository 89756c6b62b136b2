# SPDX-License-Identifier: Apache-2.0
"""The longest silence: before the first content, between contents, and after the last."""

from fractions import Fraction

import pytest

from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import Basis, Observed, at_least, exact, unknown
from app.core.score.progress import observe_silence, silence_of
from tests.facts import complete_stream, stream


@pytest.mark.parametrize(
    ("contents", "end", "ended", "expected"),
    [
        ((9, 10, 11), 12, True, exact(9)),
        ((1, 2, 9), 10, True, exact(7)),
        ((1, 2, 3), 12, True, exact(9)),
        ((), 12, True, exact(12)),
        ((1, 2, 3), 12, False, at_least(9)),
        ((9, 10), 12, False, at_least(9)),
        ((), 12, False, at_least(12)),
    ],
)
def test_silence_includes_the_leading_and_the_trailing_gap(
    contents: tuple[int, ...], end: int, ended: bool, expected: Observed
) -> None:
    assert observe_silence(0, contents, end, ended=ended) == expected


def silence(*, ended: bool = True, **facts: object) -> Observed:
    made = complete_stream("incumbent", 0, first=10, last=30, submitted_us=0, **facts)
    return silence_of(made, ended=ended, resolution=Fraction(1))


def test_silence_of_a_complete_stream_is_read_with_the_clock_resolution() -> None:
    seen = silence(content_gaps_us=[5, 15], settled_us=40, observed_until_us=90)
    assert seen == exact(15, 1)


def test_l21_silence_of_an_unfinished_stream_goes_on_unseen() -> None:
    seen = silence(content_gaps_us=[5, 15], settled_us=None, observed_until_us=90, ended=False)
    assert seen == at_least(60)


def test_silence_without_a_recorded_end_lasts_while_it_was_watched() -> None:
    assert silence(content_gaps_us=[20], settled_us=None, observed_until_us=90) == exact(60, 1)


def test_gaps_that_leave_something_out_are_bounds() -> None:
    left_out = silence(content_gaps_us=[5], settled_us=31)
    assert left_out == Observed(Interval(finite(10), finite(15)), Basis.BOUNDED)
    unfinished = silence(content_gaps_us=[5], observed_until_us=31, ended=False)
    assert unfinished == Observed(Interval(finite(10), INFINITY, hi_open=True), Basis.BOUNDED)
    overshooting = silence(content_gaps_us=[50], settled_us=31)
    assert overshooting.interval == Interval(finite(50), INFINITY, hi_open=True)


def test_silence_of_a_stream_that_was_never_sent_is_unknown() -> None:
    never_sent = stream("incumbent", 0, submitted_us=None)
    assert silence_of(never_sent, ended=True, resolution=0) == unknown()


def test_silence_of_content_whose_instants_were_not_recorded_is_unknown() -> None:
    for facts in ({"last_content_us": 9}, {"content_gaps_us": [4]}):
        made = stream("incumbent", 0, **facts)
        assert silence_of(made, ended=True, resolution=0) == unknown()
    counted = complete_stream("incumbent", 0, first_generated_us=None, first_answer_us=None)
    assert silence_of(counted, ended=True, resolution=0) == unknown()
    silent = stream("incumbent", 0, observed_until_us=7)
    assert silence_of(silent, ended=False, resolution=0) == at_least(7)


def test_stream_that_never_paused_was_silent_for_no_time() -> None:
    at_once = {"first": 0, "last": 0, "submitted_us": 0, "settled_us": 0, "observed_until_us": 0}
    made = complete_stream("incumbent", 0, content_gaps_us=[], **at_once)
    assert silence_of(made, ended=True, resolution=0) == exact(0)
    left_out = complete_stream(
        "incumbent", 0, content_gaps_us=[], **(at_once | {"last": 20, "settled_us": 20})
    )
    seen = silence_of(left_out, ended=True, resolution=0)
    assert seen.interval == Interval(finite(0), finite(20))


def test_silence_without_any_content_is_read_with_the_clock_resolution() -> None:
    silent = stream("incumbent", 0, settled_us=9, observed_until_us=12)
    assert silence_of(silent, ended=True, resolution=1) == exact(9, 1)
    assert observe_silence(0, (9,), 12, ended=True, resolution=1) == exact(9, 1)


def test_silence_of_tokens_that_were_only_counted_is_unknown() -> None:
    nowhere = {"first_generated_us": None, "first_answer_us": None, "last_content_us": None}
    counted = complete_stream("incumbent", 0, content_gaps_us=[], **nowhere)
    assert silence_of(counted, ended=True, resolution=0) == unknown()
