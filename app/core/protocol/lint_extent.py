# SPDX-License-Identifier: Apache-2.0
"""Lint: a protocol has an end, a size that can be run, and no word that must stay unwritten."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from app.core.protocol.cells import streams_cells
from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_reach import LEAST_US
from app.core.protocol.lint_references import Rule, error
from app.core.protocol.patch import Patch, put, remove
from app.core.protocol.plan import planned_slots
from app.core.statement.protocol_document import JobsCell, ProtocolDocument, StreamsCell

LONGEST_US: Final = 90 * 86_400 * 1_000_000
"""Ninety days: the longest a study may be open, and a reservation may last."""
MOST_SLOTS: Final = 10_000

_CREDENTIAL: Final = re.compile(
    r"(^|[_.-])(secrets?|passwords?|passwd|passphrase|credentials?|authorization|bearer|cookies?)"
    r"([_.-]|$)|(^|[_.-])(api|access|private|auth|session|refresh|client|service|login|hf|hub|git"
    r"|github|gitlab)[_.-]?(key|token)([_.-]|$)|^(key|token)$",
    re.IGNORECASE,
)
_TEXT: Final = re.compile(r"(^|[_.-])(prompts?|messages?|instructions?)$", re.IGNORECASE)
_WORD: Final = re.compile(r"(?<![^\s])[A-Za-z']+[,.;:?!]?(?![^\s])")
_SENTENCE: Final = 6
"""So many words in a row of a setting are text and no setting."""


def windows(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Nothing stays open for ever: neither a study nor a reservation."""
    for pointer, given in (
        ("/window/max_us", document.window.max_us),
        ("/reservation/allowance_us", document.reservation.allowance_us),
    ):
        if given > LONGEST_US:
            detail = "Longer than ninety days is without an end for whoever waits for the result."
            formula = f"{given} > {LONGEST_US} us"
            change = put(pointer, LONGEST_US)
            yield error("E_UNBOUNDED_WINDOW", pointer, detail, formula, change)


def meetable(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A slot lasts long enough to be run, and its reservation and study as long as the slot."""
    deadlines = [
        (index, cell.ends.slot_deadline_us, _latest_start_us(cell))
        for index, cell in enumerate(document.cells)
        if isinstance(cell, StreamsCell | JobsCell)
    ]
    for index, deadline, start in deadlines:
        least = max(LEAST_US, start + 1)
        if deadline < least:
            detail = (
                "No slot comes to an end so soon, so nothing in the cell can ever be complete: "
                "decide on a deadline that an unchanged server meets."
            )
            place = f"/cells/{index}/ends/slot_deadline_us"
            yield error("E_CANNOT_PASS", place, detail, f"{deadline} us < {least} us")
    longest = max((deadline for _, deadline, _ in deadlines), default=LEAST_US)
    for pointer, given in (
        ("/reservation/allowance_us", document.reservation.allowance_us),
        ("/window/max_us", document.window.max_us),
    ):
        if given < longest:
            detail = (
                "It ends before a slot's own deadline, so whoever is slow is abandoned and not "
                "seen to be."
            )
            formula, change = f"{given} us < {longest} us", put(pointer, longest)
            yield error("E_DEADLINE_LT_LIMIT", pointer, detail, formula, change)


def _latest_start_us(cell: StreamsCell | JobsCell) -> int:
    """Return the latest planned delay of a stream, from slot start or from another's event."""
    if isinstance(cell, JobsCell):
        return 0
    return max(
        0 if each.starts.delay_us is UNSET else each.starts.delay_us for each in cell.streams
    )


def size(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A plan is of a size that can be run and read."""
    planned = planned_slots(document)
    if planned > MOST_SLOTS:
        detail = (
            "More slots are planned than one study may have: decide on fewer repetitions, or lock "
            "several protocols."
        )
        formula = f"{planned} > {MOST_SLOTS}"
        yield error("E_TOO_MANY_SLOTS", "/cells", detail, formula)


def concurrency(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A cell's concurrency is the number of its streams."""
    for index, cell in streams_cells(document):
        if cell.concurrency != len(cell.streams):
            detail = "The streams of a cell are what contends, so their number is its concurrency."
            formula = f"{cell.concurrency} != {len(cell.streams)} streams"
            pointer = f"/cells/{index}/concurrency"
            change = put(pointer, len(cell.streams))
            yield error("E_CONCURRENCY", pointer, detail, formula, change)


def secrets(document: ProtocolDocument) -> Iterator[LintFinding]:
    """No setting is a credential or the text of a prompt."""
    settings = {f"/arms/{index}/settings": arm.settings for index, arm in enumerate(document.arms)}
    for pointer, members in (settings | {"/request_controls": document.request_controls}).items():
        for name, value in members.items():
            place = f"{pointer}/{name}"
            if _CREDENTIAL.search(name) or _TEXT.search(name):
                detail = "A name of a credential or of a text; what is locked is published."
                yield error("E_SECRET_FIELD", place, detail, change=remove(place))
            elif len(_WORD.findall(value)) >= _SENTENCE:
                detail = "A setting that reads like a prompt; what is locked is published."
                yield error("E_SECRET_FIELD", place, detail, change=remove(place))
    for name in sorted({*document.varies, *document.disclosed_settings}):
        if _CREDENTIAL.search(name):
            detail = f"{name} is the name of a credential, and its value would be published."
            change = _without(document, name)
            yield error("E_SECRET_FIELD", "/disclosed_settings", detail, change=change)


def _without(document: ProtocolDocument, name: str) -> Patch:
    """Return the patch that neither discloses nor varies a setting."""
    listed = (("/disclosed_settings", document.disclosed_settings), ("/varies", document.varies))
    patch: Patch = ()
    for place, names in listed:
        if name in names:
            patch += put(place, [each for each in names if each != name])
    return patch


RULES: Final[tuple[Rule, ...]] = (windows, meetable, size, concurrency, secrets)
