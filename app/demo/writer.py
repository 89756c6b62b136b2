# SPDX-License-Identifier: Apache-2.0
"""Writes a story through the same door that REST uses: receive, admit, append.

Nothing here is told to the ledger that a client could not send: statements are signed with
registered keys, captures travel beside their receipts, and challenges come from the ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.core.digest import sha256_hex
from app.core.identity import Role, instant_of
from app.core.log.leaf import next_challenge
from app.core.protocol.lint import lint
from app.core.signing.keys import SigningKey
from app.core.statement.capture import Capture
from app.core.statement.decision import DecisionPredicate
from app.core.statement.deviation import DeviationPredicate
from app.core.statement.encoding import encode
from app.core.statement.header import LedgerRef
from app.core.statement.hold import HoldPredicate
from app.core.statement.policy import Claim, PolicyPredicate
from app.core.statement.protocol import ProtocolPredicate
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.reservation import ReservationPredicate
from app.core.statement.review import ReviewPredicate
from app.core.statement.study import StudyPredicate
from app.demo.clock import MINUTE, SECOND, ScriptedClock
from app.demo.facts import ReceiptFacts, identities_of, topology_of
from app.runner.compose import (
    Draft,
    HeadPlace,
    compressed,
    draft_on_head,
    draft_wide,
    encoded_capture,
)
from app.runner.registration import Seat, registration
from app.service.answers import Appended
from app.service.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Keys:
    """One person's keys: a demo ledger is governed by one."""

    admin: SigningKey
    maintainer: SigningKey
    runner: SigningKey
    reviewer: SigningKey

    def by_role(self) -> tuple[tuple[Role, SigningKey], ...]:
        """Return the keys that a genesis does not register."""
        return (
            (Role.MAINTAINER, self.maintainer),
            (Role.RUNNER, self.runner),
            (Role.REVIEWER, self.reviewer),
        )


@dataclass(frozen=True, slots=True)
class OpenStudy:
    """A study and what its receipts must repeat."""

    digest: str
    predicate: StudyPredicate
    document: ProtocolDocument

    @property
    def place(self) -> HeadPlace:
        """The head it stands on."""
        return HeadPlace(self.predicate.repository, self.predicate.head.commit)


@dataclass(slots=True)
class Taken:
    """Slots of one reservation, and the challenge of the next one to be filled."""

    digest: str
    slots: list[str]
    challenge: str
    attempt: int


