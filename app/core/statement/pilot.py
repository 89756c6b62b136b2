# SPDX-License-Identifier: Apache-2.0
"""A pilot: what unchanged machines measured before a protocol is locked.

It is no statement and no evidence: nobody signs it and nothing is judged by it. It says how far
apart units lie that nothing was done to, and so what a protocol's units and margins can decide.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import END, ArmId, CellId, Slug, StreamRole
from app.core.statement.header import Shape

PILOT: Final = "urn:fairtrial:pilot:v1"
Exact: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^-?(0|[1-9][0-9]{0,17})([.][0-9]{1,12}|/[1-9][0-9]{0,17})?" + END, max_length=40
    ),
]
"""An exact number as text: whole, a decimal, or a fraction of two whole numbers."""


class PilotSeries(Shape, frozen=True):
    """One number of an arm's units in one cell, in the order in which they ran.

    Attributes:
        unit: of the values; of a ratio ``1``.
        values: one for every boot, or every slot where each slot has a boot of its own; null: that
            unit gave none. Where the arms ran in blocks, value ``i`` of each is of block ``i``.
        against_cell: each value is the metric in ``cell`` over that in this cell, inside a boot.
        over: each value is the arm's over that of this arm, in one block.
    """

    arm: ArmId
    cell: CellId
    stream_role: StreamRole
    metric: Slug
    unit: Slug
    values: Annotated[list[Exact | None], Meta(min_length=1, max_length=1000)]
    against_cell: CellId | UnsetType = UNSET
    over: ArmId | UnsetType = UNSET


class Pilot(Shape, frozen=True):
    """Everything a pilot measured, a series for each arm, cell, role and metric.

    Attributes:
        schema: this shape's name.
    """

    schema: Literal["urn:fairtrial:pilot:v1"]
    series: Annotated[list[PilotSeries], Meta(min_length=1, max_length=512)]
