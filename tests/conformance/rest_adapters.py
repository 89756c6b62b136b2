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

from msgspec.structs import replace

from app.core.statement.capture import Clock, Counter, Stream, StreamsCapture
from tests import facts as good
from tests.documents import CELL, canary_gate, completeness_gate

ORACLE = "oracle"
LONG_US = 4_000_000_000
"""A slot's deadline beyond every limit and observation of the file."""

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
SENT_AT = {True: "0.68", False: "21.5"}
"""When the newcomer is sent: while the incumbent decodes, or when that is over."""

Taken = StreamsCapture | None
"""What fills a slot; None: nothing does."""


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
    return ADAPTERS[key](case["gate"], case["inputs"]) if key in ADAPTERS else None


def micros(seconds: str) -> int:
    """Return seconds as the microseconds that captures count."""
    return int(Decimal(seconds).scaleb(6))


# ---- what is demanded ----


def gate_of(gate: Any, **members: Any) -> Any:
    """Return a gate record with the case's statistic, operator, limit and domain."""
    low, high = gate["domain"]
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
        "statistic": gate["statistic"],
        "comparison": {"kind": "absolute", "op": gate["op"], "limit": gate["limit"]},
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


# ---- what is captured ----


def taken(*streams: Stream, resolution_us: int = 0) -> StreamsCapture:
    """Return a capture by a clock of that resolution."""
    clock = Clock(kind="monotonic", zero="slot_start", resolution_us=resolution_us)
    return replace(good.capture(*streams), clock=clock)


def first_token_at(seconds: str) -> Stream:
    """Return a complete stream whose first content came then."""
    at = micros(seconds)
    return good.complete_stream("newcomer", 0, first=at, last=at, tokens=2)


def watched_until(seconds: str) -> Stream:
    """Return a stream that gave nothing until the harness stopped looking."""
    return good.stream("newcomer", 0, observed_until_us=micros(seconds))


def not_scorable() -> StreamsCapture:
    """Return what a harness leaves that could not resolve a name."""
    failed = {"http_status": None, "error_class": "name_resolution"}
    return taken(good.stream("newcomer", 0, **failed))


def slot_of_time(value: Any) -> Taken:
    """Return the capture that shows a time to the first content."""
    match value:
        case {"missing": "harness_invalid"}:
            return not_scorable()
        case {"missing": "not_started" | "capture_missing"}:
            return None
        case {"gt": low}:
            return taken(watched_until(low))
        case {"v": read}:
            return taken(first_token_at(read), resolution_us=micros(value.get("res", "0")))
        case _:
            raise ValueError(value)


def slot_of_request(value: Any) -> Taken:
    """Return the capture of a request that completed, or of none."""
    match value:
        case {"missing": _}:
            return not_scorable()
        case {"v": "1"}:
            return taken(first_token_at("1"))
        case _:
            raise ValueError(value)


def slot_of_count(value: Any) -> Taken:
    """Return the capture that shows a counter; one that was reset is known only from below."""
    match value:
        case {"iv": ["0", "inf"]}:
            counter = Counter(name="preemptions", before=5, after=0)
        case {"v": read}:
            counter = Counter(name="preemptions", before=0, after=int(read))
        case _:
            raise ValueError(value)
    whole = taken(first_token_at("1"))
    return replace(whole, observations=replace(whole.observations, counters=[counter]))


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
    return Told(record, [slot_of_time(each) for each in inputs["arms"]["B"]], alone())


def bound_of_requests(gate: Any, inputs: Any) -> Told:
    """How many requests completed."""
    metric = {"name": "complete", "unit": "1", "accepted_bases": ["finish_reason"]}
    record = gate_of(gate, kind="completeness", metric=metric, on_server_failure="worst")
    return Told(record, [slot_of_request(each) for each in inputs["arms"]["B"]], alone())


def bound_of_counts(gate: Any, inputs: Any) -> Told:
    """A counter's sum: an integrity gate, where the limit is zero."""
    metric = {"name": "preemptions", "unit": "1", "source": "counter"}
    record = gate_of(gate, **COUNTED.get(gate["limit"], EXPLORED), metric=metric)
    return Told(record, [slot_of_count(each) for each in inputs["arms"]["B"]], alone())


def progress(gate: Any, inputs: Any) -> Told:
    """The longest silence of one stream."""
    facts = inputs["facts"]
    events, end = [micros(each) for each in facts["content_events"]], facts["observation_end"]
    first, *_, last = events
    seen = {
        "submitted_us": micros(facts["submit"]),
        "first_generated_us": first,
        "first_answer_us": first,
        "content_gaps_us": [sub(later, earlier) for earlier, later in pairwise(events)],
        "last_content_us": last,
        "observed_until_us": micros(end),
    }
    ended = {"settled_us": micros(end)} if facts["stream_ended"] else {}
    make = good.complete_stream if facts["stream_ended"] else good.stream
    metric = {"name": "max_content_gap", "unit": "s", "clock": "monotonic", "source": "client"}
    record = gate_of(gate, kind="progress", metric=metric, on_server_failure="worst")
    return Told(record, [taken(make("newcomer", 0, **seen, **ended))], alone())


def canary(_gate: Any, inputs: Any) -> Told:
    """The newcomer before the incumbent, in one slot."""
    facts = inputs["facts"]
    sent = {"submitted_us": micros(SENT_AT[facts["valid_overlap"]])}
    wanted = [facts["expect"]]
    answered = None if facts["b_answer"] is None else facts["b_answer"] in wanted
    match facts["b_final"]:
        case {"gt": low}:
            newcomer = good.stream("newcomer", 1, **sent, observed_until_us=micros(low))
        case {"v": read}:
            at = micros(read)
            newcomer = good.newcomer(**sent, first=at, last=at, answer_matched=answered)
        case other:
            raise ValueError(other)
    incumbent = good.incumbent(last=micros(facts["a_last"]["v"]))
    record = {**canary_gate("B"), "id": ORACLE, "resolution_us": 0}
    return Told(record, [taken(incumbent, newcomer)])


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
