# SPDX-License-Identifier: Apache-2.0
"""What a later version of a protocol changes, place by place, and which way (SCORING.md B10).

A later version scores only what was reserved after its own lock. Gates that it adds or changes are
exploratory for evidence that existed before: shown, never counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias, cast

from msgspec import UnsetType, to_builtins

from app.core.canonical import JsonValue
from app.core.identity import Slug
from app.core.protocol.amend_direction import Direction, direction_of
from app.core.statement.gate_record import GateRecord, GateRole
from app.core.statement.protocol_document import ProtocolDocument

_Members: TypeAlias = "dict[str, JsonValue]"

_NAMED: Final = ("arms", "cells", "gates")
"""Lists whose members have ids, so that one that moved is still the same."""
_OF_THE_VERSION: Final = ("name", "version")
_READ_BY_EVERY_GATE: Final = (
    "binding",
    "conditions",
    "endpoint_path",
    "fault_table",
    "order",
    "request_controls",
    "retry",
    "scoring",
    "stop_rule",
    "varies",
    "workload",
)
"""What decides how any slot is run or read, whatever is demanded of it."""


@dataclass(frozen=True, slots=True)
class Amended:
    """One place that differs between two versions.

    Attributes:
        pointer: RFC 6901 pointer into the later version; of what was removed, into the earlier.
        where: the same for people: arms, cells and gates by their ids.
        before: what stood there; None where nothing did.
        after: what stands there; None where nothing does.
        direction: whether the demand became stricter, as far as that is known.
    """

    pointer: str
    where: str
    before: JsonValue
    after: JsonValue
    direction: Direction


def amended(before: ProtocolDocument, after: ProtocolDocument) -> tuple[Amended, ...]:
    """Return every difference of the later version, in the order of the document's members."""
    old, new = _members(before), _members(after)
    return tuple(
        difference
        for name in (*new, *(each for each in old if each not in new))
        if name not in _OF_THE_VERSION
        for difference in _of_member(name, old.get(name), new.get(name))
    )


def moved_gates(before: ProtocolDocument, after: ProtocolDocument) -> frozenset[Slug]:
    """Return the gates of the later version that say something else of the same evidence.

    Those that it adds or changes, and those whose arms or cells it changes; all of them where it
    changes how every slot is run or read (a fault table can launder what no gate was moved for), or
    a gate that the others rest on: what a broken one made INVALID would PASS without it.
    """
    old, new = _members(before), _members(after)
    known = {gate.id: gate for gate in before.gates}
    same = all(old[name] == new[name] for name in _READ_BY_EVERY_GATE)
    if not same or _rested_on(before) != _rested_on(after):
        return frozenset(gate.id for gate in after.gates)
    changed = {
        (name, key)
        for name in ("arms", "cells")
        for key, (_, value) in _by_id(new[name]).items()
        if _by_id(old[name]).get(key, (0, None))[1] != value
    }
    return frozenset(
        gate.id
        for gate in after.gates
        if known.get(gate.id) != gate or not changed.isdisjoint(_stands_on(gate))
    )


def role_for_earlier(gate: Slug, before: ProtocolDocument, after: ProtocolDocument) -> GateRole:
    """Return the role that a gate of the later version has for evidence from before its lock.

    That evidence is of the version before, which scores it: this one only says what it would say.
    """
    if gate in moved_gates(before, after):
        return "exploratory"
    return next(each.role for each in after.gates if each.id == gate)


def _rested_on(document: ProtocolDocument) -> dict[Slug, GateRecord]:
    """Return the gates without whose PASS another's means nothing (SCORING.md B5, B6)."""
    return {
        gate.id: gate
        for gate in document.gates
        if gate.role == "validity" or gate.kind in {"integrity", "assay"}
    }


def _stands_on(gate: GateRecord) -> set[tuple[str, str]]:
    """Return the arms and cells whose slots a gate reads."""
    place, comparison = gate.population, gate.comparison
    cells = {place.cell, place.against_cell or place.cell}
    compared = [] if isinstance(comparison, UnsetType) else comparison.vs or []
    return {("cells", cell) for cell in cells} | {("arms", arm) for arm in (place.arm, *compared)}


def _members(value: object) -> dict[str, JsonValue]:
    return cast("dict[str, JsonValue]", to_builtins(value))


def _of_member(name: str, old: JsonValue, new: JsonValue) -> Iterator[Amended]:
    if name not in _NAMED:
        yield from _differences(f"/{name}", name, old, new, {})
        return
    earlier, later = _by_id(old), _by_id(new)
    kind = name.removesuffix("s")
    for key, (index, value) in later.items():
        pointer, where = f"/{name}/{index}", f"{kind} {key}"
        if key in earlier:
            yield from _differences(pointer, where, earlier[key][1], value, value)
        else:
            yield Amended(pointer, where, None, value, direction_of(where, None, value, value))
    for key, (index, value) in earlier.items():
        if key not in later:
            where = f"{kind} {key}"
            direction = direction_of(where, value, None, value)
            yield Amended(f"/{name}/{index}", where, value, None, direction)


def _by_id(value: JsonValue) -> dict[str, tuple[int, _Members]]:
    members = [each for each in cast("list[JsonValue]", value) if isinstance(each, dict)]
    return {str(each["id"]): (index, each) for index, each in enumerate(members)}


def _differences(
    pointer: str, where: str, old: JsonValue, new: JsonValue, of: _Members
) -> Iterator[Amended]:
    """Yield the differences of two values; objects are walked, lists are compared whole."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for name in (*new, *(each for each in old if each not in new)):
            yield from _differences(
                f"{pointer}/{name}", f"{where}/{name}", old.get(name), new.get(name), of
            )
        return
    yield Amended(pointer, where, old, new, direction_of(where, old, new, of))
