# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""From cases of an oracle file to the functions that the served verdict calls, and back.

Adapters only translate. They add and compare nothing and know no state by name: what a case comes
to is decided in ``app.core`` alone, and ``test_oracles`` walks this file's syntax tree to see that.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from app.core.identity import Scope, micros_of
from app.core.protocol.gate import Demand, canary_demand, identity_demand
from app.core.reason import Reason
from app.core.receipt.clock import acquired_before_lock
from app.core.score.balance import Accounts
from app.core.score.canary import answer_truth, observe_canary
from app.core.score.decide import Judged
from app.core.score.judge import ScoredSlot, judge, judge_study
from app.core.score.lattice import combine, enters, together
from app.core.score.number import number_text
from app.core.score.observed import (
    Absence,
    Observed,
    absent,
    conflicting,
    exact,
    unknown,
    zero_or_one,
)
from app.core.score.progress import observe_silence
from app.core.score.slot_metric import containers_changed
from app.core.score.state import State
from app.core.statement.judgement import ScopeState
from app.core.statement.verdict import Base, StudyRecord
from app.core.study.slots import slot_state
from app.core.verdict.fold import claims_of, give_verdict
from app.core.verdict.head_scopes import required_states
from app.core.verdict.policies import Requirement
from app.core.verdict.word import Grounds, reasons_for, word_for
from tests import facts as good
from tests.conformance.oracle_observations import Answer, domain_of, observed
from tests.conformance.oracle_statistics import STATISTICS
from tests.documents import digest, document
from tests.factories import opened


def answer(kind: str, gate: Any, inputs: Any) -> Answer:
    """Return what our code says about one case."""
    return ADAPTERS[kind](gate, inputs)


# ---- demands ----


def demand_of(kind: Any, gate: Any) -> Demand:
    """Return the demand of a gate with a number."""
    return Demand(
        kind,
        gate.get("statistic", "max"),
        gate["op"],
        Fraction(gate["limit"]),
        domain_of(gate.get("domain", ("0", "inf"))),
        gate.get("k"),
        gate.get("required_n"),
    )


def said(judged: Judged) -> Answer:
    """Return a judgement in the file's words."""
    seen = judged.interval
    interval = None if seen is None else [number_text(seen.lo), number_text(seen.hi)]
    counts = {"n_observed": judged.n_observed, "n_planned": judged.n_planned}
    return Answer(judged.state, judged.reason, {"interval": interval, **counts})


# ---- gates ----


def bound(gate: Any, inputs: Any) -> Answer:
    """A statistic against a limit."""
    observations = [observed(each) for each in inputs["arms"]["B"] or ()]
    return said(judge(demand_of("bound", gate), observations))


def progress(gate: Any, inputs: Any) -> Answer:
    """The longest silence of one stream."""
    facts = inputs["facts"]
    silence = observe_silence(
        Fraction(facts["submit"]),
        [Fraction(each) for each in facts["content_events"]],
        Fraction(facts["observation_end"]),
        ended=facts["stream_ended"],
    )
    return said(judge(demand_of("progress", gate), [silence]))


def canary(_gate: Any, inputs: Any) -> Answer:
    """The newcomer before the incumbent, in one slot."""
    facts = inputs["facts"]
    slot = observe_canary(
        observed(facts["b_final"]),
        observed(facts["a_last"]),
        op="<",
        answer=answer_truth(facts["b_answer"], facts["expect"]),
        precondition=facts["valid_overlap"],
    )
    return said(judge(canary_demand(), [slot]))


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


# ---- rules about what may be scored ----


def policy(gate: Any, inputs: Any) -> Answer:
    """One rule about what may be scored."""
    return RULES[gate["rule"]](inputs["facts"])


def one_slot(slot: Observed) -> Answer:
    """Return what a canary of one slot says, and whether the slot is still in it."""
    judged = judge(canary_demand(), [slot])
    return Answer(judged.state, judged.reason, {"retained": bool(judged.n_planned)})


def before_lock(facts: Any) -> Answer:
    """A capture from before its protocol's lock."""
    early = acquired_before_lock(
        acquired_us=micros_of(facts["acquired_at"]), locked_us=micros_of(facts["locked_at"])
    )
    invalid = absent(Absence.UNSCORABLE, Reason.ACQUIRED_BEFORE_LOCK)
    return one_slot(invalid if early else zero_or_one(value=True))


