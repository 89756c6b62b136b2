# SPDX-License-Identifier: Apache-2.0
"""What is not established: not claimed, not tested, not measured, not published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from app.core.verdict.explain import NEITHER
from app.core.verdict.numbers import NOT_RECORDED
from app.pages.facts import HeadFacts, StudyFacts
from app.pages.views.counted import NOT_TESTED, skipped_in
from app.pages.views.scopes import untested

_WITHOUT_VALUE: Final = frozenset(
    {"OPEN", "RESERVED", "MISSING", "ABANDONED", "WARMUP_FAILED", "INVALID"}
)
_NAMED: Final = 3
_UNDECIDED: Final = frozenset({"INCONCLUSIVE", "INVALID", "NOT_RUN"})


@dataclass(frozen=True, slots=True)
class NotEstablished:
    """One list with its heading."""

    heading: str
    items: tuple[str, ...]


def not_established(facts: HeadFacts) -> list[NotEstablished]:
    """Return everything the page must not be read as saying."""
    lists = [NotEstablished("No study on this head tests these scopes", tuple(untested(facts)))]
    for study in facts.studies:
        lists += _of_study(facts, study)
    return [one for one in lists if one.items]


def _of_study(facts: HeadFacts, study: StudyFacts) -> list[NotEstablished]:
    record = study.record
    replay = study.state.predicate.replay
    found = [
        NotEstablished(f"{study.name} does not claim", tuple(record.not_claimed)),
        NotEstablished(f"{study.name}: unmeasured or undecided", tuple(_unmeasured(study))),
        NotEstablished(f"{study.name}: checks that were skipped", tuple(_skipped(facts, study))),
        NotEstablished(f"{study.name}: noted in its receipts, never scored", tuple(_noted(study))),
    ]
    if not record.tests_head:
        tested = record.tested or "a commit that was not published"
        found.append(
            NotEstablished(
                f"{study.name}: another commit",
                (f"It tested {tested}. It establishes nothing about this head.",),
            )
        )
    if replay is not None:
        found += [
            NotEstablished(f"{study.name} is retold from a public source", _retold(replay.source)),
            NotEstablished(
                f"{study.name}: members that the source never published",
                tuple(replay.not_published),
            ),
        ]
    return found


def _retold(source: str) -> tuple[str, ...]:
    return (
        f"Source: {source}",
        "Instants by the clients' clocks are for display only.",
        "No capture of it was bound to a challenge of this ledger when it was made.",
    )


def _skipped(facts: HeadFacts, study: StudyFacts) -> list[str]:
    return [
        f"{NOT_RECORDED if count is None else f'{count:,}'} {NOT_TESTED} ({label}, suite {suite})"
        for label, suite, count in skipped_in(facts, study, study.record.judgements)
    ]


def _noted(study: StudyFacts) -> list[str]:
    """Return what the runner wrote beside its captures, each note once with its slots."""
    found: dict[tuple[str, str], list[str]] = {}
    for identity, _, receipt in study.receipts():
        for note in receipt.predicate.annotations.items():
            found.setdefault(note, []).append(identity)
    return [f"{name}: {text} ({_few(slots)})" for (name, text), slots in found.items()]


def _few(slots: list[str]) -> str:
    return ", ".join(slots) if len(slots) <= _NAMED else f"{len(slots)} receipts"


def _unmeasured(study: StudyFacts) -> list[str]:
    record = study.record
    if record.sealed:
        return ["Sealed until the study closes: nothing computed from its captures is shown."]
    slots = {slot.slot: slot.state for slot in record.slots if slot.state in _WITHOUT_VALUE}
    gates = {gate.gate: gate.state for gate in record.judgements if gate.state in _UNDECIDED}
    said = [*_by_state("Slots", slots), *_by_state("Gates", gates)]
    return [NEITHER, *said] if record.measured == 0 else said


def _by_state(what: str, states: Mapping[str, str]) -> list[str]:
    """Return one line a state, naming everything that is in it."""
    found: dict[str, list[str]] = {}
    for name, state in states.items():
        found.setdefault(state, []).append(name)
    return [f"{what} {state}: {', '.join(names)}" for state, names in found.items()]
