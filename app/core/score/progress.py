# SPDX-License-Identifier: Apache-2.0
"""The longest silence of a stream: before its first content, between, and after the last."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import Basis, Observed, at_least, exact, unknown
from app.core.statement.capture import Stream


def observe_silence(
    submitted: int | Fraction,
    contents: Sequence[int | Fraction],
    end: int | Fraction,
    *,
    ended: bool,
    resolution: int | Fraction = 0,
) -> Observed:
    """Return the longest time without content.

    Args:
        submitted: when the request was sent.
        contents: when content came, in order.
        end: when the stream ended, or the observation of it did.
        ended: whether the stream did; if not, the last silence may have gone on.
        resolution: half-width of the reading.
    """
    longest = max(late - early for early, late in pairwise((submitted, *contents, end)))
    return exact(longest, resolution) if ended else at_least(longest)


def silence_of(stream: Stream, *, ended: bool, resolution: int | Fraction) -> Observed:
    """Return the longest silence of a stream as captured; never sent or not recorded is unknown.

    Gaps that do not add up to the time between first and last content leave something out: the
    silence then is at least what was seen, and at most the rest, or anything if they overshoot.
    """
    if stream.submitted_us is None:
        return unknown()
    end = stream.observed_until_us
    if ended and stream.settled_us is not None:
        end = stream.settled_us
    first, last = stream.first_generated_us, stream.last_content_us
    if first is None or last is None:
        if _said_something(stream):
            return unknown()
        return observe_silence(stream.submitted_us, (), end, ended=ended, resolution=resolution)
    longest = max(first - stream.submitted_us, max(stream.content_gaps_us, default=0), end - last)
    rest = last - first - sum(stream.content_gaps_us)
    if rest:
        return _incomplete(max(longest, 0), rest=rest, ended=ended)
    return exact(longest, resolution) if ended else at_least(longest)


def _said_something(stream: Stream) -> bool:
    """Tell whether there was content although its instants were not recorded."""
    instants = (stream.first_generated_us, stream.first_answer_us, stream.last_content_us)
    tokens = stream.usage is not None and bool(stream.usage.completion)
    return tokens or bool(stream.content_gaps_us) or any(at is not None for at in instants)


def _incomplete(seen: int, *, rest: int, ended: bool) -> Observed:
    if rest < 0 or not ended:
        return Observed(Interval(finite(seen), INFINITY, hi_open=True), Basis.BOUNDED)
    return Observed(Interval(finite(seen), finite(max(seen, rest))), Basis.BOUNDED)
