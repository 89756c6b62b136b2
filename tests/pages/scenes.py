# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Heads in every state, each made by requests to a real ledger."""

from dataclasses import dataclass
from typing import Any

import httpx

from app.core.log.leaf import next_challenge
from app.core.statement.capture import StreamsCapture
from app.core.statement.study import Head, Replay
from tests import facts
from tests.api.world import SLOTS, Opened, World
from tests.documents import commit
from tests.pages.reading import Node, read

CANDIDATE = "B/C2-canary/1"
SCENES = ("qualified", "failed", "unfinished", "opened", "ended", "replayed", "other_commit")
"""Names of the scenes below that stand on a head of their own."""


@dataclass(slots=True)
class Scenes:
    """Sets scenes in one world; each on a head of its own."""

    world: World

    @property
    def head(self) -> str:
        """The head of the last scene."""
        return self.world.make.head

    @property
    def repository_path(self) -> str:
        return f"/r/{self.world.make.repository}"

    @property
    def head_path(self) -> str:
        return f"{self.repository_path}/heads/{self.head}"

    def on(self, label: str) -> None:
        """Go to a head."""
        self.world.make.head = commit(label)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        return await self.world.client.get(path, headers=headers)

    async def page(self, path: str | None = None) -> Node:
        """Return a page that must be there."""
        answer = await self.get(path or self.head_path)
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        return read(answer.text)

    async def filled(
        self, label: str, captures: dict[str, StreamsCapture] | None = None, **changes: Any
    ) -> Opened:
        """Fill every slot, with these captures or good ones."""
        self.on(label)
        study = await self.world.open(**changes)
        await self.fill(study, captures or {})
        return study

    async def fill(
        self, study: Opened, captures: dict[str, StreamsCapture], **changes: Any
    ) -> list[str]:
        """Push a receipt for every slot of a study."""
        reserved = await self.world.reserve(study, SLOTS)
        digests = []
        for slot in SLOTS:
            draft = self.world.receipt(study, reserved, slot, captures.get(slot), **changes)
            await self.world.put(draft)
            digests.append(draft.digest)
            reserved.challenge = next_challenge(reserved.challenge, draft.digest)
        return digests

    async def qualified(self) -> Opened:
        return await self.filled("qualified")

    async def failed(self) -> Opened:
        """Starve the newcomer of the candidate: both HTTP 200, no token."""
        return await self.filled("failed", {CANDIDATE: facts.starved()})

    async def unfinished(self) -> Opened:
        """Cut the candidate's newcomer off without a terminal event or usage."""
        return await self.filled("unfinished", {CANDIDATE: facts.interrupted()})

    async def opened(self) -> Opened:
        """Open a study and fill one of its slots: sealed."""
        self.on("open")
        study = await self.world.open()
        reserved = await self.world.reserve(study, SLOTS)
        await self.world.put(self.world.receipt(study, reserved, SLOTS[0]))
        return study

    async def ended(self) -> Opened:
        """End a study of which nothing was reserved."""
        self.on("ended")
        study = await self.world.open()
        await self.world.put(self.world.make.deviation(study.digest, ends_study=True))
        return study

    async def replayed(self) -> Opened:
        replay = Replay(source="A public thread", not_published=["head.tree"])
        self.on("replayed")
        head = Head(commit=self.head, tree=None)
        return await self.filled("replayed", replay=replay, head=head)

    async def other_commit(self) -> Opened:
        """Test a commit that is not the head."""
        self.on("other-commit")
        arms = {
            arm.id: facts.pin(arm.id, head=commit("tested")) for arm in self.world.document.arms
        }
        study = await self.world.open(arms=arms)
        await self.fill(study, {})
        return study
