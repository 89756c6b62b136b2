# SPDX-License-Identifier: Apache-2.0
"""``fairtrial study status``, ``watch`` and ``end``: how far a study is, and where it stops.

Progress is told on stderr; stdout has where the study stands at the end, or with ``--json`` one
line per change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from app.cli.deviations import Phase
from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.output import emit, say
from app.cli.session import connect, envelope_of
from app.core.verdict.exit_code import SLOTS_OPEN_OR_MISSING
from app.runner.failures import Document
from app.runner.watch import CLOSED, Progress, SlotPlace, Watch, look
from app.runner.watch import watch as changes

StudyArgument = Annotated[
    str, typer.Argument(help="Statement digest of the study.", metavar="STUDY")
]
_EVERY_S = 5.0


def status(study: StudyArgument, *, url: Url = DEFAULT_URL, as_json: AsJson = False) -> None:
    """Print a study's state and what became of every planned slot."""
    with connect(url) as client:
        now = look(client, study)
    lines = [
        f"{now.state}  {now.study['repository']} {now.study['head']}",
        f"closes at {now.study['closes_at']}",
        now.sum,
        *_deadline(now),
        *(f"{one.slot}  {one.state}" for one in now.slots),
    ]
    emit({**_facts(now), "slots": _rows(now.slots)}, lines, as_json=as_json)


def watch(
    study: StudyArgument,
    *,
    timeout: Annotated[
        float | None,
        typer.Option(help="Give up after so many seconds, with 12; never if left out.", min=0),
    ] = None,
    every: Annotated[
        float, typer.Option(help="Seconds between two questions, 1 at least.", min=1)
    ] = _EVERY_S,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Follow a study until it is closed: what changes, the sum of its slots, the next deadline.

    A service that does not answer is asked again until the time is up.
    """
    last: Progress | None = None
    with connect(url) as client:
        for now in changes(client, study, Watch(every, timeout, told=say)):
            changed = now.since(last)
            for line in _told(now, changed if last is not None else ()):
                say(line)
            if as_json:
                emit({**_facts(now), "changed": _rows(changed)}, (), as_json=True)
            last = now
    if last is None or last.state != CLOSED:
        say("the time is up and the study is not closed")
        raise typer.Exit(SLOTS_OPEN_OR_MISSING)
    if not as_json:
        emit({}, [f"{last.state}  {last.sum}"], as_json=False)


def end(
    study: StudyArgument,
    *,
    why: Annotated[str, typer.Option(help="Why it cannot go on, in one line.", metavar="TEXT")],
    phase: Annotated[Phase, typer.Option(help="When it happened.")] = Phase.MEASURED,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would become missing; send nothing.")
    ] = False,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """End a study that cannot go on, for ever: a deviation that says so stands in the log.

    Open slots become missing at once; reserved ones may still be filled until their deadline. What
    is missing stays in every sum.
    """
    members: Document = {
        "study": study,
        "slots": [],
        "what": why,
        "phase": phase.value,
        "restored": None,
        "ends_study": True,
    }
    with connect(url) as client:
        answer: Document = {}
        if not dry_run:
            envelope = envelope_of("deviation", members, client=client, key=key)
            answer = client.append("deviation", envelope)
        now = look(client, study)
    lost = now.of_state("OPEN" if dry_run else "MISSING")
    held = [one for one in now.slots if one.state == "RESERVED"]
    lines = [
        *(f"{name:<9}  {answer[name]}" for name in ("statement", "index") if not dry_run),
        f"{'would become missing' if dry_run else 'missing'}: {' '.join(lost) or 'none'}",
        *(f"reserved until {one.deadline}: {one.slot}" for one in held),
        f"{now.state}  {now.sum}",
    ]
    result = {**answer, "study": study, "state": now.state, "missing": lost, "sent": not dry_run}
    emit({**result, "reserved": _rows(held)}, lines, as_json=as_json)


def _facts(now: Progress) -> Document:
    return {**now.study, "next_deadline": now.next_deadline}


def _rows(slots: Iterable[SlotPlace]) -> list[Document]:
    return [{"slot": one.slot, "state": one.state, "deadline": one.deadline} for one in slots]


def _told(now: Progress, changed: Iterable[SlotPlace]) -> list[str]:
    moved = [f"{one.slot} is {one.state}" for one in changed]
    grid = [f"  {line}" for line in now.grid()]
    return [*moved, f"{now.state}  {now.sum}", *_deadline(now), *grid]


def _deadline(now: Progress) -> list[str]:
    return [] if now.next_deadline is None else [f"next deadline {now.next_deadline}"]
