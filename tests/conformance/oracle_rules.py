# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""Oracle cases about what may be scored at all, as the served verdict has them.

Like ``oracle_adapters``, of which this is a part, it only translates.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from app.core.identity import micros_of
from app.core.protocol.amend import role_for_earlier
from app.core.protocol.gate import Demand, canary_demand, identity_demand
from app.core.protocol.lint import lint
from app.core.protocol.plan import plan
from app.core.reason import Reason
from app.core.receipt.clock import acquired_before_lock
from app.core.score.judge import ScoredSlot, judge, judge_study
from app.core.score.judgement import counts_of
from app.core.score.lattice import enters, together
from app.core.score.observe import Unit
from app.core.score.observed import (
    Absence,
    Observed,
    absent,
    conflicting,
    exact,
    unknown,
    zero_or_one,
)
from app.core.statement.capture import Counter, StreamsCapture
from app.core.statement.judgement import UnitCount
from app.core.verdict.fold import claims_of, give_verdict
from tests import facts as good
from tests.conformance.oracle_observations import Answer, domain_of
from tests.documents import document
from tests.factories import opened
from tests.gates import bound as bound_gate
from tests.gates import integrity


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


def counted(observations: Sequence[Observed]) -> UnitCount:
    """Return the denominator that a judgement of these units repeats."""
    return counts_of([Unit("B/C2-canary/1", None, each) for each in observations])


def one_slot(slot: Observed) -> Answer:
    """Return what a canary of one slot says, and whether the slot is still in it."""
    judged = judge(canary_demand(), [slot])
    return Answer(judged.state, judged.reason, {"retained": bool(counted([slot]).planned)})


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
    slot = zero_or_one(value=facts["observed"] in pinned)
    judged = judge(identity_demand(), [slot])
    return Answer(judged.state, judged.reason, {"retained": bool(counted([slot]).planned)})


def other_container(facts: Any) -> Answer:
    """The engine's container was replaced, or restarted, while requests were under way."""
    same, late = integrity("container_identity"), bound_gate("settlement", "60000000")
    protocol = document(arms=["B"], gates=[same, late])
    engine = good.engine(facts["container_before"], facts["container_after"])
    incumbent = good.incumbent()
    if facts["requests_failed_at_restart"]:
        incumbent = good.stream("incumbent", 0, error_class="connection_reset")
    whole = good.capture(incumbent, good.newcomer(), identities=[engine])
    restarts = Counter(name="restarts", before=0, after=facts["restarts"])
    capture = replace(whole, observations=replace(whole.observations, counters=[restarts]))
    (planned,) = plan(protocol)
    slot = ScoredSlot(planned, "PARTIAL", None, (Reason.UNFINISHED_STREAM,), (capture,))
    changed, after = judge_study(protocol, [slot]).judgements
    values = {"integrity_gate": changed.state, "other_gates_after_event": after.state}
    return Answer(changed.state, None, {"retained": bool(changed.counts.planned), **values})


def no_gate(facts: Any) -> Answer:
    """An exit code and a report, and no gate; of gates there is nothing but their number."""
    empty = judge(canary_demand(), [absent(Absence.NOT_STARTED)])
    each = [(empty.state, empty.reason) for _ in range(facts["gates_evaluated"])]
    state, reason = together(each)
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
    """A gate that a later version adds, held against what its lock came after or before."""
    first = document()
    later = document(gates=[*to_builtins(first)["gates"], bound_gate(id="added")], version=2)
    known = first if facts["added_after_first_receipt"] else later
    role = role_for_earlier("added", known, later)
    return Answer(None, None, {"label": role.upper(), "counts_toward_verdict": enters(role)})


def appended(facts: Any) -> Answer:
    """More repetitions after an undecided study: another study, judged alone."""
    attempts = [facts["first"], facts["second"]]
    alone = [counted([absent(Absence.NOT_STARTED) for _ in range(each["n"])]) for each in attempts]
    own = [each["n"] for each in attempts]
    pooled = any(each.planned not in own for each in alone)
    return Answer(None, None, {"pooled": pooled, "attempts_shown": len(alone)})


def by_fault_table(facts: Any) -> Answer:
    """A request that failed in the first arm of three, under the rule declared for its status."""
    protocol = document(fault_table=[*declared(facts), *AFTER])
    if any(finding.severity in REFUSED for finding in lint(protocol)):
        protocol = document(fault_table=AFTER)
    story = opened(protocol)
    story.reserve("A/C2-canary/1")
    story.push("A/C2-canary/1", FAILED_IN[facts["phase"]](facts["http"]))
    story.end()
    story.close_due()
    standing = story.standing()
    served = give_verdict(
        standing,
        claim=claims_of(standing)[0],
        log_time_us=story.now_us,
        captures=story.captures.__getitem__,
    )
    (study,) = served.studies
    by_arm = {each.arm: each.state for each in study.judgements if each.gate in CANARIES}
    regression = Reason.SCOPE_FAILED in [each.code for each in served.reasons]
    return Answer(study.scopes[0].state, None, {**by_arm, "regression_claim": regression})


def declared(facts: Any) -> Iterator[Any]:
    """Yield the row that a rule such as ``http_404_on_configured_url => harness`` declares."""
    found = re.match(r"http_(([1-5])..).*?=> *([a-z]+)$", facts["predeclared_rule"] or "")
    if found is not None:
        ends = {"xx": (f"{found[2]}00", f"{found[2]}99")}.get(found[1][1:], (found[1], found[1]))
        among = dict(zip(("first", "last"), map(int, ends), strict=True))
        yield {"phase": facts["phase"], "http_status": among, "fault": found[3]}


FAILED_IN: Mapping[str, Callable[[int], StreamsCapture]] = {
    "warmup": good.warmup_failed,
    "measured": good.server_error,
}
CANARIES = frozenset(gate.id for gate in document().gates if gate.rule is not UNSET)
AFTER = [{"phase": "any", "error": "deadline", "fault": "sut"}]
"""What is declared about anything but the status."""
REFUSED = ("error",)
"""Findings for which no lock takes the rule, so nothing is declared."""

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
