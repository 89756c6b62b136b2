# SPDX-License-Identifier: Apache-2.0
"""The order in which reasons decide, row by row and rung by rung, over HTTP.

UNKNOWN_STATEMENT, NO_POLICY                                        HOLD
SCOPE_FAILED (CONFLICTING stands beside it)                         NOT_QUALIFIED
OPEN_STUDY, GATES_MOVED_AFTER_RESULT, BASE_NOT_TRACKED, STALE_BASE,
TAINTED, HOLD_IN_FORCE, REPLAY, SCOPE_NOT_PASS                      HOLD
else                                                                QUALIFIED
"""

from collections.abc import Awaitable, Callable

import pytest

from app.core.protocol.parse import document_digest
from app.core.reason import Reason
from app.core.statement import kinds
from app.core.statement.study import Replay
from app.core.verdict.bundle import score_bundle
from app.core.verdict.word_reasons import WORD_REASONS
from tests import documents, facts
from tests.api.people_world import begun, codes, document, doubt, run, set_policy
from tests.api.world import World
from tests.documents import commit
from tests.people import hold, ref, review

LATER = documents.document(version=2)
Row = Callable[[World], Awaitable[None]]


async def no_policy(world: World) -> None:
    await begun(world, policy=False)
    await run(world)


async def failed(world: World) -> None:
    await begun(world)
    await run(world, facts.starved())


async def failed_then_passed(world: World) -> None:
    await failed(world)
    await run(world, ordinal=2)


async def open_study(world: World) -> None:
    await begun(world)
    await run(world)
    await world.open(ordinal=2)


async def gates_moved(world: World) -> None:
    await begun(world)
    await run(world)
    before = documents.document()
    await world.put(world.make.lock(LATER, supersedes=document_digest(before)))
    await set_policy(world, before, LATER)
    world.document = LATER
    await run(world, ordinal=2)


async def not_tracked(world: World) -> None:
    await begun(world, policy=False)
    await set_policy(world, tracked_branch="main")
    await run(world)


async def stale(world: World) -> None:
    await not_tracked(world)
    await world.put(ref(world.make, commit("moved")))


async def tainted(world: World) -> None:
    await begun(world)
    await run(world)
    assert (await doubt(world, "runner")).status_code == 201


async def held(world: World) -> None:
    await begun(world)
    await run(world)
    await world.put(hold(world.make, signer="reviewer"))


async def replayed(world: World) -> None:
    await begun(world)
    await run(world, replay=Replay(source="a public thread", not_published=[]))


async def nothing_ran(world: World) -> None:
    await begun(world)


async def everything_passes(world: World) -> None:
    await begun(world)
    await run(world)


TABLE: list[tuple[str, Row, str | None, str, list[str]]] = [
    ("no policy", no_policy, None, "HOLD", ["NO_POLICY"]),
    ("a scope failed", failed, "land", "NOT_QUALIFIED", ["SCOPE_FAILED"]),
    ("conflict", failed_then_passed, "land", "NOT_QUALIFIED", ["SCOPE_FAILED", "CONFLICTING"]),
    ("open study", open_study, "land", "HOLD", ["OPEN_STUDY", "SCOPE_NOT_PASS"]),
    ("gates moved", gates_moved, "land", "HOLD", ["GATES_MOVED_AFTER_RESULT"]),
    ("no tip known", not_tracked, "land", "HOLD", ["BASE_NOT_TRACKED"]),
    ("stale base", stale, "land", "HOLD", ["STALE_BASE"]),
    ("tainted", tainted, "land", "HOLD", ["TAINTED", "SCOPE_NOT_PASS"]),
    ("held", held, "land", "HOLD", ["HOLD_IN_FORCE"]),
    ("replay", replayed, "land", "HOLD", ["REPLAY"]),
    ("not established", nothing_ran, "land", "HOLD", ["SCOPE_NOT_PASS"]),
    ("established", everything_passes, "land", "QUALIFIED", ["ALL_SCOPES_PASS"]),
]


@pytest.mark.parametrize(
    ("tell", "claim", "word", "reasons"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
async def test_row_of_the_decision_table_over_http(
    world: World, tell: Row, claim: str | None, word: str, reasons: list[str]
) -> None:
    await tell(world)
    found = await document(world, claim)
    assert found["word"] == word
    assert [one["code"] for one in found["reasons"]] == reasons
    bundle = (await world.client.get(f"{world.head_path}/bundle")).content
    served = await world.client.get(f"{world.head_path}?claim={claim or ''}")
    assert score_bundle(bundle)[claim] == served.content


async def test_unknown_statement_is_the_first_row_for_a_reader_of_an_earlier_version(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await failed(world)
    await world.put(review(world.make))
    size = await world.size()
    monkeypatch.delitem(kinds.SHAPES, "review")
    assert await codes(world, at=size) == ["UNKNOWN_STATEMENT", "SCOPE_FAILED"]
    assert (await document(world, at=size))["word"] == "HOLD"


def test_the_table_and_the_ladder_hold_every_reason_of_a_word() -> None:
    reached = {code for *_, reasons in TABLE for code in reasons} | {"UNKNOWN_STATEMENT"}
    assert reached == {str(reason) for reason in WORD_REASONS}


async def test_each_reason_takes_the_word_from_all_below_it(world: World) -> None:
    await begun(world, policy=False)
    await set_policy(world, tracked_branch=None)
    seen = [await codes(world)]

    async def step(sent: Awaitable[object]) -> None:
        await sent
        seen.append(await codes(world))

    replay = Replay(source="a public thread", not_published=[])
    await step(run(world, replay=replay))
    await step(world.put(hold(world.make)))
    await step(doubt(world, "runner"))
    await step(world.put(ref(world.make, commit("moved"))))
    await step(set_policy(world, tracked_branch="main"))
    before = documents.document()
    await run(world, ordinal=2, runner="second-runner")
    await world.put(world.make.lock(LATER, supersedes=document_digest(before)))
    world.document = LATER
    await step(run(world, ordinal=3, runner="second-runner"))
    await step(world.open(ordinal=4, runners=["second-runner"]))
    await step(run(world, facts.starved(), ordinal=5, runner="second-runner"))
    assert [one[0] for one in seen] == [
        "SCOPE_NOT_PASS",
        "REPLAY",
        "HOLD_IN_FORCE",
        "TAINTED",
        "TAINTED",
        "STALE_BASE",
        "GATES_MOVED_AFTER_RESULT",
        "OPEN_STUDY",
        "SCOPE_FAILED",
    ]
    order = [str(reason) for reason in Reason]
    for one in seen:
        assert [order.index(code) for code in one] == sorted(order.index(code) for code in one)
