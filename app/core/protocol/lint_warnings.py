# SPDX-License-Identifier: Apache-2.0
"""Lint: what may be locked by somebody who has read that it may mislead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from app.core.protocol.cells import streams_of
from app.core.protocol.decimals import decimal_text
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import (
    BoundGate,
    ComparisonGate,
    DriftGate,
    MetricGate,
    ShareGate,
)
from app.core.protocol.lint_limits import planned_units
from app.core.protocol.lint_references import GateRule, Gates, warning
from app.core.protocol.metrics import STREAM_METRICS
from app.core.protocol.patch import append, put
from app.core.protocol.plan import cell_of
from app.core.statement.gate_record import EventOf
from app.core.statement.protocol_document import ProtocolDocument

ACROSS_RESTARTS: Final = Fraction("0.2")
INSIDE_A_BOOT: Final = Fraction("0.1")
"""The least ratio margins that eight blocks, or ratios inside a boot, usually decide."""
_MOST_PRIMARY: Final = 3
_TAIL: Final = Fraction("0.9")
_CACHED: Final = frozenset(("ttft", "time_to_first_answer", "settlement"))
"""Times that a prompt found in a cache makes short."""


def margins(_document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A margin is not narrower than what such a design usually decides, nor without measure."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ComparisonGate):
            continue
        contrast, pointer = gate.contrast, f"/gates/{index}"
        size = abs(contrast.margin.value)
        if contrast.drift_margin is not None and contrast.drift_margin > size:
            place = f"{pointer}/drift_margin"
            detail = "The controls may lie farther apart than the candidate may from either."
            formula = f"{decimal_text(contrast.drift_margin)} > {decimal_text(size)}"
            change = put(place, decimal_text(size / 2))
            yield warning("W_MARGIN_UNJUSTIFIED", place, detail, formula, change)
        if contrast.claim != "superiority" and contrast.margin.scale == "ratio":
            yield from _of_usual_size(gate, f"{pointer}/comparison/margin")


def _of_usual_size(gate: ComparisonGate, place: str) -> Iterator[LintFinding]:
    usual = ACROSS_RESTARTS if gate.against_cell is None else INSIDE_A_BOOT
    margin = gate.contrast.margin
    widest = Fraction(1) if margin.worse == "higher" else Fraction(1, 2)
    change = put(place, decimal_text(usual))
    if 0 < margin.value < usual:
        detail = (
            "Nothing says that the machines can tell so small a difference: unchanged ones "
            "differ by more from boot to boot. Show it with a pilot (protocol lint --power)."
        )
        formula = f"{decimal_text(margin.value)} < {decimal_text(usual)}"
        yield warning("W_MARGIN_UNJUSTIFIED", place, detail, formula, change)
    elif margin.value > widest:
        detail = (
            "More than twice as bad as the control would still be no worse, and nothing says that "
            "so much may be lost."
        )
        formula = f"{decimal_text(margin.value)} > {decimal_text(widest)}"
        yield warning("W_MARGIN_UNJUSTIFIED", place, detail, formula, change)


def caches(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Who compares times to an answer says what became of the prompt cache."""
    settings = {name for arm in document.arms for name in arm.settings}
    names = settings | set(document.disclosed_settings) | set(document.request_controls)
    if any("cach" in name.lower() for name in names):
        return
    for gate in gates:
        if isinstance(gate, ComparisonGate | ShareGate) and gate.metric.name in _CACHED:
            detail = (
                "No setting or request control says whether prompts may be found in a cache, so "
                "the times may be those of the cache. Disclose the server's setting."
            )
            change = append("/disclosed_settings", "ENABLE_PREFIX_CACHING")
            yield warning("W_CACHE_STATE", "/disclosed_settings", detail, change=change)
            return


def closed_loops(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """The tail of streams that wait for the server leaves out what a late server was not asked."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ShareGate) or gate.share < _TAIL:
            continue
        role = gate.population.stream_role
        waits = any(
            role in ("any", stream.role) and isinstance(stream.starts.after, EventOf)
            for stream in streams_of(cell_of(document, gate.population.cell))
        )
        if waits:
            detail = (
                "A stream that starts after an event of another is not sent while the server is "
                "slow, so the tail is that of a server under less load. Decide whether it can "
                "start at slot_start or together, or say so where the share is quoted."
            )
            formula = f"p {decimal_text(gate.share)} >= {decimal_text(_TAIL)}"
            yield warning("W_CLOSED_LOOP_TAIL", f"/gates/{index}/population", detail, formula)


def means(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A sum of times or rates is their mean, which one slow unit hides in."""
    for index, gate in enumerate(gates):
        quantity = STREAM_METRICS.get(gate.metric.name) if isinstance(gate, BoundGate) else None
        n = planned_units(document, gate)
        if quantity in ("time", "rate") and gate.demand.statistic == "sum" and n > 1:
            place = f"/gates/{index}/statistic"
            detail = "A sum of times or rates is their mean: the others make up for the worst unit."
            formula = f"sum / {n} is the mean"
            worst = "max" if gate.demand.op in ("<", "<=") else "min"
            yield warning("W_MEAN_STATISTIC", place, detail, formula, put(place, worst))


def many_primary(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """Gates that must all pass, each with a chance to stay undecided, leave little for all."""
    counted = Counter(
        gate.scope
        for gate in gates
        if isinstance(gate, ComparisonGate | ShareGate) and gate.role == "primary"
    )
    for index, scope in enumerate(document.scopes):
        many = counted[scope]
        if many > _MOST_PRIMARY:
            detail = (
                "Every one of these claims must be established; a candidate that meets each with a "
                "chance of 0.8 seldom meets all. Decide which may be secondary."
            )
            chance = decimal_text(Fraction(8, 10) ** many)
            formula = f"{many} > {_MOST_PRIMARY} claims; 0.8^{many} = {chance}"
            yield warning("W_MANY_PRIMARY", f"/scopes/{index}", detail, formula)


def degenerate(document: ProtocolDocument, gates: Gates) -> Iterator[LintFinding]:
    """A comparison needs values that differ; what is so or not, or fixed, is the same each time."""
    for index, gate in enumerate(gates):
        if not isinstance(gate, ComparisonGate | DriftGate):
            continue
        if STREAM_METRICS.get(gate.metric.name) == "one" or _is_fixed(document, gate):
            detail = (
                "Every control slot will show the same value, so ranks and differences say nothing "
                "(DEGENERATE_DATA): decide on a proportion or a bound."
            )
            place = f"/gates/{index}/metric/name"
            yield warning("W_DEGENERATE_EXPECTED", place, detail)


def _is_fixed(document: ProtocolDocument, gate: MetricGate) -> bool:
    """Tell whether the gate counts tokens of streams whose number of tokens is locked."""
    role = gate.population.stream_role
    streams = streams_of(cell_of(document, gate.population.cell))
    return gate.metric.name == "completion_tokens" and all(
        each.exact_output for each in streams if role in ("any", each.role)
    )


NUMBER_RULES: Final[tuple[GateRule, ...]] = (
    margins,
    caches,
    closed_loops,
    means,
    many_primary,
    degenerate,
)
