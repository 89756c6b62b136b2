# SPDX-License-Identifier: Apache-2.0
"""What the ledger answers to a statement that it holds already: where it stands, what it counts as.

The same statement again is no error: whoever lost a reply sends it once more and learns the same.
"""

from __future__ import annotations

from app.core.admission.request import Effect
from app.core.admission.state import HeadState
from app.core.log.leaf import RESERVATION, challenge_of, parse_leaf
from app.core.statement.parse import Parsed
from app.core.statement.receipt import ReceiptPredicate
from app.service.answers import Appended, FoundProof


def answer_again(parsed: Parsed, proof: FoundProof, effect: Effect) -> Appended:
    """Return where the same statement stood before, with the proof of today."""
    leaf = parse_leaf(proof.record)
    return Appended(
        index=proof.index,
        digest=parsed.digest,
        kind=parsed.kind,
        leaf=leaf,
        proof=proof.proof,
        size=proof.size,
        checkpoint=proof.checkpoint,
        effect=effect,
        created=False,
        challenge=challenge_of(leaf) if leaf.kind == RESERVATION else None,
    )


def effect_now(receipt: ReceiptPredicate, digest: str, head: HeadState) -> Effect:
    """Return what the receipt ``digest``, which stands on the line of ``head``, counts as now.

    Of several in one attempt the first that was not late is scored.
    """
    attempts = [study.attempt_of(receipt.slot, receipt.attempt) for study in head.studies]
    ((own, beside),) = [
        (one, attempt.receipts)
        for attempt in attempts
        if attempt is not None
        for one in attempt.receipts
        if one.digest == digest
    ]
    if own.late:
        return Effect.LATE
    if any(not one.late and one.index < own.index for one in beside):
        return Effect.CONFLICTING
    return Effect.SCORED if own.outcome.measured else Effect.NOT_MEASURED
