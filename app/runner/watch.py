# SPDX-License-Identifier: Apache-2.0
"""How far a study is, and what changes in it: asked again and again, and politely.

A watcher asks with the tag of the last answer, so that a study in which nothing happens costs the
service a 304. A service that does not answer is asked again later: only its refusals end a watch.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from app.core.canonical import JsonValue
from app.runner.client import Client
from app.runner.failures import AGAIN, Document, Refused, Unreachable

CLOSED: Final = "CLOSED"
SHORTEST_S: Final = 1.0
"""No watcher asks more often, whatever it is told."""


@dataclass(frozen=True, slots=True)
class SlotPlace:
    """A planned slot where it stands; ``deadline`` is that of its newest attempt, if any."""

    slot: str
    group: str
    state: str
    deadline: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """A study as the service shows it.

    Attributes:
        study: the answer of ``/v1/studies/{digest}``.
        slots: every planned slot, in running order.
    """

    study: Document
    slots: tuple[SlotPlace, ...]

    @property
    def state(self) -> str:
        """OPEN, DRAINING or CLOSED."""
        return str(self.study["state"])

    @property
    def next_deadline(self) -> str | None:
        """The next instant at which time alone changes a slot; None once there is none."""
        if self.state == CLOSED:
            return None
        held = [one.deadline for one in self.slots if one.state == "RESERVED" and one.deadline]
        return min([str(self.study["closes_at"]), *held])

    @property
    def sum(self) -> str:
        """The accounting identity in one line; counts of none are left out."""
        counted = {name: n for name, n in _object(self.study["flow"]).items() if n}
        planned = counted.pop("planned", 0)
        return f"planned {planned} = {' + '.join(f'{name} {n}' for name, n in counted.items())}"

    def of_state(self, state: str) -> tuple[str, ...]:
        """Return the slots in ``state``."""
        return tuple(one.slot for one in self.slots if one.state == state)

    def grid(self) -> tuple[str, ...]:
        """Return one line per arm and cell: how many of its slots stand in which state."""
        groups: dict[str, Counter[str]] = {}
        for one in self.slots:
            groups.setdefault(one.group, Counter())[one.state] += 1
        wide = max(map(len, groups), default=0)
        return tuple(
            f"{group:<{wide}}  {', '.join(f'{state} {n}' for state, n in counts.items())}"
            for group, counts in groups.items()
        )

    def since(self, before: Progress | None) -> tuple[SlotPlace, ...]:
        """Return the slots that do not stand where they stood ``before``; all if there was none."""
        known = set() if before is None else {(one.slot, one.state) for one in before.slots}
        return tuple(one for one in self.slots if (one.slot, one.state) not in known)


@dataclass(frozen=True, slots=True)
class Watch:
    """How to watch: how often, how long, and who is told of what goes wrong.

    Attributes:
        every_s: seconds between two questions.
        timeout_s: after so long it is given up; None: never.
    """

    every_s: float
    timeout_s: float | None
    told: Callable[[str], None] = lambda _line: None
    pause: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic


def look(client: Client, digest: str) -> Progress:
    """Return where a study stands now."""
    return _progress(client, client.read_document(f"/v1/studies/{digest}"), digest)


def watch(client: Client, digest: str, how: Watch) -> Iterator[Progress]:
    """Yield where a study stands, at once and after every change, until it is closed or time is up.

    Raises:
        Refused: no such study, or the service says no in another way.
    """
    until = None if how.timeout_s is None else how.clock() + how.timeout_s
    tag: str | None = None
    last: Progress | None = None
    while True:
        answer = _ask(client, digest, tag, how.told)
        if answer is not None:
            now, tag = answer
            if last is None or (now.state, now.slots) != (last.state, last.slots):
                last = now
                yield now
        if last is not None and last.state == CLOSED:
            return
        left = None if until is None else until - how.clock()
        if left is not None and left <= 0:
            return
        every = max(how.every_s, SHORTEST_S)
        how.pause(every if left is None else min(every, left))


def _ask(
    client: Client, digest: str, tag: str | None, told: Callable[[str], None]
) -> tuple[Progress, str | None] | None:
    """Return where the study stands, and its tag; None: as before, or nobody answers just now."""
    try:
        answer = client.poll(f"/v1/studies/{digest}", tag)
        if answer is not None:
            return _progress(client, answer.document, digest), answer.tag
    except Unreachable:
        told("no answer; the watch goes on")
    except Refused as refused:
        if refused.status not in AGAIN:
            raise
        told("the service is busy; the watch goes on")
    return None


def _progress(client: Client, study: Document, digest: str) -> Progress:
    # Read after the study: what is CLOSED stays, and what came in between shows with the next look.
    slots = client.read_document(f"/v1/studies/{digest}/slots")["slots"]
    rows = [_object(one) for one in slots] if isinstance(slots, list) else []
    return Progress(study, tuple(map(_place, rows)))


def _place(row: Document) -> SlotPlace:
    attempts = row["attempts"]
    last = _object(attempts[-1]) if isinstance(attempts, list) and attempts else {}
    deadline = last.get("deadline")
    return SlotPlace(
        slot=str(row["slot"]),
        group=f"{row['arm']}/{row['cell']}",
        state=str(row["state"]),
        deadline=None if deadline is None else str(deadline),
    )


def _object(value: JsonValue) -> Document:
    return value if isinstance(value, dict) else {}
