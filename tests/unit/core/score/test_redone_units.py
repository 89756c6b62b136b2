# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Each kind without a p-value, done again from its judgement alone: rule, limit and units."""

import re
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import pytest
from msgspec import UNSET

from app.core.reason import Reason
from app.core.statement.interval import Interval
from app.core.statement.judgement import Judgement, Observation
from tests import contended, facts
from tests.contended import RATE, fairness, of_firsts, of_rates, ratio
from tests.documents import canary_gate, completeness_gate
from tests.gates import bound
from tests.judged_results import judged as reported
from tests.lints import with_
from tests.results import checks, equality_gate, with_cells
from tests.scores import (
    ABANDONED,
    FAILED,
    GOOD,
    MISSING,
    NOT_WARM,
    OTHER_IMAGE,
    STARVED,
    Filled,
    only,
    protocol,
    study,
)

NOT = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
COMPLETE: Filled = ("COMPLETE", None, (), (GOOD,))


class Ends(NamedTuple):
    """What is known of a number; an open end is not reached."""

    lo: Any
    lo_open: bool
    hi: Any
    hi_open: bool


def number(text: str) -> Any:
    return {"inf": inf, "-inf": -inf}.get(text) or Fraction(text)


def ends(of: Interval | None, whole: tuple[float, float]) -> Ends:
    if of is None:
        return Ends(whole[0], whole[0] == -inf, whole[1], whole[1] == inf)
    return Ends(number(of.lo), of.lo_open, number(of.hi), of.hi_open)


def domain_of(found: Judgement) -> Ends:
    return Ends(0, False, 0, False) if found.domain is UNSET else ends(found.domain, (0, 0))


def units(found: Judgement, *, for_pass: bool) -> list[Ends]:
    """Return every planned unit as far as it can be; what is contradicted counts for a FAIL."""
    whole = domain_of(found)
    return [
        whole
        if each.interval is None or (for_pass and each.absence in ("conflict", "doubted"))
        else within(ends(each.interval, (0, 0)), whole)
        for each in found.observations
    ]


def within(one: Ends, whole: Ends) -> Ends:
    beyond = one.hi > whole.hi >= one.lo
    return Ends(one.lo, one.lo_open, whole.hi, whole.hi_open) if beyond else one


def rule_of(found: Judgement) -> tuple[str, str, Any]:
    """Return statistic, operator and limit by the words of the rule and the limit beside it."""
    (op,) = re.findall(r" ([<>]=?|==) ", found.rule)
    assert found.limit is not None
    words = found.rule.split()
    ranks = re.match(r"order statistic (\d+)", found.rule)
    by_slot = re.search(r", (\w+) of the slots", found.rule)
    statistic = ranks[1] if ranks else by_slot[1] if by_slot else words[0]
    return "all" if found.kind == "canary" else statistic, op, number(found.limit)


def ranked(of: list[Ends], rank: int) -> Ends:
    lo = sorted((each.lo, each.lo_open) for each in of)[rank - 1]
    hi = sorted((each.hi, not each.hi_open) for each in of)[rank - 1]
    return Ends(*lo, hi[0], not hi[1])


