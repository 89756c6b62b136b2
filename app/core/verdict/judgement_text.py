# SPDX-License-Identifier: Apache-2.0
"""A gate's judgement in words, for the page and the command line alike.

Each text is one line: what was observed, against which limit, with how much room, and how a test or
an envelope came to it: what a reviewer needs to do it again by hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import UNSET

from app.core.score.flip_bounds import MOST_BOUNDED
from app.core.statement.interval import Interval
from app.core.statement.judgement import (
    AgainstArm,
    DriftOf,
    EnvelopeOf,
    Inference,
    Judgement,
    MarginOf,
)
from app.core.statement.tally import ReviewTally
from app.core.verdict.numbers import (
    fraction_of,
    interval_text,
    is_infinite,
    margin_text,
    number_text,
)

DELAY: Final = "delay of the first-named event behind the second"
"""What a canary's numbers are: below zero, the event came before."""
NO_VALUE: Final = "no value"
NO_NUMBER: Final = "no number: holds or does not"
"""Said of a gate such as identity, whose units are true or false."""


def how_text(gate: Judgement) -> str:
    """Return the counts behind a p, or the ends of an envelope; empty for the other gates."""
    if gate.inference is not UNSET:
        return _test(gate.inference, gate.unit)
    return "" if gate.envelope is UNSET else _envelope(gate.envelope)


def limit_text(gate: Judgement) -> str:
    """Return what a gate was held against; of a comparison the shift that its margin allows."""
    if gate.inference is not UNSET and gate.inference.margin is not None:
        margin = gate.inference.margin
        if margin.scale == "ratio":
            return f"{number_text(margin.limit, None)} (ratio, above 1 is worse)"
        return f"{number_text(margin.limit, gate.unit)} (distance, above 0 is worse)"
    return "no number" if gate.limit is None else number_text(gate.limit, gate.unit)


def observed_text(gate: Judgement) -> str:
    """Return what was observed, as a statistic over all planned units."""
    if gate.observed is None:
        return NO_NUMBER if gate.unit is None else NO_VALUE
    return interval_text(gate.observed, gate.unit)


def counts_text(gate: Judgement) -> str:
    """Return a gate's denominator, what it is made of, and how many units count for PASS."""
    counts = gate.counts
    n = counts.exact + counts.bounded
    planned = (
        f"n = {n} of {counts.planned} planned "
        f"({counts.exact} exact + {counts.bounded} bounded + {counts.unknown} unknown)"
    )
    if gate.required is UNSET:
        return planned
    counted = ", ".join(f"{each.n} of {each.arm}" for each in gate.required.counted)
    return f"{planned}; {gate.required.n} needed of each arm, {counted} count"


def room_text(gate: Judgement) -> str:
    """Return the margin: of FAIL that of the nearest possible value, else of the farthest one."""
    text = margin_text(gate.margin, gate.unit)
    if gate.margin is None or gate.state == "PASS":
        return text
    if gate.state != "FAIL":
        return f"at worst {text}"
    open_ended = gate.observed is not None and gate.observed.lo != gate.observed.hi
    return f"at least {text}" if open_ended and not is_infinite(gate.margin) else text


def reviews_text(reviews: Sequence[ReviewTally]) -> str:
    """Return who accepted and who asked for changes; a doubted key accepts nothing."""
    said = (
        f"{each.person} {_OUTCOMES[each.outcome]}{' (doubted)' if each.suspect else ''}"
        for each in reviews
    )
    return ", ".join(said) or "no review counts"


_OUTCOMES: Final = {"accepted": "accepts", "changes_requested": "asks for changes"}


def _test(of: Inference, unit: str | None) -> str:
    counted = [
        f"{each.not_below} and {each.not_above} of {each.subsets} subsets not below and not above 0"
        for each in of.subsets
    ]
    if of.margin is not None and of.subsets:
        counted += _bounds(of, of.margin, unit if of.margin.scale == "abs" else None)
    counted += [
        f"against {each.arm} {each.favourable} pairs for and {each.unfavourable} against of "
        f"{each.pairs}{_size(each)}"
        for each in of.against
    ]
    if of.drift is not None:
        counted.append(_drift(of.drift))
    if of.share is not None:
        good = f"{of.share.least_good} to {of.share.most_good} of {of.share.n} units good"
        counted.append(f"{good}, share above {of.share.bound}")
    if of.adjusted_p_pass is not None:
        counted.append(f"after Holm {of.adjusted_p_pass} for PASS")
    if of.adjusted_p_fail is not None:
        counted.append(f"after Holm {of.adjusted_p_fail} for FAIL")
    can_fail = of.subsets or of.against or of.share is not None
    if can_fail and fraction_of(of.least_p_fail) > fraction_of(of.alpha):
        counted.append(f"FAIL was out of reach: with so few units its p is at least {_least(of)}")
    chances = f"p {of.p_pass} for PASS and {of.p_fail} for FAIL, alpha {of.alpha}"
    return "; ".join((f"{of.design}, attempt {of.attempt}: {chances}", *counted))


def _drift(of: DriftOf) -> str:
    named = {None: "", True: ", certified", False: ", not certified"}[of.certified]
    return f"controls {of.state}, p {of.p_upper} and {of.p_lower}{named}"


def _least(of: Inference) -> str:
    return number_text(of.least_p_fail, None)


def _bounds(of: Inference, margin: MarginOf, unit: str | None) -> Iterator[str]:
    """Yield what each side leaves undecided, or why that is no number."""
    limit = number_text(margin.limit, unit)
    ways = ("", ", the other way round")
    for each, way in zip(of.undecided, ways, strict=False):
        said = _no_bounds(of) if each is None else _established(each, margin.scale, unit)
        yield f"bounds{way}: {said}, limit {limit}"


def _no_bounds(of: Inference) -> str:
    many = of.subsets[0].subsets > 2**MOST_BOUNDED
    why = f"more than {MOST_BOUNDED} blocks" if many else "a value of 0 gives no ratio"
    return f"no number, {why}"


def _established(of: Interval, scale: str, unit: str | None) -> str:
    """Say between which bounds the shift is established; no ratio is below 0."""
    floored = of.lo == "-inf" or (scale == "ratio" and of.lo == "0")
    low = "" if floored else f"above {number_text(of.lo, unit)}"
    high = "" if of.hi == "inf" else f"below {number_text(of.hi, unit)}"
    said = " and ".join(filter(None, (low, high)))
    return f"shift {said}" if said else "none at this alpha"


def _size(of: AgainstArm) -> str:
    """Return the middle of all pairs and the bounds at which the test turns; above 1 is worse."""
    if of.shift is None:
        return ""
    middle = interval_text(of.shift, None)
    if of.lower is None or of.upper is None:
        return f", shift {middle}"
    bounds = f"{number_text(of.lower, None)} to {number_text(of.upper, None)}"
    return f", shift {middle} (bounds {bounds})"


def _envelope(of: EnvelopeOf) -> str:
    least, greatest = (
        interval_text(each, None) for each in (of.reference_least, of.reference_greatest)
    )
    low, high = (interval_text(each, None) for each in (of.candidate_least, of.candidate_greatest))
    return (
        f"controls from {least} to {greatest}, candidate from {low} to {high}; "
        f"spread {interval_text(of.spread, None)} of at most {of.max_spread}"
    )
