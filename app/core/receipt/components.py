# SPDX-License-Identifier: Apache-2.0
"""The programs between the prompt and the answer: did they stay, and how long did the client wait?

A gateway that was exchanged meanwhile is another deployment than the one that was pinned. And a
client that gives up before the cell's deadline makes a timeout the harness's, whatever it calls the
end (SCORING.md B1): nobody turns a slow answer into a failure by waiting less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from app.core.statement.capture import Stream
from app.core.statement.receipt import Component, Components


def components_changed(components: Components) -> bool:
    """Tell whether a program is known to be another after the slot than before it.

    What was not read again is not known to be: a server that took its programs down with it is not
    excused by their absence.
    """
    before, after = _by_role(components.before), _by_role(components.after or ())
    both = before.keys() & after.keys()
    return any(_differ(before[role], after[role]) for role in both)


def client_timeout_us(components: Components) -> int | None:
    """Return how long the client waits for an answer, the least that was read; None: unknown."""
    return min(_client_timeouts(components), default=None)


def gives_up_early(stream: Stream, deadline_us: int, timeout_us: int | None) -> bool:
    """Tell whether the client's own timeout ends ``stream`` before the slot's deadline does."""
    if timeout_us is None or stream.submitted_us is None:
        return False
    return stream.submitted_us + timeout_us < deadline_us


def _client_timeouts(components: Components) -> Iterator[int]:
    for each in (*components.before, *(components.after or ())):
        if each.role == "client" and each.timeout_us is not None:
            yield each.timeout_us


def _by_role(components: Iterable[Component]) -> dict[str, list[Component]]:
    found: dict[str, list[Component]] = {}
    for each in sorted(components, key=lambda one: one.name):
        found.setdefault(each.role, []).append(each)
    return found


def _differ(before: Sequence[Component], after: Sequence[Component]) -> bool:
    if {each.name for each in after} - {each.name for each in before}:
        return True
    if len(after) != len(before):
        return False
    return any(_differs(one, other) for one, other in zip(before, after, strict=True))


def _differs(one: Component, other: Component) -> bool:
    pairs = (
        (one.version, other.version),
        (one.image, other.image),
        (one.timeout_us, other.timeout_us),
    )
    return any(None not in pair and pair[0] != pair[1] for pair in pairs)
