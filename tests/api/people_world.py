# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""What people do to a head over HTTP, on top of ``World``."""

from collections.abc import Sequence
from typing import Any

import httpx

from app.core.identity import Role
from app.core.log.leaf import next_challenge
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.api.world import SLOTS, World


async def begun(world: World, *, policy: bool = True) -> None:
    """Register the usual people and a second admin, lock the protocol and set a policy."""
    await world.register("maintainer", Role.MAINTAINER)
    await world.register("reviewer", Role.REVIEWER)
    await world.register("runner", Role.RUNNER)
    await world.register("second-runner", Role.RUNNER)
    await world.register("second", Role.ADMIN)
    await world.put(world.make.lock(world.document))
    if policy:
        await set_policy(world)


async def set_policy(world: World, *documents: ProtocolDocument, **changes: Any) -> None:
    """Put a policy in force over the one that is."""
    path = f"/v1/repos/{world.make.repository}"
    before = (await world.client.get(path)).json()["policies"]
    supersedes = before[-1]["statement"] if before else None
    protocols = [document_digest(one) for one in documents or (world.document,)]
    await world.put(world.make.policy(protocols=protocols, supersedes=supersedes, **changes))


async def run(
    world: World,
    capture: Capture | None = None,
    *,
    ordinal: int = 1,
    runner: str = "runner",
    **changes: Any,
) -> str:
    """Open a study, fill every slot and return its digest."""
    study = await world.open(ordinal=ordinal, runners=[runner], **changes)
    reserved = await world.reserve(study, SLOTS, signer=runner)
    if runner == "runner":
        await world.push_all(study, reserved, capture)
    else:
        await push_as(world, study, reserved, runner, capture)
    return study.digest


async def push_as(
    world: World, study: Any, reserved: Any, runner: str, capture: Capture | None
) -> None:
    """Push a receipt for every slot, signed by another runner."""
    for slot in reserved.slots:
        seen = capture or facts.capture()
        draft = world.receipt(study, reserved, slot, seen, signer=runner)
        await world.put(draft)
        reserved.challenge = next_challenge(reserved.challenge, draft.digest)


async def doubt(
    world: World,
    label: str,
    role: Role = Role.RUNNER,
    *,
    since: int = 1,
    signers: Sequence[str] = ("admin", "second"),
) -> httpx.Response:
    """Send the revocation of a key as suspect since an index."""
    draft = world.make.key(
        label,
        role,
        checkpoint=await world.checkpoint(),
        signers=signers,
        action="revoke",
        reason="The disk was lost.",
        suspect_from_index=since,
    )
    return await world.send("key", draft)


async def document(world: World, claim: str | None = "land", at: int | None = None) -> Any:
    """Return the verdict document of a claim."""
    query = f"?claim={claim or ''}" + ("" if at is None else f"&at={at}")
    answer = await world.client.get(world.head_path + query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def codes(world: World, claim: str | None = "land", at: int | None = None) -> list[str]:
    """Return the codes of a verdict's reasons, in order."""
    return [one["code"] for one in (await document(world, claim, at))["reasons"]]