def folded(of: list[Ends], statistic: str, op: str) -> Ends:
    low, n = op in ("<", "<="), len(of)
    match statistic:
        case "all" if op == "==":
            first, last = ranked(of, 1), ranked(of, n)
            return Ends(first.lo, first.lo_open, last.hi, last.hi_open)
        case "max" | "min" | "all":
            return ranked(of, n if statistic == "max" or (statistic == "all" and low) else 1)
        case "median":
            return ranked(of, n // 2 + 1 if low else (n + 1) // 2)
        case "count" | "sum":
            opened = any(each.lo_open for each in of), any(each.hi_open for each in of)
            return Ends(sum(e.lo for e in of), opened[0], sum(e.hi for e in of), opened[1])
        case rank:
            return ranked(of, int(rank))


def always(one: Ends, op: str, limit: Any) -> bool:
    match op:
        case "<":
            return bool(one.hi < limit or (one.hi == limit and one.hi_open))
        case ">":
            return bool(one.lo > limit or (one.lo == limit and one.lo_open))
        case "<=":
            return bool(one.hi <= limit)
        case ">=":
            return bool(one.lo >= limit)
        case _:
            return bool(one.lo == one.hi == limit)


def never(one: Ends, op: str, limit: Any) -> bool:
    if op == "==":
        return always(one, "<", limit) or always(one, ">", limit)
    return always(one, NOT[op], limit)


def state_of(each: list[Ends], op: str, limit: Any) -> str:
    return worst(
        [
            "FAIL"
            if never(one, op, limit)
            else "PASS"
            if always(one, op, limit)
            else "INCONCLUSIVE"
            for one in each
        ]
    )


def worst(states: list[str]) -> str:
    return next((each for each in ("FAIL", "INCONCLUSIVE") if each in states), "PASS")


def margin_of(seen: Ends, op: str, limit: Any, *, failed: bool) -> Any:
    """Return the room to the limit at the worst end, of a FAIL at the best."""
    below = limit - (seen.lo if failed else seen.hi)
    above = (seen.hi if failed else seen.lo) - limit
    return below if op in ("<", "<=") else above if op in (">", ">=") else min(below, above)


def redone(found: Judgement) -> tuple[str, Any, Ends | None]:
    """Return state, margin and statistic, in the order of deciding."""
    statistic, op, limit = rule_of(found)
    names = {each.absence for each in found.observations}
    state = said_by(found, statistic, op, limit, for_pass=False)
    if UNSET not in names and (state != "FAIL" or names.isdisjoint({"conflict", "doubted"})):
        return ("NOT_RUN" if names.isdisjoint(TRIED) else "INVALID"), None, None
    if state != "FAIL":
        state = said_by(found, statistic, op, limit, for_pass=True)
        state = "INCONCLUSIVE" if state == "FAIL" or too_few(found) else state
    seen = folded(units(found, for_pass=state != "FAIL"), statistic, op)
    return state, margin_of(seen, op, limit, failed=state == "FAIL"), seen


TRIED = {"unscorable", "abandoned", "conflict", "doubted"}


def said_by(found: Judgement, statistic: str, op: str, limit: Any, *, for_pass: bool) -> str:
    each = units(found, for_pass=for_pass)
    if found.kind == "canary":
        pairs = zip(found.observations, each, strict=True)
        return worst([slot_again(one, delay, op, limit) for one, delay in pairs])
    of = each if statistic == "all" else [folded(each, statistic, op)]
    return state_of(of, op, limit)


def slot_again(one: Observation, delay: Ends, op: str, limit: Any) -> str:
    """Return what the delay and the answers of one slot say of a canary."""
    answers = one.told.answers if one.told else []
    wrong = [] if answers is UNSET else [each.matched for each in answers]
    if never(delay, op, limit) or (False in wrong and one.basis == "exact"):
        return "FAIL"
    return "PASS" if always(delay, op, limit) and not wrong else "INCONCLUSIVE"


def too_few(found: Judgement) -> bool:
    """Tell whether fewer units count than PASS needs of each arm: by default every planned one."""
    if found.required is UNSET:
        return found.counts.unknown > 0
    return any(each.n < found.required.n for each in found.required.counted)


# ---- gates on streams ----


def of_ttft(*seconds: int | Filled, **members: Any) -> Judgement:
    """Judge a bound on newcomers whose first content came after so many seconds."""
    made = [each if isinstance(each, tuple) else answered(each) for each in seconds]
    filled = {f"B{number}": each for number, each in enumerate(made, 1)}
    gate = bound(**members)
    return only(study(protocol(gate, repetitions=len(made)), filled), "bound-b")


def answered(seconds: int, **members: Any) -> Filled:
    first = 680_000 + seconds * 1_000_000
    newcomer = facts.newcomer(first=first, last=first + 100_000, **members)
    return ("COMPLETE", None, (), (facts.capture(facts.incumbent(), newcomer),))


def canary(*filled: Filled) -> Judgement:
    slots = {f"B{number}": each for number, each in enumerate(filled, 1)}
    gate = with_(canary_gate("B"), id="order")
    return only(study(protocol(gate, repetitions=len(filled)), slots), "order")


def silence(*filled: Filled) -> Judgement:
    slots = {f"B{number}": each for number, each in enumerate(filled, 1)}
    gate = with_(bound("max_content_gap", "13000000"), kind="progress", id="silence")
    return only(study(protocol(gate, repetitions=len(filled)), slots), "silence")


def complete(*filled: Filled) -> Judgement:
    slots = {f"B{number}": each for number, each in enumerate(filled, 1)}
    of = protocol(completeness_gate("B", 2 * len(filled)), repetitions=len(filled))
    return only(study(of, slots), "complete-b")


def lanes(gate: Any, *filled: Filled) -> Judgement:
    of = contended.protocol(gate, repetitions=len(filled))
    slots = {f"B/{contended.CELL}/{number}": each for number, each in enumerate(filled, 1)}
    return only(contended.score(of, slots, rest=of_firsts(1, 1, 1, 1)), gate["id"])


def equality(*values: str | None) -> Judgement:
    (value,) = values
    seen = checks(values=[]) if value is None else checks(values=[reported_value(value)])
    return reported(with_cells(equality_gate("0.5")), {"B": seen}).judgements[0]


def reported_value(text: str) -> Any:
    given = checks().values[0]
    return type(given)(name=given.name, unit=given.unit, value=text)


def stopped(**members: Any) -> Filled:
    """Return a slot whose newcomer was no longer watched after 2 s, without any content."""
    given = {"submitted_us": 680_000, "planned_us": 680_000, "observed_until_us": 2_680_000}
    newcomer = facts.stream("newcomer", 1, **(given | members))
    return ("PARTIAL", None, (), (facts.capture(facts.incumbent(), newcomer),))


def both(*captures: Any) -> Filled:
    return ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), captures)


