# SPDX-License-Identifier: Apache-2.0
"""What the page of one head is made from, read so that all of it is of one and the same state.

Verdicts, lines and captures come from separate reads; entries may be appended between them. They
are read again until the verdicts name the very lengths of the lines that were read beside them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.admission.state import Standing
from app.core.errors import LedgerBusy, SchemaViolation, SealedUntilClosure, UnknownThing
from app.core.statement.capture import Capture
from app.core.statement.parse import parse_capture, parse_verdict_document
from app.core.statement.verdict import StudyRecord, VerdictDocument
from app.core.study.state import Attempt, ReceiptState, StudyState
from app.service.ledger import Ledger
from app.service.witnessing import WitnessStanding

_TRIES: Final = 5
MOST_CAPTURES: Final = 400
"""So many captures are drawn stream by stream on one page; above, each has its own page only."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One claim's document and the digest of its bytes."""

    document: VerdictDocument
    digest: str


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """A study as the verdict records it, beside the study itself."""

    record: StudyRecord
    state: StudyState

    @property
    def name(self) -> str:
        """What the study is called on the page."""
        protocol = self.record.protocol
        return f"Study {self.record.ordinal} ({protocol.name} v{protocol.version})"

    def attempts(self) -> Iterator[tuple[str, Attempt]]:
        """Return every attempt with its slot's id, in plan order."""
        for identity, slot in self.state.slots.items():
            for attempt in slot.attempts:
                yield identity, attempt

    def receipts(self) -> Iterator[tuple[str, Attempt, ReceiptState]]:
        """Return every receipt, late and conflicting ones included."""
        for identity, attempt in self.attempts():
            for receipt in attempt.receipts:
                yield identity, attempt, receipt


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """Everything a head's page may say.

    Attributes:
        verdicts: one per claim, at least one.
        captures: of closed studies, by digest.
        captures_left_out: there are more captures than one page draws.
        checkpoint: the newest signed note.
        witnesses: what each witness that the ledger names has cosigned last.
    """

    repository: str
    head: str
    verdicts: tuple[Verdict, ...]
    studies: tuple[StudyFacts, ...]
    standing: Standing
    captures: Mapping[str, Capture]
    captures_left_out: bool
    checkpoint: str
    witnesses: tuple[WitnessStanding, ...]

    @property
    def document(self) -> VerdictDocument:
        """The first claim's document: what is not about a claim is the same in all."""
        return self.verdicts[0].document


async def head_facts(ledger: Ledger, repository: str, head: str) -> HeadFacts:
    """Read what the page of ``head`` is made from.

    Raises:
        UnknownThing: ``unknown-repository``.
        LedgerBusy: the head's lines grow faster than they can be read.
    """
    for _ in range(_TRIES):
        verdicts = await read_verdicts(ledger, repository, head)
        standing = await ledger.standing(repository, head)
        if _is_of(standing, verdicts[0].document):
            break
    else:
        message = "This head's lines are growing just now; load the page again."
        raise LedgerBusy(message)
    studies = _paired(verdicts[0].document.studies, standing)
    wanted = wanted_captures(studies)
    left_out = len(wanted) > MOST_CAPTURES
    return HeadFacts(
        repository=repository,
        head=head,
        verdicts=verdicts,
        studies=studies,
        standing=standing,
        captures={} if left_out else await read_captures(ledger, wanted),
        captures_left_out=left_out,
        checkpoint=(await ledger.checkpoint()).decode(),
        witnesses=ledger.witnesses(),
    )


async def read_verdicts(ledger: Ledger, repository: str, head: str) -> tuple[Verdict, ...]:
    """Read the documents of every claim."""
    found = await ledger.verdicts(repository, head)
    return tuple(Verdict(parse_verdict_document(one.document), one.digest) for one in found)


async def read_captures(ledger: Ledger, digests: Sequence[str]) -> dict[str, Capture]:
    """Read those captures that are given out now and that this version can read.

    What is left out stands on the page as a receipt whose capture is not given out.
    """
    found = {}
    for digest in digests:
        try:
            found[digest] = parse_capture(await ledger.capture(digest))
        except (SealedUntilClosure, SchemaViolation, UnknownThing):
            continue
    return found


def wanted_captures(studies: Sequence[StudyFacts]) -> list[str]:
    """Return the captures of closed studies, each once."""
    named = (
        receipt.predicate.capture.sha256
        for study in studies
        if not study.record.sealed
        for _, _, receipt in study.receipts()
    )
    return list(dict.fromkeys(named))


def _is_of(standing: Standing, document: VerdictDocument) -> bool:
    head = standing.head
    lengths = (standing.ledger.length, standing.repository.length, head.length if head else 0)
    as_of = document.as_of
    return lengths == (as_of.ledger, as_of.repository, as_of.head)


def _paired(records: Sequence[StudyRecord], standing: Standing) -> tuple[StudyFacts, ...]:
    head = standing.head
    states = {} if head is None else {study.digest: study for study in head.studies}
    return tuple(StudyFacts(record, states[record.study]) for record in records)
