# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Studies of every kind of capture over HTTP, and everything a reader is told of a head."""

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from app.core.identity import Scope
from app.core.log.leaf import next_challenge
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import ProtocolDocument
from app.core.verdict.bundle import score_bundle
from tests.api.people_world import begun, set_policy
from tests.api.world import Opened, Reserved, World


@dataclass(frozen=True, slots=True)
class Told:
    """What a head's readers are told: the document of the claim, and the page's text."""

    document: dict[str, Any]
    page: str

    @property
    def word(self) -> str:
        return str(self.document["word"])

    @property
    def judgements(self) -> list[dict[str, Any]]:
        """The judgements of the newest study."""
        return list(self.document["studies"][-1]["judgements"])

    def said(self, gate: int = 0) -> tuple[str, str]:
        """Return the state and reason of a gate, by its place in the protocol."""
        judgement = self.judgements[gate]
        return judgement["state"], judgement["reason"]


async def governed(
    world: World, document: ProtocolDocument, *scopes: Scope, **changes: Any
) -> None:
    """Begin a ledger whose one claim needs these scopes by this protocol."""
    world.document = document
    await begun(world, policy=False)
    await set_policy(world, document, scopes=scopes or (Scope.CPU,), **changes)


async def taken(world: World, **changes: Any) -> tuple[Opened, Reserved]:
    """Open a study and reserve every slot of it."""
    study = await world.open(**changes)
    planned = [one["slot"] for one in await world.slots(study)]
    return study, await world.reserve(study, planned)


async def push(
    world: World, study: Opened, reserved: Reserved, slot: str, capture: Capture
) -> dict[str, Any]:
    """Push the receipt of the next slot of a reservation."""
    draft = world.receipt(study, reserved, slot, capture)
    answer = await world.put(draft)
    reserved.challenge = next_challenge(reserved.challenge, draft.digest)
    return answer


async def filled(world: World, captures: Mapping[str, Capture], *, head: str | None = None) -> Told:
    """Fill a study by slot, ``arm/cell``, arm or cell, and return what is told when it is closed.

    What is served and what anybody computes from the bundle are one and the same, or this fails.
    """
    if head is not None:
        world.make.head = head
    study, reserved = await taken(world)
    for slot in reserved.slots:
        arm, cell, _ = slot.split("/")
        names = (slot, f"{arm}/{cell}", arm, cell)
        await push(world, study, reserved, slot, next(captures[n] for n in names if n in captures))
    return await told(world)


async def told(world: World) -> Told:
    """Return what is told of the head, the same offline and on its page."""
    served = await world.client.get(f"{world.head_path}?claim=land")
    assert served.status_code == 200, served.text
    bundle = (await world.client.get(f"{world.head_path}/bundle")).content
    assert score_bundle(bundle) == {"land": served.content}
    page = await world.client.get(f"/r/{world.make.repository}/heads/{world.make.head}")
    assert page.status_code == 200
    return Told(served.json(), html.unescape(page.text))