def amended_limit(facts: Any) -> Answer:
    """A limit relaxed in a later version, which scores nothing that was reserved before it."""
    seen = exact(Fraction(facts["observed"]))
    later = absent(Absence.NOT_STARTED) if facts["v2_locked_after_first_receipt"] else seen
    first = judge(demand_of("bound", {"op": "<=", "limit": facts["v1_limit"]}), [seen])
    second = judge(demand_of("bound", {"op": "<=", "limit": facts["v2_limit"]}), [later])
    return Answer(None, None, {"v1_state": first.state, "v2_state": second.state})


def other_identity(facts: Any) -> Answer:
    """What ran is not what was pinned."""
    pinned = [facts["locked"]]
    judged = judge(identity_demand(), [zero_or_one(value=facts["observed"] in pinned)])
    return Answer(judged.state, judged.reason, {"retained": bool(judged.n_planned)})


def other_container(facts: Any) -> Answer:
    """The engine's container was replaced while requests were under way."""
    engine = good.engine(facts["container_before"], facts["container_after"])
    nothing = {"op": "<=", "limit": "0"}
    changed = judge(demand_of("integrity", nothing), [containers_changed([engine])])
    after = judge(demand_of("bound", nothing), [unknown()])
    values = {"integrity_gate": changed.state, "other_gates_after_event": after.state}
    return Answer(changed.state, None, {"retained": bool(changed.n_planned), **values})


def no_gate(_facts: Any) -> Answer:
    """An exit code and a report, and no gate."""
    state, reason = together(())
    return Answer(state, reason, {})


def bad_signature(facts: Any) -> Answer:
    """A receipt whose signature does not verify."""
    invalid = absent(Absence.UNSCORABLE, Reason.SIGNATURE)
    return one_slot(zero_or_one(value=True) if facts["signature_ok"] else invalid)


def second_receipt(facts: Any) -> Answer:
    """Different receipts for one attempt; the same one again is one."""
    distinct = list(dict.fromkeys(facts["digests"]))
    match distinct:
        case [_]:
            return one_slot(zero_or_one(value=True))
        case _:
            return one_slot(conflicting(unknown() for _ in distinct))


def added_gate(facts: Any) -> Answer:
    """A gate added when results were known."""
    role: Any = "exploratory" if facts["added_after_first_receipt"] else "primary"
    return Answer(None, None, {"label": role.upper(), "counts_toward_verdict": enters(role)})


def appended(facts: Any) -> Answer:
    """More repetitions after an undecided study: another study, judged alone."""
    attempts = [facts["first"], facts["second"]]
    alone = [
        judge(canary_demand(), [absent(Absence.NOT_STARTED) for _ in range(each["n"])])
        for each in attempts
    ]
    own = [each["n"] for each in attempts]
    pooled = any(each.n_planned not in own for each in alone)
    return Answer(None, None, {"pooled": pooled, "attempts_shown": len(alone)})


def by_fault_table(facts: Any) -> Answer:
    """A request that failed before anything was measured, in the first arm of three."""
    protocol = document()
    story = opened(protocol)
    capture = good.warmup_failed(facts["http"])
    story.reserve("A/C2-canary/1")
    story.push("A/C2-canary/1", capture)
    study = story.study()
    slots = [
        ScoredSlot(slot.planned, standing.state, standing.fault, standing.reasons, ())
        for slot in study.slots.values()
        for standing in (slot_state(study, slot, story.now_us),)
    ]
    score = judge_study(protocol, slots)
    by_arm = {each.arm: each.state for each in score.judgements}
    values = {**by_arm, "regression_claim": bool(score.failures)}
    return Answer(score.scopes[0].state, None, values)


RULES: Mapping[str, Callable[[Any], Answer]] = {
    "acquired_before_lock": before_lock,
    "limit_amended_after_receipt": amended_limit,
    "identity_mismatch": other_identity,
    "container_changed": other_container,
    "no_gate_evaluated": no_gate,
    "signature": bad_signature,
    "conflicting_receipts": second_receipt,
    "gate_added_after_receipt": added_gate,
    "repetitions_appended": appended,
    "fault_table": by_fault_table,
}

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
