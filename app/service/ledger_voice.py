# SPDX-License-Identifier: Apache-2.0
"""What the ledger itself says: closures, verdicts and refusals, composed and signed.

They hold nothing that cannot be derived, or in a refusal nothing of what was refused.
"""

from __future__ import annotations

from app.core.admission.due import DueClosure
from app.core.signing.envelope import to_json
from app.core.statement.header import (
    STATEMENT_TYPE,
    CommitDigest,
    Header,
    HeadSubject,
    LedgerRef,
    Statement,
    head_name,
)
from app.core.statement.kinds import predicate_type
from app.core.statement.parse import encode, parse_statement
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.verdict import VerdictDocument, VerdictPredicate
from app.service.lines import HeadName
from app.service.ports import LogSigner
from app.service.receive_statement import Candidate
from app.service.refused_content import Refused


class LedgerVoice:
    """Composes and signs with the statement key."""

    def __init__(self, signer: LogSigner, ledger: LedgerRef) -> None:
        """Speak with ``signer`` for the ledger that its genesis names."""
        self._signer = signer
        self._ledger = ledger

    def closure(self, name: HeadName, due: DueClosure) -> Candidate:
        """Return the closure of a study."""
        predicate = due.predicate(ledger=self._ledger, signer=self._signer.statement_key_id)
        return self._signed(name, "closure", predicate)

    def verdict(self, name: HeadName, document: VerdictDocument) -> Candidate:
        """Return the record of a verdict."""
        predicate = VerdictPredicate(
            ledger=self._ledger,
            signer=self._signer.statement_key_id,
            annotations={},
            document=document,
        )
        return self._signed(name, "verdict", predicate)

    def refusal(self, name: HeadName, refused: Refused, *, nth: int) -> Candidate:
        """Return the record of a refusal, the ``nth`` of its attempt.

        Two refusals of one attempt may say the same; the number makes them two statements.
        """
        claim = refused.claim
        predicate = RefusalPredicate(
            ledger=self._ledger,
            signer=self._signer.statement_key_id,
            annotations={"refusal": str(nth)},
            study=claim.study,
            reservation=claim.reservation,
            slot=claim.slot,
            attempt=claim.attempt,
            code=refused.code,
            rule=refused.rule,
            pointer=refused.pointer,
            content=refused.content,
        )
        return self._signed(name, "refusal", predicate)

    def _signed(self, name: HeadName, kind: str, predicate: Header) -> Candidate:
        subject = HeadSubject(
            name=head_name(name.repository), digest=CommitDigest(gitCommit=name.head)
        )
        payload = encode(
            Statement(
                type_=STATEMENT_TYPE,
                subject=[subject],
                predicate_type=predicate_type(kind),
                predicate=predicate,
            )
        )
        envelope = self._signer.sign_statement(payload)
        # Read back: what the ledger says has its kind's shape, or is not said.
        parsed = parse_statement(payload, expect=kind)
        return Candidate(parsed, to_json(envelope), frozenset((parsed.signer,)))
