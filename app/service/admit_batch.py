# SPDX-License-Identifier: Apache-2.0
"""Fills a draft: each statement is admitted against what stands with all before it.

What the ledger owes follows in the same batch, right behind what made it due: a closure when a
study's last slot became terminal or its time ran out, then a verdict per claim; and a verdict again
when a later statement changes the word. Nothing else is appended by the ledger itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from app.core.admission.admit import Effect, admit
from app.core.admission.due import due_closures
from app.core.admission.state import HeadState, Standing
from app.core.admission.unread import can_wait, decides, is_unread
from app.core.errors import FairtrialError
from app.core.identity import Role
from app.core.statement.capture import Capture
from app.core.statement.hold import HoldPredicate
from app.core.statement.key import KeyPredicate
from app.core.statement.parse import Parsed
from app.core.statement.policy import PolicyPredicate
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.ref import RefPredicate
from app.core.study.chain import challenge_for
from app.core.study.slots import attempt_state
from app.core.verdict.fold import captures_needed, claims_of, give_verdict
from app.service.captures import CaptureReader
from app.service.draft import Draft, name_of
from app.service.ledger_voice import LedgerVoice
from app.service.lines import HeadName, head_of_line
from app.service.ports import LedgerStore
from app.service.read_log import LogReader
from app.service.receive_statement import Candidate
from app.service.refused_content import Refused
from app.service.standings import Standings

MAX_REFUSALS = 3
"""Per attempt; what is refused after that leaves no trace."""


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a statement stands in the draft, or stood before."""

    index: int
    effect: Effect
    created: bool


