# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a document is any JSON
"""Whatever is changed in a good protocol, the lint says what is wrong, and its patches heal that.

Members are dropped, lists grow, numbers become others, and words become others of the same place:
roles of arms and gates, names of scopes, arms and cells, statistics, units, kinds.
"""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.identity import Scope
from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.patch import operations
from app.core.statement import gate_record
from app.core.statement.protocol_document import Arm, ProtocolDocument
from tests.claims import compared, in_blocks, share
from tests.contended import contention, envelope, fairness, protocol
from tests.documents import document
from tests.gates import bound
from tests.lints import with_
from tests.patches import applied
from tests.refused_makers import BRACKET, eight, waved
from tests.results import (
    checks_gate,
    claim_gate,
    equality_gate,
    jobs_gate,
    parity_gate,
    registry_gate,
    with_cells,
)
from tests.reviews import review_document

RESULTS = (checks_gate(), jobs_gate(), claim_gate(), registry_gate(), equality_gate())
DOCUMENTS = [
    msgspec.to_builtins(each)
    for each in (
        document(repetitions=3),
        in_blocks(),
        eight(BRACKET, share(), bound(statistic="median")),
        waved(3, compared(), with_(share(), population__unit="boot"), bound(), repetitions=15),
        protocol(fairness(), envelope(), contention()),
        with_cells(*RESULTS, parity_gate()),
        review_document(2),
    )
]
PARTS = ("gates", "gates", "gates", "arms", "cells", "scopes", "order", "fault_table", "window")
NUMBERS = (0, 1, 2, 1000, 10**9)
DECIMALS = ("0", "0.000001", "0.05", "0.5", "0.999999", "1", "2", "-0.1", "1000", "1000000000000")
REMOVED, COPIED = "removed", "copied"
Path = tuple[str | int, ...]


def words() -> dict[str, list[Any]]:
    """Return, by the name of a member, all the words that may stand there."""
    shapes = (*vars(gate_record).values(), Arm)
    found: dict[str, list[Any]] = {"scope": list(Scope), "scopes": list(Scope)}
    for shape in shapes:
        if isinstance(shape, type) and issubclass(shape, msgspec.Struct):
            for member in msgspec.structs.fields(shape):
                kind = msgspec.inspect.type_info(member.type)
                for one in getattr(kind, "types", (kind,)):
                    if isinstance(one, msgspec.inspect.LiteralType):
                        found.setdefault(member.encode_name, []).extend(one.values)
    return found


WORDS = words()


def places(node: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every place below with what stands there."""
    members: Any = ()
    if isinstance(node, dict):
        members = node.items()
    elif isinstance(node, list):
        members = enumerate(node)
    for name, value in members:
        yield (*path, name), value
        yield from places(value, (*path, name))


def name_of(path: Path) -> str:
    return next(str(each) for each in reversed(path) if isinstance(each, str))


@st.composite
def changed_documents(draw: st.DrawFn) -> Any:
    """Return the JSON of a good document with up to four things wrong in it."""
    of = draw(st.sampled_from(DOCUMENTS))
    for _ in range(4):
        other = deepcopy(of)
        change(other, draw)
        of = other if is_read(other) else of
    return of


def change(of: Any, draw: st.DrawFn) -> None:
    part = draw(st.sampled_from(PARTS))
    there = list(places(of))
    path, old = draw(st.sampled_from([each for each in there if each[0][0] == part]))
    parent = of
    for each in path[:-1]:
        parent = parent[each]
    name = name_of(path)
    alike = [value for place, value in there if name_of(place) == name]
    new = draw(st.sampled_from(instead(old, [*alike, *WORDS.get(name, ())])))
    if new == REMOVED:
        del parent[path[-1]]
    elif new == COPIED and isinstance(parent, list):
        parent.append(deepcopy(old))
    else:
        parent[path[-1]] = deepcopy(new)


def is_read(of: Any) -> bool:
    try:
        msgspec.convert(of, ProtocolDocument)
    except msgspec.ValidationError:
        return False
    return True


def instead(old: Any, alike: list[Any]) -> list[Any]:
    """Return what may stand instead of a value, ``alike`` being what the same name may have."""
    ways = [REMOVED, COPIED]
    match old:
        case bool():
            return [*ways, not old]
        case int():
            return [*ways, *NUMBERS, old - 1, old + 1]
        case str() if old.lstrip("-").replace(".", "", 1).isdigit():
            return [*ways, *DECIMALS]
        case _:
            return [*ways, *alike]


@settings(max_examples=60, derandomize=True)
@given(changed_documents())
def test_whatever_is_changed_is_read_and_every_patch_heals_its_finding(of: Any) -> None:
    found = lint(msgspec.convert(of, ProtocolDocument))
    for each in found:
        if each.change:
            after = msgspec.convert(applied(of, operations(each.change)), ProtocolDocument)
            assert left(each, lint(after)) < left(each, found), each


def left(of: LintFinding, found: tuple[LintFinding, ...]) -> int:
    """Return how often the finding is there; where a patch takes an element out, of any place."""
    moves = any(
        each.op == "remove" and each.path.rpartition("/")[2].isdigit() for each in of.change
    )
    places_of = Counter((each.code, "" if moves else each.pointer) for each in found)
    return places_of[of.code, "" if moves else of.pointer]
