# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any value of it
"""A study and a receipt for one of its slots, beside no ledger."""

from typing import Any

from msgspec.structs import replace

from app.core.protocol.plan import plan
from app.core.receipt.outcome import Outcome, outcome_of
from app.core.receipt.times import Times
from app.core.statement.capture import StreamsCapture
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import Replay, StudyPredicate
from tests.documents import document, streams_cell
from tests.facts import capture, identities, topology
from tests.makers import Maker

DOCUMENT = document()
MAKER = Maker(genesis_digest="0" * 64)
REPLAYED = Replay(source="a public thread", not_published=[])


def study(**changes: Any) -> StudyPredicate:
    """Return the pins of a study whose arms all run the head."""
    predicate = MAKER.study(DOCUMENT, closes_at_us=0, **changes).parsed.predicate
    assert isinstance(predicate, StudyPredicate)
    return predicate


STUDY = study()


def receipt(slot: str = "B/C2-canary/1", **changes: Any) -> ReceiptPredicate:
    """Return what a receipt says whose identities are as pinned in ``STUDY``."""
    draft = MAKER.receipt(
        STUDY,
        capture(),
        study_digest="1" * 64,
        reservation="2" * 64,
        slot=slot,
        challenge="3" * 64,
        **changes,
    )
    assert isinstance(draft.parsed.predicate, ReceiptPredicate)
    return draft.parsed.predicate


def with_identities(slot: str = "B/C2-canary/1", **changes: Any) -> ReceiptPredicate:
    """Return a receipt with some identities changed."""
    return receipt(slot, identities=identities(STUDY.arms[slot.partition("/")[0]], **changes))


def with_topology(slot: str = "B/C2-canary/1", **changes: Any) -> ReceiptPredicate:
    """Return a receipt with members of its topology changed."""
    return receipt(slot, topology=topology(STUDY.arms[slot.partition("/")[0]], **changes))


def outcome(
    seen: StreamsCapture | None = None,
    *,
    said: ReceiptPredicate | None = None,
    pins: StudyPredicate = STUDY,
    locked: ProtocolDocument = DOCUMENT,
    times: Times | None = None,
) -> Outcome:
    """Return what a receipt makes of its slot."""
    whole = said or receipt()
    slot = next(one for one in plan(locked) if one.id == whole.slot)
    return outcome_of(whole, seen or capture(), document=locked, study=pins, slot=slot, times=times)


def cell(**changes: Any) -> ProtocolDocument:
    """Return the document with members of its one cell changed."""
    return replace(DOCUMENT, cells=[replace(streams_cell(DOCUMENT), **changes)])
