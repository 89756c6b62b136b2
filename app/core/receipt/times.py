# SPDX-License-Identifier: Apache-2.0
"""The log times around one receipt."""

from __future__ import annotations

import msgspec


class Times(msgspec.Struct, frozen=True, gc=False):
    """The log times a receipt's client instants are held against.

    Attributes:
        locked_us: of the protocol's lock.
        reserved_us: of the reservation.
        appended_us: of the receipt itself.
    """

    locked_us: int
    reserved_us: int
    appended_us: int
