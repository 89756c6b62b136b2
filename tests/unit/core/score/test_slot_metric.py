# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it
"""What a slot has one of: counters, containers, gauges, throughput."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import msgspec

from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.observed import Basis, Observed, exact, unknown
from app.core.score.reading import Ending, Reading
from app.core.score.slot_metric import slot_metric, throughput
from app.core.statement.capture import Counter, Event, Gauge, StreamsCapture
from app.core.statement.gate_record import Metric
from tests import facts
from tests.documents import document, streams_cell

INCUMBENT, NEWCOMER = streams_cell(document()).streams


def metric(name: str, source: str, *, unit: str = "1", top: str | None = None) -> Metric:
    given = {"unit": unit, "direction": "lower_is_better", "domain": ["0", top], "source": source}
    return msgspec.convert({"name": name, **given}, Metric)


def observing(**observations: Any) -> StreamsCapture:
    seen = facts.capture()
    changed = msgspec.structs.replace(seen.observations, **observations)
    return msgspec.structs.replace(seen, observations=changed)


def counted(before: int | None, after: int | None) -> Observed:
    capture = observing(counters=[Counter(name="oom", before=before, after=after)])
    return slot_metric(metric("oom", "counter"), capture, ())


def test_counter_is_its_increase_and_one_that_fell_was_reset() -> None:
    assert counted(3, 5) == exact(2)
    reset = counted(3, 1)
    assert reset.interval == Interval(finite(1), INFINITY, hi_open=True)
    assert reset.basis is Basis.BOUNDED


def test_counter_that_was_not_read_is_unknown() -> None:
    assert counted(None, 5) == unknown()
    assert counted(3, None) == unknown()
    assert slot_metric(metric("oom", "counter"), facts.capture(), ()) == unknown()


def changed(*engines: Any) -> Observed:
    capture = observing(identities=list(engines))
    return slot_metric(metric("container_identity", "container_inspect"), capture, ())


def test_container_that_was_replaced_or_exited_is_counted_and_an_unread_one_may_be() -> None:
    assert changed(facts.engine(), facts.engine("c-1", "c-2")) == exact(1)
    assert changed(facts.engine(exited=True)) == exact(1)
    assert changed(facts.engine(), facts.engine(after=None)).interval == Interval(
        finite(0), finite(1)
    )
    assert changed() == unknown()


def restarted(restarts: Any, *engines: Any) -> Observed:
    counter = Counter(name="restarts", before=0, after=restarts)
    capture = observing(identities=list(engines), counters=[counter])
    return slot_metric(metric("container_identity", "container_inspect"), capture, ())


def test_l19_server_that_restarted_under_the_same_container_id_is_not_the_same() -> None:
    same = facts.engine()
    assert restarted(1, same) == exact(1)
    assert restarted(3, same, facts.engine("c-1", "c-2")) == exact(1)
    assert restarted(1, facts.engine(after=None)) == exact(1)
    assert restarted(2).interval == Interval(finite(1), INFINITY, hi_open=True)
    assert restarted(0, same) == exact(0)
    assert restarted(None, same) == exact(0)


def peak(source: str, top: str | None, **members: Any) -> Observed:
    given: dict[str, Any] = {
        "name": "kv",
        "unit": "percent",
        "interval_us": 1,
        "samples": 9,
        "least": 1,
        "greatest": 87,
    }
    capture = observing(gauges=[Gauge(**(given | members))])
    return slot_metric(metric("kv", source, unit="percent", top=top), capture, ())


def test_sampled_peak_is_exact_and_the_true_peak_may_be_higher() -> None:
    assert peak("sampled_max", "100") == exact(87)
    assert peak("true_peak", "100").interval == Interval(finite(87), finite(100))
    assert peak("true_peak", None).interval == Interval(finite(87), INFINITY, hi_open=True)


def test_gauge_that_was_not_sampled_or_is_in_another_unit_is_unknown() -> None:
    assert peak("sampled_max", "100", samples=0) == unknown()
    assert peak("sampled_max", "100", greatest=None) == unknown()
    assert peak("sampled_max", "100", unit="gib") == unknown()
    assert peak("sampled_max", "100", name="other") == unknown()


def test_event_that_was_not_seen_may_have_happened_and_one_that_was_has() -> None:
    seen = observing(events=[Event(name="engaged", at_us=at) for at in (1, 2)])
    engaged = metric("engaged", "events", unit="1", top=None)
    assert slot_metric(engaged, seen, ()).interval == Interval(finite(2), INFINITY, hi_open=True)
    unseen = slot_metric(engaged, observing(events=[]), ())
    assert unseen.interval == Interval(finite(0), INFINITY, hi_open=True)


def reading(planned: Any, stream: Any, ending: Ending = Ending.COMPLETE) -> Reading:
    return Reading(planned, stream, ending, 0, deadline_passed=False)


def both(first: Ending = Ending.COMPLETE, **newcomer: Any) -> list[Reading]:
    made = facts.newcomer(submitted_us=0, **newcomer)
    incumbent = facts.incumbent(submitted_us=0, settled_us=1000, observed_until_us=2000)
    return [reading(INCUMBENT, incumbent, first), reading(NEWCOMER, made)]


def tokens_of_one(stream: Any) -> int:
    assert stream.usage is not None
    return int(stream.usage.completion)


def test_throughput_is_all_tokens_over_the_time_of_the_fixed_work() -> None:
    capture, named = facts.capture(), metric("throughput", "streams", unit="tokens_per_s")
    done = both(settled_us=500)
    assert slot_metric(named, capture, done) == exact(Fraction(1026, 1000))
    assert throughput(both(settled_us=500, usage=None), fallback=False) == unknown()
    named = msgspec.structs.replace(named, fallback_bounds="content_deltas_to_max_tokens")
    declared = slot_metric(named, capture, both(settled_us=500, usage=None))
    bounded = throughput(both(settled_us=500, usage=None), fallback=True)
    assert bounded.interval == Interval(finite(Fraction(1026, 1000)), finite(Fraction(1040, 1000)))
    assert declared == bounded


def test_throughput_counts_from_the_first_submission_on() -> None:
    late = facts.newcomer(submitted_us=100, settled_us=101)
    assert throughput([reading(NEWCOMER, late)], fallback=False) == exact(tokens_of_one(late))
    twice = facts.newcomer(submitted_us=100, settled_us=102)
    got = throughput([reading(NEWCOMER, twice)], fallback=False)
    assert got == exact(Fraction(tokens_of_one(late), 2))


def test_throughput_of_unfinished_work_is_at_most_the_plan_in_the_time_watched() -> None:
    seen = throughput(both(Ending.UNFINISHED, settled_us=500), fallback=False)
    assert seen.interval == Interval(finite(0), finite(Fraction(1040, 2000)))
    assert seen.basis is Basis.CENSORED


def test_throughput_without_its_instants_is_unknown() -> None:
    assert throughput(both(Ending.UNKNOWN), fallback=False) == unknown()
    assert throughput(both(settled_us=None), fallback=False) == unknown()
    assert throughput([], fallback=False) == unknown()
    first, second = both()
    unsent = replace(second, stream=facts.stream("newcomer", 1, submitted_us=None))
    assert throughput([first, unsent], fallback=False) == unknown()
    no_time = facts.newcomer(submitted_us=0, settled_us=0)
    assert throughput([reading(NEWCOMER, no_time)], fallback=False) == unknown()
    assert throughput([replace(second, stream=None)], fallback=False) == unknown()
