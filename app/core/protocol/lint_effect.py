# SPDX-License-Identifier: Apache-2.0
"""Lint: a margin is no wider than an effect that is known (SCORING.md, W_MARGIN_GT_EFFECT).

What is no worse by a margin wider than the effect of what the protocol is about may have lost all
of that effect; what must be better by more than it is known to be is never found to be. A protocol
says what it knows by its assays: how far its control must be seen to contend, and what a known-bad
control must fail. Somebody with a pilot knows more, gate by gate, and the document has no place for
that: so the lint is told, and a lock may acknowledge what only a pilot says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from app.core.identity import Slug
from app.core.protocol.contention import fails_alike, is_beside
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    AssayGate,
    ComparisonGate,
    ContentionGate,
    EnvelopeGate,
)
from app.core.protocol.lint_references import Gates, warning
from app.core.protocol.margin import Margin
from app.core.protocol.patch import put

Effects: TypeAlias = Mapping[Slug, Fraction]
"""What a pilot has seen, by gate: how far apart, in the scale of the gate's own margin."""
NO_EFFECTS: Final[Effects] = MappingProxyType({})
_Claim: TypeAlias = ComparisonGate | EnvelopeGate


class _Known(NamedTuple):
    """An effect, in the scale of a gate's margin, and what says so."""

    size: Fraction
    by: str


def wide_margins(gates: Gates, effects: Effects) -> Iterator[LintFinding]:
    """Yield where a margin is wider than the known effect; where none is known, nothing.

    Args:
        gates: of a document, all of them.
        effects: what a pilot has seen; it says more than the document's own assays.
    """
    for index, gate in enumerate(gates):
        if not isinstance(gate, ComparisonGate | EnvelopeGate):
            continue
        known = _seen(gate, effects) or max(_shown(gate, gates), default=None)
        margin = _margin_of(gate)
        if known is not None and abs(margin.value) > known.size:
            yield _finding(f"/gates/{index}/comparison/margin", margin, known)


def _finding(place: str, margin: Margin, known: _Known) -> LintFinding:
    better = margin.value < 0
    why = (
        "The candidate has to be better by more than anything is known to have made it: it would "
        "stay undecided. "
        if better
        else "What has lost all of the effect that is known would still be no worse by the margin. "
    )
    narrower = known.size > 0
    what = "Narrow the margin." if narrower else "No margin is that narrow: decide what is claimed."
    formula = f"{decimal_text(abs(margin.value))} > {decimal_text(known.size)}, by {known.by}"
    text = decimal_text(known.size)
    change = put(place, f"-{text}" if better else text) if narrower else ()
    return warning("W_MARGIN_GT_EFFECT", place, why + what, formula, change)


def _seen(gate: _Claim, effects: Effects) -> _Known | None:
    return _Known(effects[gate.id], "the pilot") if gate.id in effects else None


def _shown(claim: _Claim, gates: Gates) -> Iterator[_Known]:
    """Yield how far apart the protocol's own assays must see the claim's metric."""
    if _margin_of(claim).value < 0:
        return  # nothing that an assay shows is a gain
    for assay in gates:
        if isinstance(assay, ContentionGate) and _is_alike(assay, claim):
            size = abs(assay.demand.limit - 1)
            if (assay.demand.op == ">=") == (assay.demand.limit > 1):
                yield _Known(size, assay.id)
        elif isinstance(assay, AssayGate) and isinstance(claim, ComparisonGate):
            yield from _failed(assay, claim, gates)


def _is_alike(assay: ContentionGate, claim: _Claim) -> bool:
    """Tell whether a control's contention is a change of just what the claim is about."""
    inside = isinstance(claim, ComparisonGate) and claim.against_cell is not None
    ratio = _margin_of(claim).scale == "ratio" and not inside
    return ratio and is_beside(assay, claim) and assay.metric.name == claim.metric.name


def _failed(assay: AssayGate, claim: ComparisonGate, gates: Gates) -> Iterator[_Known]:
    """Yield the margins that a known-bad control must be worse by."""
    for control in gates:
        if not isinstance(control, ComparisonGate) or not fails_alike(assay, control, claim):
            continue
        margin = control.contrast.margin
        same = (margin.scale, control.against_cell) == (
            claim.contrast.margin.scale,
            claim.against_cell,
        )
        if same and margin.value > 0 and is_beside(assay, claim):
            yield _Known(margin.value, control.id)


def _margin_of(gate: _Claim) -> Margin:
    return gate.contrast.margin if isinstance(gate, ComparisonGate) else gate.margin
