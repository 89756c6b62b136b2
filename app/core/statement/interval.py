# SPDX-License-Identifier: Apache-2.0
"""Exact numbers and what is known of a value, as documents hold them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from app.core.identity import END
from app.core.statement.header import Shape

Number = Annotated[
    str,
    Meta(pattern=r"^(-?inf|-?[0-9]{1,40}([.][0-9]{1,40})?(/[0-9]{1,40})?)" + END, max_length=128),
]
"""An exact number as text: a decimal, a fraction where no decimal is exact, ``inf`` or ``-inf``."""


class Interval(Shape, frozen=True):
    """What is known of a value: ``[lo, hi]``, an end open where so marked; ``inf`` is a value."""

    lo: Number
    hi: Number
    lo_open: bool
    hi_open: bool
