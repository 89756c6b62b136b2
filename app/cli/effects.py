# SPDX-License-Identifier: Apache-2.0
"""``fairtrial protocol lint --effect``: what a pilot saw, gate by gate, as it was typed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Final

import typer

from app.core.protocol.lint_effect import Effects
from app.core.statement.protocol_document import ProtocolDocument

_HINT: Final = "--effect"
_KINDS: Final = ("comparison", "observed_envelope")
"""Kinds of gates that have a margin to a control."""
_DECIMAL: Final = re.compile(r"-?[0-9]{1,20}([.][0-9]{1,20})?")


def effects_of(texts: Iterable[str], document: ProtocolDocument) -> Effects:
    """Return the effects in ``GATE=DECIMAL`` texts, in the scale of each gate's margin.

    Raises:
        BadParameter: a text is no such pair, or names no gate of the document that has a margin, or
            one that another text has named.
    """
    offered = {gate.id for gate in document.gates if gate.kind in _KINDS}
    effects: dict[str, Fraction] = {}
    for text in texts:
        gate, is_pair, number = text.partition("=")
        if not is_pair or gate not in offered:
            names = ", ".join(sorted(offered)) or "none has one"
            message = f"Expected GATE=DECIMAL with a gate that has a margin: {names}."
            raise typer.BadParameter(message, param_hint=_HINT)
        if gate in effects:
            raise typer.BadParameter("A gate has one effect.", param_hint=_HINT)
        if _DECIMAL.fullmatch(number) is None:
            raise typer.BadParameter("Expected a decimal number.", param_hint=_HINT)
        effects[gate] = Fraction(number)
    return effects
