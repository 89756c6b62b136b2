# SPDX-License-Identifier: Apache-2.0
"""Remembers what was made lately, up to so many bytes; whatever is forgotten can be made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class Remembered(Generic[_Key, _Value]):
    """Values by key; the one not asked for longest goes first."""

    def __init__(self, room_bytes: int) -> None:
        """Keep values of ``room_bytes`` together."""
        self._room = room_bytes
        self._values: OrderedDict[_Key, tuple[_Value, int]] = OrderedDict()

    def get(self, key: _Key) -> _Value | None:
        """Return what is remembered under ``key``."""
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def keep(self, key: _Key, value: _Value, *, size: int) -> None:
        """Remember a value that takes ``size`` bytes; what stands under ``key`` already stays."""
        if key not in self._values:
            self._values[key] = (value, size)
            self._room -= size
        while self._room < 0:
            _, (_, freed) = self._values.popitem(last=False)
            self._room += freed
