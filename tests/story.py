# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Whole ledgers in memory, for tests: real rules, keys, leaves and challenges, and a fake clock.

A ``Story`` makes a draft at each step (``story.make`` is its ``Maker``), admits it and folds it in,
a second after the step before. What admission raises it raises, and then nothing has happened.

    story = Story()
    story.genesis()
    story.register("maintainer", Role.MAINTAINER)
    story.lock()
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.core.admission.admit import Effect, admit
from app.core.admission.apply import apply
from app.core.admission.due import due_closures
from app.core.admission.line import head_of, line_of, repository_of
from app.core.admission.state import (
    HeadState,
    LedgerState,
    LineState,
    RepositoryState,
    Standing,
)
from app.core.digest import sha256_hex
from app.core.errors import Conflict
from app.core.identity import Role, instant_of
from app.core.log.leaf import Leaf, TreeHead
from app.core.log.merkle import Frontier
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.entry import Entry
from app.core.statement.key import CheckpointRef
from app.core.statement.protocol_document import ProtocolDocument
from app.core.study.chain import challenge_for
from app.core.study.state import Reservation, StudyState
from tests import documents, facts
from tests.documents import DAY_US, digest
from tests.drafts import Draft
from tests.makers import Maker

START_US = 1_790_000_000_000_000
TICK_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Step:
    """One entry of a story."""

    draft: Draft
    entry: Entry
    effect: Effect

    @property
    def digest(self) -> str:
        """The statement's identity."""
        return self.draft.digest


