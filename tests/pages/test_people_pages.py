# SPDX-License-Identifier: Apache-2.0
"""What people said stands beside the word, on the pages that concern it, and is never the word."""

from app.core.identity import Role, Scope
from app.core.statement.decision import Through
from app.core.statement.hold import NextStep
from app.core.statement.place import Link
from app.core.statement.review import ReviewEvidence
from app.pages.charts.badge import GREEN, RED
from tests.api.people_world import doubt
from tests.documents import commit, digest
from tests.pages.scenes import Scenes
from tests.pages.test_escaping import POLYGLOT, assert_inert
from tests.people import applies_to, clear, decision, hold, ref, review, waiver


async def reviewed(scenes: Scenes) -> None:
    await scenes.world.register("reviewer", Role.REVIEWER)


async def test_hold_on_the_change_is_on_the_page_with_owner_condition_and_what_was_not_tested(
    scenes: Scenes,
) -> None:
    await scenes.qualified()
    await reviewed(scenes)
    link = Link(relation="tracking", change="283", head=None, statement=None, note="the split")
    about = applies_to(changes=["180", "149"], claim="land")
    draft = hold(scenes.world.make, about, signer="reviewer", links=[link])
    await scenes.world.put(draft)
    text = (await scenes.page()).text
    assert "land: HOLD" in text
    assert "Next action: plotarmordev (named by a hold): lock the comparison" in text
    assert "In force: 1. A hold lowers the word and never raises it." in text
    for said in (
        "every head of changes 180, 149, claim land",
        "until: A locked contention comparison passes its gates.",
        "not tested: the exact head",
        "reviewer (reviewer)",
        "tracking: change 283 (the split)",
    ):
        assert said in text


async def test_cleared_hold_stays_on_the_page_with_who_cleared_it_and_why(scenes: Scenes) -> None:
    await scenes.qualified()
    placed = await scenes.world.put(hold(scenes.world.make))
    await scenes.world.put(clear(scenes.world.make, placed["statement"]))
    text = (await scenes.page()).text
    assert "land: QUALIFIED" in text
    assert "None in force. Those that ended are listed below." in text
    assert "cleared by maintainer" in text
    assert "The comparison has passed." in text
    assert "this head alone" in text


async def test_l24_waived_fail_is_still_a_fail_and_its_badge_says_both(scenes: Scenes) -> None:
    await scenes.failed()
    await scenes.world.put(waiver(scenes.world.make, expires_at="2027-01-01T00:00:00Z"))
    text = (await scenes.page()).text
    assert "land: NOT_QUALIFIED" in text
    assert "beside the word: live_correctness waived by maintainer" in text
    assert "meant to hold until 2027-01-01T00:00:00Z" in text
    badge = (await scenes.get(f"{scenes.head_path}/badge.json")).json()
    assert badge["message"] == f"{scenes.head[:7]} NOT_QUALIFIED (waived)"
    svg = (await scenes.get(f"{scenes.head_path}/badge.svg")).text
    assert "(waived)" in svg
    assert RED in svg
    assert GREEN not in svg


async def test_waiver_beside_a_pass_or_taken_back_is_not_on_the_badge(scenes: Scenes) -> None:
    await scenes.qualified()
    waived = await scenes.world.put(waiver(scenes.world.make))
    message = (await scenes.get(f"{scenes.head_path}/badge.json")).json()["message"]
    assert message == f"{scenes.head[:7]} QUALIFIED"
    back = decision(scenes.world.make, decided="declined", supersedes=waived["statement"])
    await scenes.world.put(back)
    text = (await scenes.page()).text
    assert "taken back or restated by a later decision" in text
    assert "beside the word: declined by maintainer" in text


async def test_decision_says_where_it_landed(scenes: Scenes) -> None:
    await scenes.qualified()
    through = Through(change="309", head=commit("landed"), claim="land")
    landed = {"decided": "landed_through", "through": through}
    await scenes.world.put(decision(scenes.world.make, **landed, claim=None))  # type: ignore[arg-type]  # members
    text = (await scenes.page()).text
    assert f"landed through change 309, head {commit('landed')[:12]}, claim land" in text
    assert "the head as a whole" in text


async def test_review_says_what_was_not_done_and_whether_it_is_independent(scenes: Scenes) -> None:
    await scenes.qualified()
    await reviewed(scenes)
    evidence = [ReviewEvidence(what="the notes", sha256=digest("notes"))]
    first = await scenes.world.put(review(scenes.world.make, evidence=evidence))
    again = review(
        scenes.world.make,
        outcome="changes_requested",
        base=None,
        supersedes=first["statement"],
    )
    await scenes.world.put(again)
    text = (await scenes.page()).text
    assert "tests; live endpoints; GPU operations" in text
    assert "COMMENT: neither for nor against" in text
    assert "superseded by a later review of the same person" in text
    assert f"rests on the notes ({digest('notes')[:12]})" in text


async def test_change_has_its_heads_and_holds_together_without_evidence_too(
    scenes: Scenes,
) -> None:
    await scenes.qualified()
    make = scenes.world.make
    await scenes.world.put(hold(make, applies_to(changes=["180"])))
    pushed = commit("pushed later")
    await scenes.world.put(ref(make, pushed, branch="topic", change="180"))
    page = await scenes.page(f"{scenes.repository_path}/changes/180")
    assert pushed in page.text
    assert make.head in page.text
    assert "every head of change 180" in page.text
    scenes.world.make.head = pushed
    text = (await scenes.page()).text
    assert "land: HOLD" in text
    assert "In force: 1." in text
    assert "there is no evidence about it" in text


async def test_key_under_suspicion_is_marked_where_keys_and_receipts_are_listed(
    scenes: Scenes,
) -> None:
    await scenes.qualified()
    await scenes.world.register("second", Role.ADMIN)
    assert (await doubt(scenes.world, "runner", since=3)).status_code == 201
    assert "doubted from entry 3 on" in (await scenes.page("/keys")).text
    assert "TAINTED" in (await scenes.page()).text


async def test_w01_nothing_that_people_say_becomes_markup(scenes: Scenes) -> None:
    await scenes.failed()
    await reviewed(scenes)
    make = scenes.world.make
    step = NextStep(person="ada", what=POLYGLOT)
    texts = {"why": POLYGLOT, "until": POLYGLOT, "tested": [POLYGLOT], "not_tested": [POLYGLOT]}
    link = Link(relation="evidence", change=None, head=make.head, statement=None, note=POLYGLOT)
    other = Link(
        relation="discussion", change=None, head=None, statement=digest("x"), note=POLYGLOT
    )
    held = {"next_action": step, "author_action_now": POLYGLOT, "links": [link, other]}
    await scenes.world.put(hold(make, **texts, **held))  # type: ignore[arg-type]  # members
    evidence = [ReviewEvidence(what=POLYGLOT, sha256=digest("notes"))]
    said = {"did": [POLYGLOT], "did_not": [POLYGLOT], "evidence": evidence}
    await scenes.world.put(review(make, scope=Scope.CPU, **said))  # type: ignore[arg-type]  # members
    await scenes.world.put(waiver(make, reason=POLYGLOT))
    page = await scenes.page()
    assert_inert(page)
    assert POLYGLOT in page.text
