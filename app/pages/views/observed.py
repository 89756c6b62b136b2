# SPDX-License-Identifier: Apache-2.0
"""What a capture read beside its work: counters, container identities, gauges and events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from app.core.statement.capture import ClaimCapture, ContainerIdentity, Gauge, Observations
from app.core.verdict.numbers import NOT_RECORDED, count_text, seconds
from app.pages.views.recorded import Recorded, Row
from app.pages.views.table import Cell, Table, code, number


def observed_tables(about: str, lines: Sequence[Recorded]) -> list[Table]:
    """Return the table of what was read; none where nothing was."""
    rows = [row for line in lines for row in _rows(line)]
    if not rows:
        return []
    table = Table(
        caption=f"{about}: read beside the work, before and after it.",
        headers=("Receipt", "What", "Before", "After"),
        rows=rows,
    )
    return [table]


def _rows(line: Recorded) -> Iterator[Row]:
    if line.capture is None or isinstance(line.capture, ClaimCapture):
        return
    for name, before, after in _pairs(line.capture.observations):
        yield (Cell(line.label), name, before, after)


def _pairs(read: Observations) -> Iterator[tuple[Cell, Cell, Cell]]:
    for counter in read.counters:
        counts = (counter.before, counter.after)
        before, after = (number(count_text(one)) for one in counts)
        yield code(counter.name, note="counter"), before, after
    for identity in read.identities:
        yield (
            code(identity.component, note="container identity"),
            code(identity.before or NOT_RECORDED),
            code(identity.after or NOT_RECORDED, note=_ended(identity)),
        )
    for gauge in read.gauges:
        during = Cell("during the slot", tone="quiet")
        yield code(gauge.name, note=f"gauge, {gauge.unit}"), during, number(_range(gauge))
    for event in read.events:
        during = Cell("during the slot", tone="quiet")
        yield code(event.name, note="event"), during, number(f"at {seconds(event.at_us)}")


def _range(gauge: Gauge) -> str:
    span = f"{count_text(gauge.least)} to {count_text(gauge.greatest)}"
    return f"{span} in {count_text(gauge.samples)} samples"


def _ended(identity: ContainerIdentity) -> str | None:
    said = {True: "had exited", False: "was running", None: "whether it ran is not recorded"}
    changed = None not in {identity.before, identity.after} and identity.before != identity.after
    return f"replaced; {said[identity.exited]}" if changed else said[identity.exited]
