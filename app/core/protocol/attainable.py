# SPDX-License-Identifier: Apache-2.0
"""Which scopes a later attempt on a head could not establish any more (SCORING.md B8).

The lint asks the same of the first attempt; by the third so little alpha is left that the units
that sufficed then may not even do if every one of them agreed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from app.core.identity import Scope, Slug
from app.core.protocol.blocks import blocks_of
from app.core.protocol.cells import repetitions_of
from app.core.protocol.design import Design, least_p, units_wanted
from app.core.protocol.gate import AnyGate, ComparisonGate, ShareGate, parse_gates
from app.core.protocol.margin import alpha_of_attempt
from app.core.protocol.plan import cell_of
from app.core.statement.protocol_document import ProtocolDocument


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A gate whose planned units cannot establish its claim in this attempt.

    Attributes:
        index: of the gate in the document.
        attempt: the how-manieth of its scope.
        planned: units, an arm or block.
        wanted: how many it would need.
    """

    index: int
    gate: Slug
    attempt: int
    planned: int
    wanted: int


def out_of_reach(
    document: ProtocolDocument, attempts: Mapping[Scope, int]
) -> tuple[OutOfReach, ...]:
    """Return the gates without which a scope cannot pass and that cannot pass themselves.

    Args:
        document: the locked protocol.
        attempts: for each scope the number that a study begun now would have.
    """
    gates = parse_gates(document)
    candidates = {arm.id for arm in document.arms if arm.role == "candidate"}
    found = []
    for index, gate in enumerate(gates):
        if gate.role == "exploratory" or gate.population.arm not in candidates:
            continue
        attempt = attempts.get(gate.scope, 1)
        family = [each for each in gates if _is_with(each, gate)]
        if _may_do_without(document, family, attempt):
            continue
        lost = _lost(document, gate, attempt, many=len(_places(family)) or 1)
        if lost is not None:
            found.append(OutOfReach(index, gate.id, attempt, *lost))
    return tuple(found)


def _is_with(one: AnyGate, other: AnyGate) -> bool:
    """Tell whether two gates are of one family, of which not all must pass."""
    same = one.family == other.family and one.scope == other.scope
    return other.family is not None and same and one.role != "exploratory"


def _may_do_without(document: ProtocolDocument, family: Sequence[AnyGate], attempt: int) -> bool:
    """Tell whether as many places of a family as must pass still can."""
    places = _places(family)
    lost = {
        (gate.population.arm, gate.population.cell)
        for gate in family
        if _lost(document, gate, attempt, many=len(places)) is not None
    }
    ks = [gate.family.k for gate in family if gate.family is not None]
    return bool(ks) and len(places) - len(lost) >= ks[0]


def _places(family: Sequence[AnyGate]) -> set[tuple[str, str]]:
    return {(gate.population.arm, gate.population.cell) for gate in family}


def _lost(
    document: ProtocolDocument, gate: AnyGate, attempt: int, *, many: int
) -> tuple[int, int] | None:
    """Return the units that are planned and those it would take; None: the planned ones can do."""
    cell = cell_of(document, gate.population.cell)
    planned = repetitions_of(cell) if gate.population.unit == "slot" else blocks_of(cell)
    match gate:
        case ComparisonGate(design="exact_ranksum"):
            design, alpha = Design("rank_sum", n=planned, m=planned), gate.contrast.alpha
        case ComparisonGate():
            design, alpha = Design("sign_flip", n=planned), gate.contrast.alpha
        case ShareGate():
            design, alpha = Design("share", n=planned, share=gate.share), gate.alpha
        case _:
            return None
    may_spend = alpha_of_attempt(alpha, attempt) / many
    least = least_p(design)
    if least is None or least <= may_spend:
        return None
    return planned, units_wanted(design, may_spend)


def told(lost: Sequence[OutOfReach]) -> Iterator[str]:
    """Yield what is said of each."""
    for each in lost:
        yield (
            f"As attempt {each.attempt} on this head, {each.gate} has less alpha left than "
            f"{each.planned} units can reach; {each.wanted} units can."
        )
