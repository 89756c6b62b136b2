# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""From cases of an oracle file to the functions that the served verdict calls, and back.

Adapters only translate. They add and compare nothing and know no state by name: what a case comes
to is decided in ``app.core`` alone, and ``test_oracles`` walks this file's syntax tree to see that.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from app.core.identity import Scope
from app.core.protocol.gate import Demand, canary_demand
from app.core.reason import Reason
from app.core.score.balance import Accounts
from app.core.score.canary import observe_canary
from app.core.score.interval import Truth
from app.core.score.judge import ScoredSlot, judge
from app.core.score.lattice import combine
from app.core.score.measure import answer_of
from app.core.score.number import number_text
from app.core.score.observed import (
    Observed,
    absent,
)
from app.core.score.progress import observe_silence
from app.core.score.reading import Ending, Reading
from app.core.score.sample import Sample
from app.core.score.state import State
from app.core.statement.judgement import ScopeState
from app.core.statement.verdict import Base, StudyRecord
from app.core.study.slots import slot_state
from app.core.verdict.fold import claims_of, give_verdict
from app.core.verdict.head_scopes import required_states
from app.core.verdict.policies import Requirement
from app.core.verdict.word import Grounds, reasons_for, word_for
from tests import facts as good
from tests.conformance.oracle_observations import Answer, observed
from tests.conformance.oracle_rules import RULES, counted, demand_of
from tests.conformance.oracle_statistics import STATISTICS
from tests.documents import digest, document, streams_cell
from tests.factories import opened


def answer(kind: str, gate: Any, inputs: Any) -> Answer:
    """Return what our code says about one case."""
    return ADAPTERS[kind](gate, inputs)


def said(demand: Demand, observations: Sequence[Observed]) -> Answer:
    """Return what a demand says of units in the file's words."""
    judged = judge(demand, observations)
    seen = judged.interval
    interval = None if seen is None else [number_text(seen.lo), number_text(seen.hi)]
    n_observed = Sample(tuple(observations), demand.domain).n_observed
    counts = {"n_observed": n_observed, "n_planned": counted(observations).planned}
    return Answer(judged.state, judged.reason, {"interval": interval, **counts})


# ---- gates ----


def bound(gate: Any, inputs: Any) -> Answer:
    """A statistic against a limit."""
    observations = [observed(each) for each in inputs["arms"]["B"] or ()]
    return said(demand_of("bound", gate), observations)


def progress(gate: Any, inputs: Any) -> Answer:
    """The longest silence of one stream."""
    facts = inputs["facts"]
    silence = observe_silence(
        Fraction(facts["submit"]),
        [Fraction(each) for each in facts["content_events"]],
        Fraction(facts["observation_end"]),
        ended=facts["stream_ended"],
    )
    return said(demand_of("progress", gate), [silence])


def canary(_gate: Any, inputs: Any) -> Answer:
    """The newcomer before the incumbent, in one slot."""
    facts = inputs["facts"]
    seen = observe_canary(
        observed(facts["b_final"]), observed(facts["a_last"]), op="<", answer=answered(facts)
    )
    return said(canary_demand(), [seen if facts["valid_overlap"] else not_contended()])


def answered(facts: Any) -> Truth:
    """Return whether the newcomer's answer is the expected one, where one is expected."""
    wanted = [facts["expect"]]
    if None in wanted:
        return Truth.TRUE
    given = None if facts["b_answer"] is None else facts["b_answer"] in wanted
    planned = streams_cell(document()).streams[1]
    newcomer = good.newcomer(answer_matched=given)
    return answer_of(Reading(planned, newcomer, Ending.COMPLETE, 0, deadline_passed=False))


def not_contended() -> Observed:
    """Return what a study holds of a slot whose newcomer was sent when the incumbent was over."""
    late = good.newcomer(submitted_us=21_500_000, first=22_000_000, last=23_000_000)
    story = opened(document(arms=["B"]))
    story.reserve("B/C2-canary/1")
    story.push("B/C2-canary/1", good.capture(good.incumbent(), late))
    (slot,) = story.study().slots.values()
    standing = slot_state(story.study(), slot, story.now_us)
    scored = ScoredSlot(slot.planned, standing.state, standing.fault, standing.reasons, ())
    (seen,) = [absent(each, scored.why) for each in [scored.absence] if each is not None]
    return seen


# ---- above the gates ----


def states_together(gate: Any, inputs: Any) -> Answer:
    """States of several cells or arms."""
    states = [State(each) for each in inputs["facts"]["states"]]
    return Answer(combine(states, mode=gate["mode"], k=gate.get("k", 1)), None, {})


def head(gate: Any, inputs: Any) -> Answer:
    """Evidence about a head and about others, under a policy that requires scopes."""
    facts = inputs["facts"]
    this_head = [facts["head"]]
    studies = [
        study_about(scope, evidence["state"], tests_head=evidence["head"] in this_head)
        for scope, evidence in facts["scopes"].items()
    ]
    listed = frozenset(study.protocol.digest for study in studies)
    demands = [Requirement(Scope(scope), listed) for scope in gate["required_scopes"]]
    required = required_states(demands, studies)
    base = Base(commit=None, tracked_branch=None, tip=None, state="NOT_TRACKED")
    grounds = Grounds(
        unknown=(),
        has_policy=True,
        required=required,
        studies=studies,
        masked=(),
        moved=(),
        base=base,
    )
    effective = {each.scope.value: each.state for each in required}
    return Answer(word_for(reasons_for(grounds)), None, {"effective": effective})


def study_about(scope: str, state: Any, *, tests_head: bool) -> StudyRecord:
    """Return the record of a closed study with one scope, as a verdict document holds it."""
    story = opened()
    standing = story.standing()
    served = give_verdict(
        standing,
        claim=claims_of(standing)[0],
        log_time_us=story.now_us,
        captures=story.captures.__getitem__,
    )
    (blank,) = served.studies
    counts = blank.scopes[0].counts
    one = ScopeState(scope=Scope(scope), state=state, reason=Reason.NO_STUDY, counts=counts)
    closed: Any = {"state": "CLOSED", "sealed": False}
    return replace(blank, study=digest(scope), scopes=[one], tests_head=tests_head, **closed)


def flow(_gate: Any, inputs: Any) -> Answer:
    """The accounting identity."""
    accounts = Accounts(**inputs["facts"])
    state, reason = accounts.broken or (None, None)
    values = {
        "balanced": accounts.balanced,
        "denominator": accounts.denominator,
        "fully_observed": accounts.fully_observed,
        "bounded_or_unknown": accounts.bounded_or_unknown,
    }
    return Answer(state, reason, values)


def policy(gate: Any, inputs: Any) -> Answer:
    """One rule about what may be scored."""
    return RULES[gate["rule"]](inputs["facts"])


ADAPTERS: Mapping[str, Callable[[Any, Any], Answer]] = {
    "bound": bound,
    "progress": progress,
    "canary": canary,
    "combine": states_together,
    "head": head,
    "flow": flow,
    "policy": policy,
    **STATISTICS,
}