class BatchAdmission:
    """Admits into drafts on top of one process's standings."""

    def __init__(
        self,
        store: LedgerStore,
        standings: Standings,
        *,
        captures: CaptureReader,
        voice: LedgerVoice,
    ) -> None:
        """Admit on top of ``standings``."""
        self._store = store
        self._log = LogReader(store)
        self._standings = standings
        self._captures = captures
        self._voice = voice

    async def take(self, draft: Draft, candidate: Candidate) -> Placed:
        """Append a statement and what it makes due.

        Raises:
            FairtrialError: it may not enter; when the draft has grown nevertheless, it is spoilt.
        """
        name = name_of(candidate.parsed)
        await self._bring(draft, candidate.parsed)
        stands = draft.place_of(candidate.parsed)
        if stands is not None:
            return Placed(stands, Effect.ACCEPTED, created=False)
        effect = await self._admit(draft, candidate)
        index = draft.add(candidate)
        for concerned in await self._concerned(draft, candidate.parsed, name):
            await self._settle(draft, concerned)
        return Placed(index, effect, created=True)

    async def refuse(self, draft: Draft, refused: Refused) -> None:
        """Record a refusal if the slot is held by its sender and few enough are recorded."""
        claim = refused.claim
        name = HeadName(claim.repository, claim.head)
        await self._standings.bring(name)
        standing = draft.standing(name)
        refusals = _refusals_of_held(standing, refused, index=draft.size, at_us=draft.at_us)
        if refusals is None or refusals >= MAX_REFUSALS:
            return
        await self._say(draft, self._voice.refusal(name, refused, nth=refusals + 1))

    async def close_overdue(self, draft: Draft) -> None:
        """Close what time alone has closed, the oldest first."""
        for name in self._standings.overdue(draft.at_us):
            await self._settle(draft, name)

    def remember(self, draft: Draft) -> None:
        """Keep the captures of a draft at hand, once it is durable."""
        for digest, capture in draft.captures.items():
            self._captures.keep(digest, capture, size=draft.blob(digest).size)

    async def _bring(self, draft: Draft, parsed: Parsed) -> None:
        """Read what a statement is admitted against; of a receipt's study only what decides."""
        name = name_of(parsed)
        await self._standings.bring_unread(name)
        head = draft.standing(name).head
        if head is None or not is_unread(head):
            return
        is_receipt = isinstance(parsed.predicate, ReceiptPredicate)
        if not (is_receipt and can_wait(head, (parsed,), draft.at_us)):
            await self._read_up(draft, name)

    async def _read_up(self, draft: Draft, name: HeadName) -> None:
        if not await draft.read_up(name):
            await self._standings.bring(name)

    async def _admit(self, draft: Draft, candidate: Candidate) -> Effect:
        parsed = candidate.parsed
        roots: dict[int, str] = {}
        if isinstance(parsed.predicate, KeyPredicate):
            size = parsed.predicate.checkpoint.size
            tree = self._standings.tree
            # A root nobody was shown yet is no root of a checkpoint.
            roots[size] = await self._log.root_at(tree, size) if size <= tree.size else ""
        return admit(
            parsed,
            signers=candidate.signers,
            standing=draft.standing(name_of(parsed)),
            index=draft.size,
            at_us=draft.at_us,
            capture=candidate.capture,
            root_at=roots.get,
        )

    async def _say(self, draft: Draft, candidate: Candidate) -> None:
        await self._admit(draft, candidate)
        draft.add(candidate)

    async def _settle(self, draft: Draft, name: HeadName) -> None:
        """Append the closures that are due on a head, and the verdicts that follow."""
        await self._standings.bring_unread(name)
        before = draft.standing(name).head or HeadState()
        if decides(before, draft.at_us):
            await self._read_up(draft, name)
        head = draft.standing(name).head or HeadState()
        closures = due_closures(head, draft.at_us)
        for due in closures:
            await self._say(draft, self._voice.closure(name, due))
        if closures or head.words:
            await self._give_verdicts(draft, name, always=bool(closures))

    async def _give_verdicts(self, draft: Draft, name: HeadName, *, always: bool) -> None:
        for claim in claims_of(draft.standing(name)):
            # Each is computed from the entries below its own index, the one before it included.
            standing = draft.standing(name)
            document = give_verdict(
                standing,
                claim=claim,
                log_time_us=draft.at_us,
                captures=await self._captures_for(draft, standing),
            )
            before = (standing.head or HeadState()).words.get(claim)
            if always or before is None or before.word != document.word:
                await self._say(draft, self._voice.verdict(name, document))

    async def _captures_for(self, draft: Draft, standing: Standing) -> Callable[[str], Capture]:
        needed = captures_needed(standing, draft.at_us)
        stored = [digest for digest in needed if digest not in draft.captures]
        return {**await self._captures.captures(stored), **draft.captures}.__getitem__

    async def _concerned(self, draft: Draft, parsed: Parsed, name: HeadName) -> list[HeadName]:
        """Return the heads whose word a statement may change."""
        if name.head:
            return [name]
        match parsed.predicate:
            case PolicyPredicate() | HoldPredicate() | RefPredicate():
                return await self._judged_heads(draft, name.repository)
            case KeyPredicate(suspect_from_index=int(since)) as step if since < draft.size - 1:
                # What an admin's key signed for may stand anywhere.
                places = step.repositories or await self._judged_repositories(draft)
                heads = [await self._judged_heads(draft, place) for place in places]
                return [head for some in heads for head in some]
            case _:
                return []

    async def _judged_repositories(self, draft: Draft) -> list[str]:
        rows = await self._store.leaves_of_kind("verdict", lines="head:")
        names = {head_of_line(row.line).repository for row in rows}
        return sorted(names | draft.repositories())

    async def _judged_heads(self, draft: Draft, repository: str) -> list[HeadName]:
        """Return the heads of a repository that have a verdict in the log."""
        lines = HeadName(repository, "").line
        rows = await self._store.leaves_of_kind("verdict", lines=lines)
        names = {head_of_line(row.line) for row in rows} | draft.heads_of(repository)
        return sorted(names, key=lambda one: one.line)


def _refusals_of_held(
    standing: Standing, refused: Refused, *, index: int, at_us: int
) -> int | None:
    """Return how many refusals stand for the attempt, or None where the sender does not hold it."""
    claim = refused.claim
    study = (standing.head or HeadState()).study(claim.study)
    attempt = None if study is None else study.attempt_of(claim.slot, claim.attempt)
    if study is None or attempt is None or attempt.reservation != claim.reservation:
        return None
    reservation = study.reservations[attempt.reservation]
    holds = (attempt.runner, challenge_for(reservation, claim.slot)) == (
        claim.signer,
        claim.challenge,
    )
    if not holds or attempt_state(attempt, at_us).state != "RESERVED":
        return None
    try:
        standing.ledger.keyring.require(
            claim.signer, Role.RUNNER, repository=claim.repository, index=index
        )
    except FairtrialError:
        return None
    return attempt.refusals
