# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  an oracle file is any JSON
"""From cases of an oracle file to a protocol and captures, to be sent over REST.

Adapters only translate, as those of ``oracle_adapters`` do: what a case comes to is decided behind
the service. A case that no capture can show (a value that no harness reads) is not translated, and
says why.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from operator import sub
from typing import Any

from tests import facts as good
from tests.conformance.rest_captures import (
    LONG_US,
    NotShownError,
    Taken,
    micros,
    slot_of_count,
    slot_of_request,
    slot_of_time,
    slots,
    taken,
)
from tests.documents import CELL, canary_gate, completeness_gate

ORACLE = "oracle"
DIRECTIONS = {
    "<": "lower_is_better",
    "<=": "lower_is_better",
    "==": "lower_is_better",
    ">": "higher_is_better",
    ">=": "higher_is_better",
}
UNBOUNDED: Mapping[str, None] = {"inf": None}
EXPLORED = {"kind": "bound", "role": "exploratory"}
COUNTED = {"0": {"kind": "integrity", "role": "integrity"}}
"""The gate a counter stands in, by its limit: what may happen sometimes breaks no integrity."""
SENT_US = {True: 680_000, False: 100_000}
"""When the newcomer is sent: while the incumbent decodes, or before it does."""
FIRST_US = 430_000
"""The incumbent's first content."""


@dataclass(frozen=True, slots=True)
class Told:
    """A case as REST takes it.

    Attributes:
        gate: the gate record, as JSON; its id is ``ORACLE``.
        cell: the one cell; None: the canary's.
        captures: one for each repetition.
    """

    gate: Any
    captures: Sequence[Taken]
    cell: Any = None


def told(case: Any) -> Told | None:
    """Return the case as REST takes it; None: no capture shows such a value."""
    key = case["kind"], case["gate"].get("unit")
    try:
        return ADAPTERS[key](case["gate"], case["inputs"]) if key in ADAPTERS else None
    except NotShownError:
        return None


def plain(text: str) -> str:
    """Return a decimal without an exponent, as protocols write it."""
    return format(Decimal(text), "f")


# ---- what is demanded ----


def gate_of(gate: Any, **members: Any) -> Any:
    """Return a gate record with the case's statistic, operator, limit and domain."""
    low, high = gate.get("domain", ("0", "inf"))
    record = {
        "id": ORACLE,
        "role": "primary",
        "claim": "sample",
        "scope": "live_correctness",
        "population": {
            "arm": "B",
            "cell": CELL,
            "stream_role": "newcomer",
            "phase": "measured",
            "unit": "slot",
        },
        "statistic": gate.get("statistic", "max"),
        "comparison": {"kind": "absolute", "op": gate["op"], "limit": plain(gate["limit"])},
        **{name: gate[name] for name in ("k", "required_n") if name in gate},
    }
    metric = {
        "direction": DIRECTIONS[gate["op"]],
        "domain": [low, UNBOUNDED.get(high, high)],
        **members.pop("metric"),
    }
    return {**record, "metric": metric, **members}


def alone() -> Any:
    """Return a cell of one stream, sent at once."""
    return {
        "id": CELL,
        "capture": "streams",
        "concurrency": 1,
        "warmup": None,
        "streams": [
            {
                "role": "newcomer",
                "lane": 0,
                "prompt_tokens": {"target": 64, "tolerance": 64},
                "max_output_tokens": 1024,
                "exact_output": False,
                "expected_answer": None,
                "answer_parts": None,
                "starts": {"at": "slot_start"},
            }
        ],
        "preconditions": [],
        "ends": {"slot_deadline_us": LONG_US, "cancels": [], "cancel_is": "deadline"},
    }


# ---- the kinds ----


def bound_of_time(gate: Any, inputs: Any) -> Told:
    """A statistic of times to the first content.

    The file also asks for statistics that no gate that decides may have, such as a least time of at
    least something. An exploratory gate is judged by the same rules and decides nothing.
    """
    metric = {"name": "ttft", "unit": "s", "clock": "monotonic", "source": "client"}
    record = gate_of(
        gate, kind="bound", role="exploratory", metric=metric, on_server_failure="worst"
    )
    return Told(record, slots(inputs, slot_of_time), alone())


