# SPDX-License-Identifier: Apache-2.0
"""What a process may forget: lines that only a statement or a reader will ask for again.

Whoever asks for heads one after the other, real ones or not, would else fill the memory of a
process that runs for months.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator

from app.service.lines import HeadName


class Resting:
    """Names by when they were last asked for, and how many entries lie under each."""

    def __init__(self, room: int) -> None:
        """Let so many entries rest; one more is counted for each name."""
        self._room = room
        self._weights: OrderedDict[HeadName, int] = OrderedDict()

    def rest(self, name: HeadName, *, entries: int) -> None:
        """Let ``name`` rest with what lies under it now, as one asked for last."""
        self.wake(name)
        self._weights[name] = 1 + entries
        self._room -= 1 + entries

    def wake(self, name: HeadName) -> None:
        """Keep ``name`` out of this until it rests again."""
        self._room += self._weights.pop(name, 0)

    def touch(self, name: HeadName) -> None:
        """Note that ``name`` was asked for, if it rests."""
        if name in self._weights:
            self._weights.move_to_end(name)

    def above_room(self) -> Iterator[HeadName]:
        """Yield names to forget, the one not asked for longest first, until there is room.

        The last one stays, however large: reading it again for each who asks would be worse.
        """
        while self._room < 0 and len(self._weights) > 1:
            name, weight = self._weights.popitem(last=False)
            self._room += weight
            yield name
