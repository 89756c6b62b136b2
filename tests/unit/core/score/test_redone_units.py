# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""Each kind without a p-value, done again from its judgement alone: rule, limit and units.

What a unit that says nothing could be is not in the judgement: a count is of nothing or one, a
delay anything, and every other number here is not below zero. Nor is a required number other than
the planned one.
"""

import re
from fractions import Fraction
from math import inf
from typing import Any, NamedTuple

import pytest

from app.core.statement.judgement import Interval, Judgement
from tests import contended, facts
from tests.contended import RATE, fairness, of_firsts, of_rates, ratio
from tests.documents import canary_gate, completeness_gate
from tests.gates import bound
from tests.judged_results import judged as reported
from tests.lints import with_
from tests.results import checks, equality_gate, with_cells
from tests.scores import FAILED, GOOD, MISSING, Filled, only, protocol, study

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


def units(found: Judgement) -> list[Ends]:
    """Return every planned unit; what is unknown is whatever its kind can be."""
    whole = {"canary": (-inf, inf), "completeness": (0, 1)}.get(found.kind, (0, inf))
    return [ends(each.interval, whole) for each in found.observations]


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
    if any(never(one, op, limit) for one in each):
        return "FAIL"
    return "PASS" if all(always(one, op, limit) for one in each) else "INCONCLUSIVE"


def margin_of(seen: Ends, op: str, limit: Any, *, failed: bool) -> Any:
    """Return the room to the limit at the worst end, of a FAIL at the best."""
    below = limit - (seen.lo if failed else seen.hi)
    above = (seen.hi if failed else seen.lo) - limit
    return below if op in ("<", "<=") else above if op in (">", ">=") else min(below, above)


def redone(found: Judgement) -> tuple[str, Any, Ends]:
    statistic, op, limit = rule_of(found)
    each = units(found)
    seen = folded(each, statistic, op)
    state = state_of(each if statistic == "all" else [seen], op, limit)
    if state == "PASS" and found.counts.unknown:
        state = "INCONCLUSIVE"
    return state, margin_of(seen, op, limit, failed=state == "FAIL"), seen


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
        (of_ttft(3, 9), "PASS"),
        (of_ttft(3, 11), "FAIL"),
        (of_ttft(3, 10), "INCONCLUSIVE"),  # the clock cannot tell
        (of_ttft(3, MISSING), "INCONCLUSIVE"),
        (of_ttft(3, FAILED), "FAIL"),
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
    assert found.observed is not None
    assert ends(found.observed, (0, 0)) == seen
    assert found.margin is not None
    assert number(found.margin) == margin
