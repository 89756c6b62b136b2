# SPDX-License-Identifier: Apache-2.0
"""What judging a large study costs, beside reading its captures with ``json.loads``.

The study has 8 arms, 12 cells and 10 repetitions, so 960 slots, each with 4 streams of 1,024
content events. In every cell each arm has a gate on its worst lane, on the ratio of its lanes and
on silence, and each candidate a comparison of settlement with the control in blocks.

A ratio is of two works that ran directly after one another, in this process, by its own processor
time: every round does each work once, every other round backwards, so that neither is always the
first. Each figure is the median of the rounds' ratios, and behind it stand the least and the
greatest of them; no round is left out. What is at hand before (texts, captures) is kept out of the
garbage collector's way, since no study would have another's beside it; what a work itself makes is
collected in its own time. Nothing here passes or fails: it prints.
"""

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import accumulate
from random import Random
from statistics import median
from time import process_time_ns
from typing import Any, Final

import msgspec

from app.core.protocol.plan import PlannedSlot, plan
from app.core.reason import Reason
from app.core.score.interval import Interval, finite
from app.core.score.judge import ScoredSlot, judge_study
from app.core.score.sign_flip import sign_flip
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from tests.contended import ROLE, cell, fairness, protocol, ratio
from tests.contended import seen as capture_of
from tests.facts import complete_stream

ARMS: Final = ("A", "B", "C", "D", "E", "F", "G", "H")
CELLS, REPETITIONS, LANES, EVENTS = 12, 10, 4, 1024
ROUNDS: Final = 7
SEED: Final = 20_260_919


def report() -> Iterator[str]:
    """Yield the figures, one a line."""
    document = study_document()
    slots, gates = len(plan(document)), len(document.gates)
    yield (
        f"seed {SEED}; {slots} slots, {LANES} streams each, {gates} gates; processor time, median "
        f"(least to greatest) of {ROUNDS} rounds"
    )
    works: dict[str, Callable[[], object]] = {}
    sizes = {}
    for events in (EVENTS, 4 * EVENTS):
        texts = [msgspec.json.encode(each) for each in captures(document, events)]
        sizes[events] = sum(map(len, texts)) / 1_000_000
        works |= {
            f"read {events}": partial(_each, _read, texts),
            f"loads {events}": partial(_each, json.loads, texts),
            f"judge {events}": partial(judge_study, document, _scored(document, texts)),
        }
    of_few, of_many = [*works.items()][:3], [*works.items()][3:]
    spent = _rounds([*of_few, *reversed(of_many)])
    for events, size in sizes.items():
        judged, read, loads = (spent[f"{work} {events}"] for work in ("judge", "read", "loads"))
        yield (
            f"{events} content events a stream ({size:.1f} MB): judging "
            f"{_ratios(judged, loads)} x json.loads, reading typed {_ratios(read, loads)} x, "
            f"json.loads {median(loads):.3f} s"
        )
    longer = _ratios(spent[f"judge {4 * EVENTS}"], spent[f"judge {EVENTS}"])
    yield f"judging 4 x the events: {longer} x as long"
    yield from _blocks()


def _rounds(works: Sequence[tuple[str, Callable[[], object]]]) -> dict[str, list[float]]:
    """Return the seconds of every work, round by round."""
    gc.collect()
    gc.freeze()
    spent: dict[str, list[float]] = {name: [] for name, _ in works}
    for number in range(ROUNDS):
        for name, work in reversed(works) if number % 2 else works:
            spent[name].append(_timed(work))
    gc.unfreeze()
    return spent


def _ratios(over: Sequence[float], under: Sequence[float]) -> str:
    """Return the median of the rounds' ratios, with the least and the greatest."""
    each = [one / other for one, other in zip(over, under, strict=True)]
    return f"{median(each):.2f} ({min(each):.2f} to {max(each):.2f})"


