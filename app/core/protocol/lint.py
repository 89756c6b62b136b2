# SPDX-License-Identifier: Apache-2.0
"""What keeps a protocol from being locked, and what its maintainer must have read (SCORING.md).

Each rule is a function from the document to its findings, in the file of its subject. To add a rule
is to add a function to one of the tuples of rules.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

from app.core.protocol import (
    lint_arms,
    lint_captures,
    lint_claims,
    lint_conduct,
    lint_contended,
    lint_counts,
    lint_deadlines,
    lint_extent,
    lint_gates,
    lint_limits,
    lint_meaning,
    lint_reach,
    lint_references,
    lint_warnings,
    lint_waves,
    lint_whole,
)
from app.core.protocol.finding import LintFinding
from app.core.protocol.gate import parse_gates
from app.core.protocol.lint_effect import NO_EFFECTS, Effects, wide_margins
from app.core.statement.protocol_document import ProtocolDocument

__all__ = ["LintFinding", "lint"]

_MEANING: Final[tuple[lint_references.Rule, ...]] = (
    *lint_arms.RULES,
    *lint_captures.RULES,
    *lint_conduct.RULES,
    *lint_extent.RULES,
    *lint_gates.RULES,
    *lint_meaning.RULES,
    *lint_whole.RULES,
)
_PLANNED: Final[tuple[lint_references.Rule, ...]] = lint_waves.RULES
_NUMBERS: Final[tuple[lint_references.GateRule, ...]] = (
    *lint_claims.RULES,
    *lint_contended.RULES,
    *lint_counts.RULES,
    *lint_deadlines.RULES,
    *lint_limits.RULES,
    *lint_reach.RULES,
    *lint_meaning.NUMBER_RULES,
    *lint_warnings.NUMBER_RULES,
    *lint_whole.NUMBER_RULES,
)


def lint(document: ProtocolDocument, effects: Effects = NO_EFFECTS) -> tuple[LintFinding, ...]:
    """Return every finding, errors first.

    Rules that read gates as numbers wait until references and gates are in order: their findings
    would only repeat what is wrong already. The gates are typed once for all of them.

    Args:
        document: what may be locked.
        effects: what a pilot has seen of some gates; a lock, which has no pilot, is told none.
    """
    shape = _found(document, (*lint_references.RULES, *lint_gates.SHAPE_RULES))
    meaning = _found(document, _MEANING)
    numbers = () if shape else (*_judged(document, effects), *_found(document, _PLANNED))
    return tuple(sorted((*shape, *meaning, *numbers), key=lambda each: each.severity))


def _found(
    document: ProtocolDocument, rules: tuple[lint_references.Rule, ...]
) -> tuple[LintFinding, ...]:
    return tuple(chain.from_iterable(rule(document) for rule in rules))


def _judged(document: ProtocolDocument, effects: Effects) -> tuple[LintFinding, ...]:
    gates = parse_gates(document)
    found = chain.from_iterable(rule(document, gates) for rule in _NUMBERS)
    return (*found, *wide_margins(gates, effects))