def bound_of_requests(gate: Any, inputs: Any) -> Told:
    """How many requests completed."""
    metric = {
        "name": "complete",
        "unit": "1",
        "direction": "higher_is_better",
        "accepted_bases": ["finish_reason"],
    }
    record = gate_of(gate, kind="completeness", metric=metric, on_server_failure="worst")
    return Told(record, slots(inputs, slot_of_request), alone())


def bound_of_counts(gate: Any, inputs: Any) -> Told:
    """A counter's sum: an integrity gate, where the limit is zero."""
    metric = {"name": "preemptions", "unit": "1", "source": "counter"}
    record = gate_of(gate, **COUNTED.get(gate["limit"], EXPLORED), metric=metric)
    return Told(record, slots(inputs, slot_of_count), alone())


def progress(gate: Any, inputs: Any) -> Told:
    """The longest silence of one stream."""
    facts = inputs["facts"]
    submitted = micros(facts["submit"])
    events = [micros(each, submitted) for each in facts["content_events"]]
    end = micros(facts["observation_end"], max([submitted, *events]))
    seen = {
        "submitted_us": submitted,
        "first_generated_us": next(iter(events), None),
        "first_answer_us": next(iter(events), None),
        "content_gaps_us": [sub(later, earlier) for earlier, later in pairwise(events)],
        "last_content_us": next(reversed(events), None),
        "observed_until_us": end,
    }
    ended = {"settled_us": end} if facts["stream_ended"] else {}
    said = {"tokens": len(events)} if facts["stream_ended"] else {}
    make = good.complete_stream if facts["stream_ended"] else good.stream
    metric = {"name": "max_content_gap", "unit": "s", "clock": "monotonic", "source": "client"}
    record = gate_of(gate, kind="progress", metric=metric, on_server_failure="worst")
    return Told(record, [taken(make("newcomer", 0, **seen, **ended, **said))], alone())


def canary(_gate: Any, inputs: Any) -> Told:
    """The newcomer before the incumbent, in one slot."""
    facts = inputs["facts"]
    sent = SENT_US[facts["valid_overlap"]]
    wanted = [facts["expect"]]
    if None in wanted:
        raise NotShownError(facts)
    answered = None if facts["b_answer"] is None else facts["b_answer"] in wanted
    match facts["a_last"], facts["b_final"]:
        case {"v": last}, {"gt": low}:
            until = micros(low, sent)
            newcomer = good.stream("newcomer", 1, submitted_us=sent, observed_until_us=until)
        case {"v": last}, {"v": read}:
            at = micros(read, sent)
            newcomer = good.newcomer(submitted_us=sent, first=at, last=at, answer_matched=answered)
        case _:
            raise NotShownError(facts)
    incumbent = good.incumbent(first=FIRST_US, last=micros(last, FIRST_US))
    record = {**canary_gate("B"), "id": ORACLE, "resolution_us": 0}
    resolution = one_resolution(facts["a_last"], facts["b_final"])
    return Told(record, [taken(incumbent, newcomer, resolution_us=resolution)])


def one_resolution(*times: Any) -> int:
    """Return the resolution of the one clock that all times were read from."""
    match list(dict.fromkeys(each.get("res", "0") for each in times)):
        case [only]:
            return micros(only)
        case _:
            raise NotShownError(times)


ADAPTERS: Mapping[tuple[str, str | None], Callable[[Any, Any], Told]] = {
    ("bound", "s"): bound_of_time,
    ("bound", "requests"): bound_of_requests,
    ("bound", "count"): bound_of_counts,
    ("progress", "s"): progress,
    ("canary", None): canary,
}


def companion(repetitions: int) -> Any:
    """Return the completeness gate that a live scope must have beside the oracle's."""
    return completeness_gate("B", repetitions)