@dataclass(kw_only=True, slots=True)
class Story:
    """A ledger in memory with real rules, keys, leaves and challenges.

    ``append`` raises what admission raises and then nothing has happened. Every step takes
    ``changes`` of its predicate, as ``Maker`` does.
    """

    make: Maker = field(default_factory=Maker)
    now_us: int = START_US
    steps: list[Step] = field(default_factory=list)
    ledger: LedgerState = field(default_factory=LedgerState)
    repositories: dict[str, RepositoryState] = field(default_factory=dict)
    heads: dict[tuple[str, str], HeadState] = field(default_factory=dict)
    roots: list[str] = field(default_factory=lambda: [Frontier().root().hex()])
    frontier: Frontier = field(default_factory=Frontier)
    document: ProtocolDocument = field(default_factory=documents.document)

    def copy(self) -> "Story":
        """Return a story that goes on from here on its own."""
        return replace(
            self,
            make=replace(self.make),
            steps=list(self.steps),
            repositories=dict(self.repositories),
            heads=dict(self.heads),
            roots=list(self.roots),
        )

    # ---- the ledger ----

    @property
    def size(self) -> int:
        """Entries so far."""
        return len(self.steps)

    @property
    def captures(self) -> dict[str, Capture]:
        """Captures of the receipts so far, by digest."""
        drafts = (step.draft for step in self.steps)
        return {sha256_hex(d.capture_bytes): d.capture for d in drafts if d.capture is not None}

    def standing(self, repository: str | None = None, head: str | None = None) -> Standing:
        """Return the three lines behind a head, by default the story's own."""
        name = self.make.repository if repository is None else repository
        sha = self.make.head if head is None else head
        return Standing(
            self.ledger,
            self.repositories.get(name, RepositoryState(repository=name)),
            self.heads.get((name, sha), HeadState(repository=name, head=sha)),
        )

    def root_at(self, size: int) -> str | None:
        """Return the root of the tree of ``size``."""
        return self.roots[size] if size < len(self.roots) else None

    def checkpoint(self) -> CheckpointRef:
        """Return the newest tree head, as key statements name it."""
        return CheckpointRef(size=self.size, root=self.roots[-1])

    def append(self, draft: Draft, *, after_us: int = TICK_US) -> Step:
        """Admit and fold in one draft, ``after_us`` after the entry before."""
        at_us, index = self.now_us + after_us, self.size
        standing = self.standing(repository_of(draft.parsed), head_of(draft.parsed))
        effect = admit(
            draft.parsed,
            signers=draft.signers,
            standing=standing,
            index=index,
            at_us=at_us,
            capture=draft.capture,
            root_at=self.root_at,
        )
        entry = Entry(index, self._leaf(draft, standing, at_us), draft.parsed)
        self._keep(apply(standing, entry, draft.capture))
        self.now_us = at_us
        self.frontier = self.frontier.append(entry.leaf.hash())
        self.roots.append(self.frontier.root().hex())
        self.steps.append(Step(draft, entry, effect))
        return self.steps[-1]

    def wait(self, micros: int) -> None:
        """Let time pass."""
        self.now_us += micros

    # ---- its statements ----

    def genesis(self, **changes: Any) -> Step:
        """Begin the ledger."""
        step = self.append(self.make.genesis(**changes))
        self.make.genesis_digest = step.digest
        return step

    def register(self, label: str, role: Role = Role.RUNNER, **changes: Any) -> Step:
        """Register a key."""
        checkpoint = changes.pop("checkpoint", self.checkpoint())
        return self.append(self.make.key(label, role, checkpoint=checkpoint, **changes))

    def policy(self, **changes: Any) -> Step:
        """Set a policy, by default one claim under the story's protocol."""
        current = self.standing().repository.policy
        given: dict[str, Any] = {
            "protocols": [document_digest(self.document)],
            "supersedes": None if current is None else current.digest,
        }
        return self.append(self.make.policy(**(given | changes)))

    def lock(self, document: ProtocolDocument | None = None, **changes: Any) -> Step:
        """Lock a document, which then is the story's."""
        self.document = self.document if document is None else document
        return self.append(self.make.lock(self.document, **changes))

    def open(self, **changes: Any) -> Step:
        """Open the next study on the story's head, closing in two days."""
        given: dict[str, Any] = {
            "closes_at_us": self.now_us + TICK_US + 2 * DAY_US,
            "ordinal": len(self.standing().head.studies) + 1,  # type: ignore[union-attr]  # it is ours
        }
        return self.append(self.make.study(self.document, **(given | changes)))

    def reserve(self, *slots: str, study: StudyState | None = None, **changes: Any) -> Step:
        """Reserve slots of a study, by default the newest one's."""
        digest = (study or self.study()).digest
        return self.append(self.make.reservation(digest, slots, **changes))

    def receipt(
        self,
        slot: str,
        capture: Capture | None = None,
        *,
        attempt: int | None = None,
        study: StudyState | None = None,
        **changes: Any,
    ) -> Draft:
        """Make a receipt for the newest attempt at a slot, or for ``attempt``."""
        of = study or self.study()
        number = attempt or max(a.number for a in of.slots[slot].attempts)
        reservation = self.reservation_of(slot, number, study=of)
        given: dict[str, Any] = {
            "study_digest": of.digest,
            "reservation": reservation.digest,
            "challenge": challenge_for(reservation, slot),
            "attempt": number,
        }
        seen = facts.capture() if capture is None else capture
        return self.make.receipt(of.predicate, seen, slot=slot, **(given | changes))

    def push(self, slot: str, capture: Capture | None = None, **changes: Any) -> Step:
        """Append a receipt for a slot."""
        after_us = changes.pop("after_us", TICK_US)
        return self.append(self.receipt(slot, capture, **changes), after_us=after_us)

    def deviate(self, *slots: str, study: StudyState | None = None, **changes: Any) -> Step:
        """Append a deviation."""
        return self.append(self.make.deviation((study or self.study()).digest, slots, **changes))

    def end(self, **changes: Any) -> Step:
        """End a study by a deviation."""
        return self.deviate(ends_study=True, **changes)

    def refuse(self, slot: str, *, attempt: int = 1, **changes: Any) -> Step:
        """Append a refusal for an attempt."""
        study = self.study()
        reservation = self.reservation_of(slot, attempt).digest
        return self.append(
            self.make.refusal(study.digest, reservation, slot, attempt=attempt, **changes)
        )

    def close_due(self, *, after_us: int = TICK_US) -> list[Step]:
        """Append the closures that are due on the story's head."""
        head = self.standing().head
        assert head is not None
        due = due_closures(head, self.now_us + after_us)
        return [self.append(self.make.closure(one), after_us=after_us) for one in due]

    # ---- what stands ----

    def study(self, ordinal: int | None = None) -> StudyState:
        """Return a study of the story's head, by default the newest."""
        head = self.standing().head
        if head is None or not head.studies:
            raise Conflict("The story has opened no study.")
        return head.studies[-1 if ordinal is None else ordinal - 1]

    def reservation_of(
        self, slot: str, attempt: int = 1, *, study: StudyState | None = None
    ) -> Reservation:
        """Return the reservation behind an attempt."""
        of = study or self.study()
        found = of.attempt_of(slot, attempt)
        assert found is not None
        return of.reservations[found.reservation]

    def _leaf(self, draft: Draft, standing: Standing, at_us: int) -> Leaf:
        line = line_of(draft.parsed)
        states: Sequence[tuple[Callable[[str], bool], LineState]] = (
            (lambda name: name == "ledger", standing.ledger),
            (lambda name: name.startswith("repo:"), standing.repository),
        )
        found = next((state for fits, state in states if fits(line)), standing.head)
        assert found is not None
        reserves = draft.parsed.kind == "reservation"
        return Leaf(
            at=instant_of(at_us),
            kind=draft.parsed.kind,
            statement=draft.digest,
            size=len(draft.parsed.payload),
            key=draft.parsed.signer,
            line=line,
            seq=found.length,
            prev=found.last_index,
            nonce=digest(f"nonce {self.size}") if reserves else None,
            after=TreeHead(self.size, self.roots[-1]) if reserves else None,
        )

    def _keep(self, standing: Standing) -> None:
        self.ledger = standing.ledger
        self.repositories[standing.repository.repository] = standing.repository
        if standing.head is not None:
            self.heads[standing.head.repository, standing.head.head] = standing.head