def study_document() -> ProtocolDocument:
    """Return the protocol: eight arms, of which the first is the control of all."""
    cells = [cell(f"C4-{number}", LANES, REPETITIONS) for number in range(CELLS)]
    gates = [
        gate for number in range(CELLS) for arm in ARMS for gate in _gates(arm, f"C4-{number}")
    ]
    made = protocol(*gates[:1], arms=("A", "B"))
    value: Any = msgspec.to_builtins(made)
    roles = ("control", *("candidate" for _ in ARMS[1:]))
    arms = [
        {"id": arm, "role": role, "settings": {"MODE": arm.lower()}}
        for arm, role in zip(ARMS, roles, strict=True)
    ]
    whole = {"arms": arms, "order": list(ARMS), "cells": cells, "gates": gates}
    return msgspec.convert(value | whole, ProtocolDocument)


def captures(document: ProtocolDocument, events: int) -> Iterator[StreamsCapture]:
    """Yield one capture for every planned slot, each stream with so many content events."""
    random = Random(SEED)
    for slot in plan(document):
        streams = []
        for number in range(LANES):
            first = random.randint(300_000, 600_000)
            gaps = [random.randint(8_000, 30_000) for _ in range(events - 1)]
            last = list(accumulate(gaps, initial=first))[-1]
            made = complete_stream(ROLE, number, first=first, last=last, tokens=101)
            streams.append(msgspec.structs.replace(made, content_gaps_us=gaps))
        yield capture_of(*streams, boot_id=f"{slot.arm}-{slot.cell}-{slot.repetition}".lower())


def _gates(arm: str, of: str) -> Iterator[Any]:
    """Yield what one arm is asked in one cell."""
    place = {"arm": arm, "cell": of}
    asked = [fairness(limit="30"), ratio(limit="9"), _bound("max_content_gap")]
    if arm != "A":
        asked += [_compared("settlement")]
    for number, gate in enumerate(asked):
        population = {**gate["population"], **place}
        yield gate | {"id": f"g{number}-{arm}-{of}".lower(), "population": population}


def _bound(name: str) -> Any:  # noqa: ANN401  a gate is any JSON
    base = fairness(limit="30")
    metric = {**base["metric"], "name": name}
    population = {**base["population"], "unit": "stream"}
    return base | {"kind": "bound", "metric": metric, "population": population}


def _compared(name: str) -> Any:  # noqa: ANN401  a gate is any JSON
    base = fairness()
    del base["statistic"]
    design = {"kind": "non_inferiority", "vs": ["A"], "margin": "0.2", "scale": "ratio"}
    return base | {
        "kind": "comparison",
        "claim": "population",
        "metric": {**base["metric"], "name": name},
        "slot_summary": "max",
        "population": {**base["population"], "unit": "block"},
        "comparison": {**design, "worse": "higher"},
    }


def _scored(document: ProtocolDocument, texts: list[bytes]) -> list[ScoredSlot]:
    return [_slot(slot, _read(text)) for slot, text in zip(plan(document), texts, strict=True)]


def _slot(planned: PlannedSlot, capture: StreamsCapture) -> ScoredSlot:
    return ScoredSlot(planned, "COMPLETE", None, (Reason.ALL_STREAMS_COMPLETE,), (capture,))


def _read(text: bytes) -> StreamsCapture:
    return msgspec.json.decode(text, type=StreamsCapture)


def _blocks() -> Iterator[str]:
    """Yield what the exact test of 32 blocks costs, beside that of 8."""
    random = Random(SEED)
    spent = {}
    for n in (8, 32):
        values = [
            [finite(random.randint(-(10**7), 10**6)) for _ in range(n)] for _ in range(ROUNDS)
        ]
        sides = [[Interval(end, end) for end in each] for each in values]
        spent[n] = median(_timed(partial(sign_flip, one)) for one in sides)
    yield f"exact sign-flip of 32 blocks, 2^32 subsets: {spent[32]:.3f} s, of 8 {spent[8]:.6f} s"


def _each(read: Callable[[bytes], object], texts: Sequence[bytes]) -> None:
    for text in texts:
        read(text)


def _timed(work: Callable[[], object]) -> float:
    begun = process_time_ns()
    work()
    return (process_time_ns() - begun) / 1_000_000_000
