# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Makes signed statements of every kind for a ledger that stands anywhere: here, or behind REST.

Every method takes ``changes``: members of the predicate that are to be another than they should.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace as changed

from app.core.admission.due import DueClosure
from app.core.digest import sha256_hex
from app.core.identity import Scope, instant_of
from app.core.protocol.lint import lint
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.encoding import encode
from app.core.statement.policy import Claim, PolicyPredicate, RequiredScope
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import CaptureRef, ReceiptPredicate, Tool
from app.core.statement.refusal import RefusalPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.study import Head, Owners, Replay, StudyPredicate
from app.core.statement.verdict import VerdictDocument, VerdictPredicate
from tests import documents, facts
from tests.drafts import Draft, signing_key
from tests.signing import Signing


@dataclass(kw_only=True, slots=True)
class Maker(Signing):
    """Makes drafts of every kind for one ledger, repository and head."""

    def policy(
        self,
        *,
        protocols: Sequence[str],
        claims: Sequence[str] = ("land",),
        scopes: Sequence[Scope] = (Scope.LIVE_CORRECTNESS,),
        supersedes: str | None = None,
        signer: str = "maintainer",
        **changes: Any,
    ) -> Draft:
        """Make a policy whose claims all require the same scopes by the same protocols."""
        required = [RequiredScope(scope=scope, protocols=list(protocols)) for scope in scopes]
        question = "May the source land with defaults unchanged?"
        predicate = PolicyPredicate(
            **self.header(signer),
            repository=self.repository,
            supersedes=supersedes,
            tracked_branch=None,
            claims=[Claim(name=name, question=question, required=required) for name in claims],
            holds_cleared_by=["maintainer"],
        )
        subject = (self.repository, sha256_hex(self.repository.encode()))
        return self.draft("policy", changed(predicate, **changes), signer, subject=subject)

    def lock(
        self,
        document: ProtocolDocument,
        *,
        supersedes: str | None = None,
        signer: str = "maintainer",
        **changes: Any,
    ) -> Draft:
        """Make a lock that acknowledges exactly the document's warnings."""
        warnings = {f.code for f in lint(document) if f.severity == "warning"}
        predicate = ProtocolPredicate(
            **self.header(signer),
            repository=self.repository,
            document=document,
            acknowledged_warnings=sorted(warnings),
            supersedes=supersedes,
            reason=None if supersedes is None else "A limit was too loose.",
        )
        whole = changed(predicate, **changes)
        subject = (f"protocol/{whole.document.name}", document_digest(whole.document))
        return self.draft("protocol", whole, signer, subject=subject)

    def study(
        self,
        document: ProtocolDocument,
        *,
        closes_at_us: int,
        ordinal: int = 1,
        runners: Sequence[str] = ("runner",),
        signer: str = "maintainer",
        replay: Replay | None = None,
        **changes: Any,
    ) -> Draft:
        """Make the opening of a study whose arms all run the head."""
        predicate = StudyPredicate(
            **self.header(signer),
            repository=self.repository,
            protocol=document_digest(document),
            ordinal=ordinal,
            head=Head(commit=self.head, tree=documents.commit("tree")),
            base=documents.commit("base"),
            change="180",
            exploratory=False,
            replay=replay,
            owners=Owners(maintainer="mara", author="avery", runner="rosa"),
            arms={arm.id: facts.pin(arm.id, head=self.head) for arm in document.arms},
            models=facts.MODELS,
            topology=facts.TOPOLOGY,
            harness=facts.HARNESS,
            runners=[signing_key(label).key_id for label in runners],
            closes_at=instant_of(closes_at_us),
        )
        return self.draft("study", changed(predicate, **changes), signer)

    def reservation(
        self,
        study: str,
        slots: Sequence[str],
        *,
        attempt: int = 1,
        signer: str = "runner",
        **changes: Any,
    ) -> Draft:
        """Make a reservation of slots in this order."""
        predicate = ReservationPredicate(
            **self.header(signer), study=study, slots=list(slots), attempt=attempt, host="driver-1"
        )
        return self.draft("reservation", changed(predicate, **changes), signer)

    def receipt(
        self,
        study: StudyPredicate,
        capture: Capture,
        *,
        study_digest: str,
        reservation: str,
        slot: str,
        challenge: str,
        attempt: int = 1,
        signer: str = "runner",
        **changes: Any,
    ) -> Draft:
        """Make a receipt that says the pinned arm ran and ``capture`` is what was seen."""
        pinned = study.arms[slot.split("/", maxsplit=1)[0]]
        data = encode(capture)
        reference = CaptureRef(sha256=sha256_hex(data), size=len(data), schema=capture.schema)
        predicate = ReceiptPredicate(
            **self.header(signer),
            reservation=reservation,
            study=study_digest,
            slot=slot,
            attempt=attempt,
            challenge=challenge,
            binding="echoed",
            capture=reference,
            identities=facts.identities(pinned, models=study.models, harness=study.harness),
            topology=facts.topology(pinned),
            originals=[],
            claims={},
            started_at=None,
            finished_at=None,
            tool=Tool(name="fairtrial", version="0.1.0"),
        )
        return self.draft("receipt", changed(predicate, **changes), signer, capture=capture)

    def deviation(
        self,
        study: str,
        slots: Sequence[str] = (),
        *,
        ends_study: bool = False,
        signer: str = "maintainer",
        **changes: Any,
    ) -> Draft:
        """Make a deviation."""
        predicate = DeviationPredicate(
            **self.header(signer),
            study=study,
            slots=list(slots),
            what="The node was rebooted by hand.",
            phase="before",
            restored=True,
            ends_study=ends_study,
        )
        return self.draft("deviation", changed(predicate, **changes), signer)

    def refusal(
        self, study: str, reservation: str, slot: str, *, signer: str = "ledger", **changes: Any
    ) -> Draft:
        """Make the ledger's record of refused content."""
        predicate = RefusalPredicate(
            **self.header(signer),
            study=study,
            reservation=reservation,
            slot=slot,
            attempt=1,
            code="not-sanitized",
            rule="private-address",
            pointer="/claims/note",
            content=None,
        )
        return self.draft("refusal", changed(predicate, **changes), signer)

    def closure(self, due: DueClosure, *, signer: str = "ledger", **changes: Any) -> Draft:
        """Make the ledger's closure of a study."""
        header = self.header(signer)
        predicate = due.predicate(ledger=header["ledger"], signer=header["signer"])
        return self.draft("closure", changed(predicate, **changes), signer)

    def verdict(self, document: VerdictDocument, *, signer: str = "ledger") -> Draft:
        """Make the ledger's verdict."""
        return self.draft(
            "verdict", VerdictPredicate(**self.header(signer), document=document), signer
        )
