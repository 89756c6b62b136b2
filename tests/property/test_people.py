# SPDX-License-Identifier: Apache-2.0
"""No sequence of human statements makes any head greener than its evidence.

Reviews are evidence where a locked gate asks for them, and nowhere else.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import FairtrialError
from app.core.identity import Role, Scope
from app.core.statement.decision import Through
from app.core.statement.hold import AppliesTo, HoldPredicate
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.verdict import RequiredState, ReviewRecord, VerdictDocument
from tests.documents import commit, document
from tests.drafts import Draft
from tests.factories import Story, begun
from tests.facts import starved
from tests.people import applies_to, clear, decision, hold, ref, review, waiver
from tests.reviews import READ, review_gate
from tests.unit.core.verdict.tales import B, run_study, word

GREENER = ("NOT_QUALIFIED", "HOLD", "QUALIFIED")
EVIDENCE = ("passes", "fails", "conflicts", "open", "none")
COMPUTED = ("required", "scopes", "attempt", "conflicting", "question", "claim")
PLACES = (
    applies_to(),
    applies_to(commit("head")),
    applies_to(commit("other")),
    applies_to(changes=["180"]),
    applies_to(changes=["9"]),
    applies_to(claim="land"),
)
SIGNERS = ("maintainer", "reviewer", "runner")
SCOPES = ("source", "cpu", "live_correctness")


def asked() -> ProtocolDocument:
    """Return the usual protocol, which also asks that one person accepted the source."""
    good = msgspec.to_builtins(document())
    return document(
        scopes=[Scope.LIVE_CORRECTNESS, Scope.SOURCE],
        cells=[*good["cells"], {"capture": "review", "id": READ}],
        gates=[*good["gates"], review_gate()],
    )


@cache
def told(evidence: str, branch: str | None, *, ask: bool = False) -> Story:
    """Return a head with some evidence, about which nobody has said anything yet."""
    story = begun(asked() if ask else None, policy=False)
    scopes = [Scope.LIVE_CORRECTNESS, *([Scope.SOURCE] if ask else [])]
    cleared_by = ["maintainer", "reviewer"]
    story.policy(tracked_branch=branch, holds_cleared_by=cleared_by, scopes=scopes)
    story.register("reviewer", Role.REVIEWER)
    match evidence:
        case "passes":
            run_study(story)
        case "fails":
            run_study(story, {B: starved()})
        case "conflicts":
            run_study(story, {B: starved()})
            run_study(story)
        case "open":
            story.open()
        case _:
            pass
    return story


def places(story: Story, about: AppliesTo, signer: str, _: int) -> Draft:
    return hold(story.make, about, signer=signer, why=f"Hold {story.size}.")


def clears(story: Story, about: AppliesTo, signer: str, nth: int) -> Draft:
    named = _named(story, about, nth)
    return clear(story.make, named or "0" * 64, about, signer=signer, why=f"Clear {story.size}.")


def restates(story: Story, about: AppliesTo, signer: str, nth: int) -> Draft:
    named = _named(story, about, nth)
    why = f"Again {story.size}."
    return hold(story.make, about, signer=signer, supersedes=named, why=why)


def reviews(story: Story, _: AppliesTo, signer: str, nth: int) -> Draft:
    standing = story.standing()
    assert standing.head is not None
    before = [one.digest for one in standing.head.reviews]
    changes: dict[str, Any] = {"outcome": "accepted", "did": [f"Look {story.size}."]}
    supersedes = before[-1] if before and nth % 2 else None
    return review(story.make, signer=signer, supersedes=supersedes, **changes)


def decides(story: Story, _: AppliesTo, signer: str, nth: int) -> Draft:
    reason = f"Reason {story.size}."
    through = Through(change="309", head=None, claim=None)
    made: list[Callable[[], Draft]] = [
        lambda: waiver(story.make, signer=signer, reason=reason),
        lambda: decision(story.make, signer=signer, reason=reason),
        lambda: decision(
            story.make, signer=signer, reason=reason, decided="landed_through", through=through
        ),
    ]
    return made[nth % 3]()


def moves(story: Story, _: AppliesTo, signer: str, nth: int) -> Draft:
    refs = story.standing().repository.refs
    tip = commit(("base", "moved", "head")[nth % 3])
    return ref(story.make, tip, signer=signer, supersedes=refs[-1].digest if refs else None)


def _named(story: Story, about: AppliesTo, nth: int) -> str | None:
    standing = story.standing()
    assert standing.head is not None
    holds = standing.repository.holds if about.head is None else standing.head.holds
    placed = [one.digest for one in holds if _is_placed(one.predicate, about)]
    return placed[nth % len(placed)] if placed else None


def _is_placed(predicate: HoldPredicate, about: AppliesTo) -> bool:
    return predicate.action == "place" and predicate.applies_to == about


SAY = (places, clears, restates, reviews, decides, moves)
SAYINGS = st.lists(
    st.tuples(
        st.sampled_from(SAY),
        st.sampled_from(PLACES),
        st.sampled_from(SIGNERS),
        st.integers(0, 5),
    ),
    max_size=12,
)


def greenness(document: VerdictDocument) -> int:
    return GREENER.index(document.word)


@given(st.sampled_from(EVIDENCE), st.sampled_from([None, "main"]), SAYINGS)
def test_no_sequence_of_human_statements_makes_a_head_greener_than_its_evidence(
    evidence: str, branch: str | None, sayings: list[tuple[Any, AppliesTo, str, int]]
) -> None:
    # A branch that is tracked only lowers the word too, so the evidence is that without one.
    alone = word(told(evidence, None))
    story = told(evidence, branch).copy()
    for say, about, signer, nth in sayings:
        try:
            story.append(say(story, about, signer, nth))
        except FairtrialError:
            continue
        document = word(story)
        assert greenness(document) <= greenness(alone)
        for name in COMPUTED:
            assert getattr(document, name) == getattr(alone, name)
        assert len(document.studies) == len(alone.studies)
        held = [one for one in document.holds if one.in_force]
        assert not (held and document.word == "QUALIFIED")


@given(st.sampled_from(EVIDENCE), SAYINGS)
def test_reviews_count_only_for_the_scope_whose_locked_gate_asks_for_them(
    evidence: str, sayings: list[tuple[Any, AppliesTo, str, int]]
) -> None:
    alone = word(told(evidence, None))
    before = word(told(evidence, None, ask=True))
    story = told(evidence, None, ask=True).copy()
    for say, about, signer, nth in sayings:
        try:
            story.append(say(story, about, signer, nth))
        except FairtrialError:
            continue
        found = word(story)
        # At its best the head is as green as it is without the question, and never without a yes.
        assert greenness(found) <= greenness(alone)
        assert _states(found, Scope.LIVE_CORRECTNESS) == _states(before, Scope.LIVE_CORRECTNESS)
        if found.word == "QUALIFIED":
            assert any(_counts(one) for one in found.reviews)


def _states(document: VerdictDocument, scope: Scope) -> list[RequiredState]:
    return [one for one in document.required if one.scope == scope]


def _counts(review: ReviewRecord) -> bool:
    stands = review.independent and not review.superseded and not review.said.suspect
    return review.outcome == "accepted" and review.scope == Scope.SOURCE and stands
