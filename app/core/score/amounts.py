# SPDX-License-Identifier: Apache-2.0
"""Amounts of output in arms that are compared: a shorter answer is finished sooner.

Where the protocol locks a lane's output, a shorter one is the server's failure already. Where it
does not, times to the end and rates of unequal answers are no comparison (SCORING.md B6, Amounts).
"""

from __future__ import annotations

from collections.abc import Iterable

from app.core.score.observe import Evidence
from app.core.score.reading import Ending, Reading


def amounts_differ(arms: Iterable[Evidence], role: str) -> bool:
    """Tell whether a lane without a locked amount gave unequal ones in slots of one repetition.

    An amount that was not reported is not known to be equal. Streams that did not finish are no
    answer of any length; completeness is about them.

    Args:
        arms: the slots of one cell, of all arms that are compared.
        role: the streams that the gate reads; ``any`` for all of them.
    """
    found: dict[tuple[int, str, int], set[int | None]] = {}
    for each in arms:
        for reading in each.readings[0] if each.readings and each.slot.absence is None else ():
            planned = reading.planned
            read = role in ("any", planned.role) and not planned.exact_output
            if read and reading.ending is Ending.COMPLETE:
                lane = (each.slot.planned.repetition, planned.role, planned.lane)
                found.setdefault(lane, set()).add(_tokens(reading))
    return any(len(amounts) > 1 or None in amounts for amounts in found.values())


def _tokens(reading: Reading) -> int | None:
    usage = None if reading.stream is None else reading.stream.usage
    return None if usage is None else usage.completion
