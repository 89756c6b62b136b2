# SPDX-License-Identifier: Apache-2.0
"""How a gate came to its state, in one line: what a reviewer needs to do it again by hand."""

from __future__ import annotations

from msgspec import UNSET

from app.core.statement.judgement import AgainstArm, EnvelopeOf, Inference, Judgement
from app.pages.numbers import interval_text, number_text


def how_text(gate: Judgement) -> str:
    """Return the counts behind a p, or the ends of an envelope; empty for the other gates."""
    if gate.inference is not UNSET:
        return _test(gate.inference)
    return "" if gate.envelope is UNSET else _envelope(gate.envelope)


def _test(of: Inference) -> str:
    counted = [
        f"{each.not_below} and {each.not_above} of {each.subsets} subsets not below and not above 0"
        for each in of.subsets
    ]
    counted += [
        f"against {each.arm} {each.favourable} pairs for and {each.unfavourable} against of "
        f"{each.pairs}{_size(each)}"
        for each in of.against
    ]
    if of.share is not None:
        good = f"{of.share.least_good} to {of.share.most_good} of {of.share.n} units good"
        counted.append(f"{good}, share above {of.share.bound}")
    if of.adjusted_p_pass is not None:
        counted.append(f"after Holm {of.adjusted_p_pass} for PASS")
    if of.adjusted_p_fail is not None:
        counted.append(f"after Holm {of.adjusted_p_fail} for FAIL")
    chances = f"p {of.p_pass} for PASS and {of.p_fail} for FAIL, alpha {of.alpha}"
    return "; ".join((f"{of.design}, attempt {of.attempt}: {chances}", *counted))


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