UP_TO_9_S: Any = {"metric": {**bound()["metric"], "domain": ["0", "9000000"]}}
MEDIAN: Any = {"statistic": "median"}
SECOND: Any = {"statistic": "kth", "k": 2}
FOUR = (9, 10, 11, 12)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (canary(COMPLETE, COMPLETE), "PASS"),
        (canary(COMPLETE, answered(30)), "FAIL"),
        (canary(COMPLETE, FAILED), "FAIL"),
        (canary(COMPLETE, MISSING), "INCONCLUSIVE"),
        (canary(COMPLETE, answered(8, answer_matched=False)), "FAIL"),
        (canary(COMPLETE, answered(8, answer_matched=None)), "INCONCLUSIVE"),
        (canary(COMPLETE, stopped(answer_matched=False)), "INCONCLUSIVE"),
        (canary(MISSING, MISSING), "NOT_RUN"),
        (canary(MISSING, NOT_WARM), "INVALID"),
        (canary(OTHER_IMAGE, ABANDONED), "INVALID"),
        (canary(COMPLETE, both(GOOD, STARVED)), "INCONCLUSIVE"),
        (canary(COMPLETE, both(STARVED, STARVED)), "FAIL"),
        (canary(both(STARVED, STARVED)), "FAIL"),
        (canary(both(GOOD, STARVED)), "INVALID"),
        (of_ttft(3, 9), "PASS"),
        (of_ttft(3, 11), "FAIL"),
        (of_ttft(3, 10), "INCONCLUSIVE"),  # the clock cannot tell
        (of_ttft(3, MISSING), "INCONCLUSIVE"),
        (of_ttft(3, FAILED), "FAIL"),
        (of_ttft(MISSING, MISSING), "NOT_RUN"),
        (of_ttft(ABANDONED, MISSING), "INVALID"),
        (of_ttft(3, stopped()), "INCONCLUSIVE"),
        (of_ttft(3, stopped(), **UP_TO_9_S), "PASS"),
        (of_ttft(3, MISSING, **UP_TO_9_S), "INCONCLUSIVE"),
        (of_ttft(3, MISSING, **UP_TO_9_S, required_n=1), "PASS"),
        (of_ttft(3, 4, unit="boot"), "INCONCLUSIVE"),
        (of_ttft(3, 4, unit="boot", required_n=1), "PASS"),
        (of_ttft(3, both(answered(3)[3][0], answered(4)[3][0])), "INCONCLUSIVE"),
        (of_ttft(3, both(answered(12)[3][0], answered(14)[3][0])), "FAIL"),
        (of_ttft(*FOUR, **MEDIAN), "FAIL"),
        (of_ttft(8, 9, 9, 12, **MEDIAN), "PASS"),
        (of_ttft(8, 9, 12, MISSING, **SECOND), "INCONCLUSIVE"),
        (of_ttft(9, 11, 12, 12, **SECOND), "FAIL"),
        (silence(answered(9), answered(12)), "PASS"),
        (silence(answered(9), answered(14)), "FAIL"),
        (silence(answered(9), MISSING), "INCONCLUSIVE"),
        (complete(COMPLETE, COMPLETE), "PASS"),
        (complete(COMPLETE, FAILED), "FAIL"),
        (complete(COMPLETE, MISSING), "INCONCLUSIVE"),
        (lanes(fairness(limit="30"), of_firsts(1, 2, 29, 30)), "PASS"),
        (lanes(fairness(limit="30"), of_firsts(1, 2, 29, 30.5)), "FAIL"),
        (lanes(fairness(limit="101"), of_firsts(1, 2, 29, None)), "INCONCLUSIVE"),
        (lanes(fairness(RATE, "10"), of_rates(20, 10, 20, 20), of_rates(9, 9, 9, 9)), "FAIL"),
        (lanes(ratio(), of_rates(10, 10, 10, 20)), "PASS"),
        (lanes(ratio(), of_rates(10, 10, 10, 20), of_rates(10, 10, 10, 25)), "FAIL"),
        (lanes(ratio(), of_rates(10, 10, 10, 20), MISSING), "INCONCLUSIVE"),
        (equality("0.5"), "PASS"),
        (equality("0.75"), "FAIL"),
        (equality(None), "INCONCLUSIVE"),
    ],
    ids=lambda each: each if isinstance(each, str) else each.kind,
)
def test_gate_on_units_is_done_again_from_its_judgement(found: Judgement, state: str) -> None:
    again, margin, seen = redone(found)
    assert (found.state, again) == (state, state)
    assert (None if found.observed is None else ends(found.observed, (0, 0))) == seen
    assert (None if found.margin is None else number(found.margin)) == margin
    for each in found.observations:
        assert (each.why is UNSET) is (each.basis == "exact") or each.absence is UNSET
        assert each.basis != "unknown" or each.why is not UNSET
