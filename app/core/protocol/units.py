# SPDX-License-Identifier: Apache-2.0
"""What one observation of a gate is: the units that each kind is judged in, and no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from app.core.protocol.finding import LintFinding
from app.core.protocol.gate_finding import finding
from app.core.protocol.patch import put
from app.core.statement.gate_record import GateKind

UNITS: Final[Mapping[GateKind, tuple[str, ...]]] = {
    "canary": ("slot",),
    "identity": ("slot", "stream"),
    "bound": ("slot", "stream"),
    "progress": ("slot", "stream"),
    "completeness": ("slot", "stream"),
    "integrity": ("slot",),
    "comparison": ("boot", "block"),
    "drift": ("boot",),
    "quantile": ("slot", "boot"),
    "proportion": ("slot", "boot"),
    "assay": ("slot",),
    "checks": ("slot",),
    "jobs": ("slot",),
    "artifact_registry": ("slot",),
    "claim": ("slot",),
    "equality": ("slot", "stream"),
    "parity": ("slot", "stream"),
    "fairness": ("lane",),
    "observed_envelope": ("slot",),
    "review": ("head",),
}
"""By kind, the usual one first. Where it is boot or block, the slots of one boot count once."""
ABOUT_PROCESS: Final[tuple[GateKind, ...]] = ("comparison", "quantile", "proportion", "drift")
"""Kinds that say something about the process and not about the planned units alone."""
BY_BOOT: Final = ("boot", "block")
"""Units for which the slots of one boot are folded into one."""
_SHARED: Final = ("lane", "head")
"""Units of kinds that are no test of a process."""


def unit_findings(
    kind: GateKind, unit: str, pointer: str = "", *, waves: int = 1
) -> Iterator[LintFinding]:
    """Yield why a gate of ``kind`` cannot be judged in ``unit``; ``pointer`` is the gate's.

    Where so many ``waves`` share a boot, a kind that is about the process counts boots.
    """
    offered = UNITS[kind]
    if unit in offered:
        return
    place = f"{pointer}/population/unit"
    by_boot = waves > 1 and kind in ABOUT_PROCESS
    change = put(place, "boot" if by_boot else offered[0])
    names = " or ".join(f"{each}s" for each in offered)
    if kind in ABOUT_PROCESS and unit not in _SHARED:
        detail = (
            "Units that share a slot or a boot share its luck and are not independent: as "
            f"replicates they flag most identical systems. A {kind} gate counts {names}."
        )
        yield finding("E_PSEUDOREPLICATION", place, detail, change)
    elif unit == "stream":
        detail = f"A {kind} gate reads whole slots, whatever the number of their streams."
        yield finding("E_NO_UNIT", place, detail, change)
    else:
        detail = (
            f"This version judges a {kind} gate by {names} and folds none of them into {unit}s: "
            f"a {unit} of many slots would outvote the others."
        )
        yield finding("E_UNIT_NOT_BUILT", place, detail, change)