class Writer:
    """Speaks with every key of the demo; time passes as it writes."""

    def __init__(self, ledger: Ledger, clock: ScriptedClock, keys: Keys, *, holder: str) -> None:
        """Write into a ledger that is started."""
        self._ledger = ledger
        self._clock = clock
        self._keys = keys
        self._holder = holder
        self._audience = LedgerRef(origin=ledger.origin, genesis=ledger.genesis)

    @property
    def runner(self) -> str:
        """Key id of the one runner."""
        return self._keys.runner.key_id

    def now(self, *, after_us: int = 0) -> str:
        """Return the story's time, ``after_us`` later."""
        return instant_of(self._clock.now_us() + after_us)

    def pass_time(self, us: int) -> None:
        """Let time pass."""
        self._clock.advance(us)

    async def register_keys(self, repositories: Sequence[str]) -> None:
        """Register maintainer, runner and reviewer for ``repositories``."""
        for role, key in self._keys.by_role():
            draft = registration(
                key.public,
                Seat(role, repositories, self._holder),
                ledger=self._audience,
                admin=self._keys.admin.key_id,
                checkpoint=await self._ledger.checkpoint(),
            )
            await self._append(draft, self._keys.admin, key)

    async def lock(
        self,
        repository: str,
        document: ProtocolDocument,
        *,
        supersedes: str | None = None,
        reason: str | None = None,
    ) -> str:
        """Lock a document with every warning of the lint acknowledged; return its digest."""
        warnings = dict.fromkeys(one.code for one in lint(document) if one.severity == "warning")
        predicate = ProtocolPredicate(
            ledger=self._audience,
            signer=self._keys.maintainer.key_id,
            annotations={},
            repository=repository,
            document=document,
            acknowledged_warnings=list(warnings),
            supersedes=supersedes,
            reason=reason,
        )
        await self._append(draft_wide(predicate), self._keys.maintainer)
        return sha256_hex(encode(document))

    async def set_policy(
        self, repository: str, claims: Sequence[Claim], *, supersedes: str | None = None
    ) -> str:
        """Put a policy in force that tracks no branch; return its digest."""
        predicate = PolicyPredicate(
            ledger=self._audience,
            signer=self._keys.maintainer.key_id,
            annotations={},
            repository=repository,
            supersedes=supersedes,
            tracked_branch=None,
            claims=list(claims),
            holds_cleared_by=["maintainer", "reviewer"],
        )
        return (await self._append(draft_wide(predicate), self._keys.maintainer)).digest

    async def open(self, study: StudyPredicate, document: ProtocolDocument) -> OpenStudy:
        """Open a study."""
        appended = await self._append(draft_wide(study), self._keys.maintainer)
        return OpenStudy(appended.digest, study, document)

    def header(self) -> tuple[LedgerRef, str]:
        """Return what a maintainer's predicate begins with: audience and signer."""
        return self._audience, self._keys.maintainer.key_id

    async def reserve(self, study: OpenStudy, slots: Sequence[str], *, host: str) -> Taken:
        """Reserve slots in order."""
        predicate = ReservationPredicate(
            ledger=self._audience,
            signer=self._keys.runner.key_id,
            annotations={},
            study=study.digest,
            slots=list(slots),
            attempt=1,
            host=host,
        )
        appended = await self._append(draft_on_head(predicate, study.place), self._keys.runner)
        assert appended.challenge is not None  # noqa: S101 - a reservation's answer has one
        return Taken(appended.digest, list(slots), appended.challenge, 1)

    async def push(
        self, study: OpenStudy, taken: Taken, capture: Capture, facts: ReceiptFacts
    ) -> str:
        """Fill the next slot of a reservation; return the receipt's digest."""
        slot = taken.slots.pop(0)
        data, ref = encoded_capture(capture)
        predicate = ReceiptPredicate(
            ledger=self._audience,
            signer=self._keys.runner.key_id,
            annotations=dict(facts.annotations),
            reservation=taken.digest,
            study=study.digest,
            slot=slot,
            attempt=taken.attempt,
            challenge=taken.challenge,
            binding="echoed",
            capture=ref,
            identities=identities_of(study.predicate, study.document, slot, facts),
            topology=topology_of(study.predicate, slot, facts),
            originals=[],
            claims=dict(facts.claims),
            started_at=None,
            finished_at=None,
            tool=facts.tool,
        )
        draft = draft_on_head(predicate, study.place)
        self._clock.advance(MINUTE)
        appended = await self._append(draft, self._keys.runner, capture=compressed(data))
        taken.challenge = next_challenge(taken.challenge, appended.digest)
        return appended.digest

    async def deviate(  # noqa: PLR0913  each is a member of the statement
        self,
        study: OpenStudy,
        what: str,
        *,
        phase: str,
        slots: Sequence[str] = (),
        restored: bool | None = None,
        ends_study: bool = True,
    ) -> None:
        """Say what did not go as locked, and, unless told otherwise, end the study."""
        predicate = DeviationPredicate(
            ledger=self._audience,
            signer=self._keys.maintainer.key_id,
            annotations={},
            study=study.digest,
            slots=list(slots),
            what=what,
            phase=phase,  # type: ignore[arg-type]  # read back by the core's reader below
            restored=restored,
            ends_study=ends_study,
        )
        await self._append(draft_on_head(predicate, study.place), self._keys.maintainer)

    async def hold(self, hold: Callable[[LedgerRef, str], HoldPredicate]) -> str:
        """Place or clear a hold as the reviewer; return its digest.

        Args:
            hold: makes it from audience and signer.
        """
        predicate = hold(self._audience, self._keys.reviewer.key_id)
        return (await self._append(draft_wide(predicate), self._keys.reviewer)).digest

    async def review(
        self, place: HeadPlace, review: Callable[[LedgerRef, str], ReviewPredicate]
    ) -> str:
        """Review a head as the reviewer; return the review's digest."""
        predicate = review(self._audience, self._keys.reviewer.key_id)
        draft = draft_on_head(predicate, place)
        return (await self._append(draft, self._keys.reviewer)).digest

    async def decide(
        self, place: HeadPlace, decision: Callable[[LedgerRef, str], DecisionPredicate]
    ) -> str:
        """Decide about a head as the maintainer; return the decision's digest."""
        predicate = decision(self._audience, self._keys.maintainer.key_id)
        draft = draft_on_head(predicate, place)
        return (await self._append(draft, self._keys.maintainer)).digest

    async def _append(
        self, draft: Draft, *signers: SigningKey, capture: bytes | None = None
    ) -> Appended:
        self._clock.advance(SECOND)
        envelope = draft.signed(*signers)
        return await self._ledger.submit(envelope, kind=draft.kind, capture=capture)
