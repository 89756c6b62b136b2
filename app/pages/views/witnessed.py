# SPDX-License-Identifier: Apache-2.0
"""Who outside has seen the newest tree, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from app.core.identity import instant_of
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.core.verdict.numbers import instant_text
from app.service.witnessing import WitnessStanding, tally_of

_MICROS: Final = 1_000_000


def witnessed_text(standings: Sequence[WitnessStanding], checkpoint: str) -> str:
    """Return how many of the witnesses this ledger names have cosigned its newest checkpoint."""
    if not standings:
        return "This ledger names no witness: nobody outside has cosigned its checkpoints."
    size = parse_checkpoint(parse_note(checkpoint.encode()).text).size
    tally = tally_of(standings, size)
    said = f"{tally.cosigned} of the {tally.named} witnesses this ledger names have cosigned"
    if tally.first_at_s is None:
        furthest = max(one.size for one in standings)
        return f"{said} size {size} so far; the furthest has cosigned size {furthest}."
    first = instant_text(instant_of(tally.first_at_s * _MICROS))
    return f"{said} size {size}; first seen outside at {first}."
