# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""The running order of what is judged in blocks."""

from copy import deepcopy
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from app.core.protocol.blocks import blocks_of, groups_in_blocks, runs_in_blocks
from app.core.protocol.plan import plan, planned_slots
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared
from tests.documents import CELL, document
from tests.lints import with_


def blocked(*gates: Any, cells: Any = None, **members: Any) -> ProtocolDocument:
    """Return a document with comparison gates; ``cells`` gives each one's repetitions and waves."""
    value = msgspec.to_builtins(document(**members))
    value["gates"] += [with_(one, id=f"blocks-{number}") for number, one in enumerate(gates)]
    shape = value["cells"][0]
    planned = cells or {CELL: {"repetitions": shape["repetitions"]}}
    value["cells"] = [{**deepcopy(shape), "id": name, **more} for name, more in planned.items()]
    return msgspec.convert(value, ProtocolDocument)


def order(of: ProtocolDocument, cell: str = CELL) -> str:
    """Return the plan in short: ``A1 B1 B2 A2.1``, slots of other cells with their names."""
    own = {False: "{0.arm}{0.repetition}", True: "{0.cell}:{0.arm}{0.repetition}"}
    return " ".join(own[slot.cell != cell].format(slot) for slot in plan(of))


def test_blocks_alternate_which_arm_comes_first() -> None:
    of = blocked(compared(), arms=("A", "B"), repetitions=5)
    assert runs_in_blocks(of)
    assert order(of) == "A1 B1 B2 A2 A3 B3 B4 A4 A5 B5"


def test_comparison_that_names_no_design_is_judged_and_run_in_blocks() -> None:
    of = blocked(with_(compared(), inference=None), arms=("A", "B"), repetitions=2)
    assert order(of) == "A1 B1 B2 A2"


def test_bracket_runs_arm_by_arm() -> None:
    of = blocked(compared("non_inferiority", "A", "A2"), repetitions=2)
    assert not runs_in_blocks(of)
    assert groups_in_blocks(of) == ()
    assert [slot.arm for slot in plan(of)] == ["A", "A", "B", "B", "A2", "A2"]


def test_arm_outside_the_blocks_keeps_its_place_in_the_order() -> None:
    of = blocked(compared(), order=["A2", "A", "B"], repetitions=2)
    assert [slot.id.replace(f"/{CELL}/", ":") for slot in plan(of)] == [
        *("A2:1", "A2:2"),
        *("A:1", "B:1", "B:2", "A:2"),
    ]


def test_candidates_of_one_control_share_its_blocks_in_alternating_order() -> None:
    of = blocked(compared(), with_(compared(arm="C")), arms=("A", "B", "C"), repetitions=3)
    assert order(of) == "A1 B1 C1 C2 B2 A2 A3 B3 C3"


def test_each_cell_has_blocks_of_its_own() -> None:
    other = with_(compared(), population__cell="C4")
    cells = {CELL: {"repetitions": 2}, "C1": {"repetitions": 2}, "C4": {"repetitions": 1}}
    of = blocked(compared(), other, arms=("A", "B"), cells=cells)
    assert order(of) == "A1 B1 B2 A2 C1:A1 C1:A2 C4:A1 C4:B1 C1:B1 C1:B2"


def test_ratio_inside_a_boot_brings_its_other_cell_into_the_block() -> None:
    ratio = with_(compared(), population__against_cell="C1")
    of = blocked(ratio, arms=("A", "B"), cells={"C1": {"repetitions": 2}, CELL: {"repetitions": 2}})
    assert order(of) == "C1:A1 A1 C1:B1 B1 C1:B2 B2 C1:A2 A2"
    assert groups_in_blocks(of) == (frozenset((arm, at) for arm in "AB" for at in ("C1", CELL)),)


def test_arm_that_only_one_gate_reads_runs_in_that_gates_cells_alone() -> None:
    ratio = with_(compared(arm="C"), population__against_cell="C1")
    cells = {"C1": {"repetitions": 1}, CELL: {"repetitions": 2}}
    of = blocked(compared(), ratio, arms=("A", "B", "C"), cells=cells)
    assert order(of) == "C1:A1 A1 B1 C1:C1 C1 C2 B2 A2 C1:B1"


@pytest.mark.parametrize(
    ("repetitions", "waves", "blocks", "told"),
    [
        (6, 3, 2, "A1 A2 A3 B1 B2 B3 B4 B5 B6 A4 A5 A6"),
        (4, 3, 2, "A1 A2 A3 B1 B2 B3 B4 A4"),
        (2, 3, 1, "A1 A2 B1 B2"),
    ],
)
def test_waves_of_one_boot_run_in_one_block(
    repetitions: int, waves: int, blocks: int, told: str
) -> None:
    cells = {CELL: {"repetitions": repetitions, "waves": waves}}
    of = blocked(compared(), arms=("A", "B"), cells=cells)
    assert order(of) == told
    assert blocks_of(of.cells[0]) == blocks


def test_blocks_leave_out_no_slot_and_repeat_none() -> None:
    cells = {"C1": {"repetitions": 3, "waves": 2}, CELL: {"repetitions": 5, "waves": 2}}
    ratio = with_(compared(), population__against_cell="C1")
    of = blocked(ratio, cells=cells)
    slots = plan(of)
    assert len({slot.id for slot in slots}) == len(slots) == planned_slots(of) == 24


def test_every_block_holds_control_and_candidate_back_to_back() -> None:
    of = blocked(compared(), arms=("A", "B"), repetitions=8)
    slots = plan(of)
    pairs = list(pairwise(slots))[::2]
    assert all({one.arm, other.arm} == {"A", "B"} for one, other in pairs)
    assert all(one.repetition == other.repetition for one, other in pairs)
    assert [one.arm for one, _ in pairs] == ["A", "B"] * 4


def test_gate_that_compares_with_nothing_plans_nothing_new() -> None:
    of = blocked(with_(compared(), comparison=None), with_(compared(), comparison__vs=None))
    assert sorted(slot.id for slot in plan(of)) == sorted(f"{arm}/{CELL}/1" for arm in of.order)
