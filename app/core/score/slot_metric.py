# SPDX-License-Identifier: Apache-2.0
"""What a slot has one of: throughput of fixed work, counters, gauges, containers, named events."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from app.core.protocol.metrics import source_kind
from app.core.score.interval import INFINITY, Interval, finite
from app.core.score.measure import tokens_of
from app.core.score.observed import Basis, Observed, between, exact, never, unknown
from app.core.score.reading import Ending, Reading
from app.core.score.statistic import total
from app.core.statement.capture import (
    Capture,
    ChecksCapture,
    ClaimCapture,
    ContainerIdentity,
    ObservedCapture,
)
from app.core.statement.gate_record import Metric


def slot_metric(metric: Metric, capture: Capture, readings: Sequence[Reading]) -> Observed:
    """Return what is known of a slot's ``metric``, rates in tokens a microsecond."""
    if isinstance(capture, ClaimCapture):
        return unknown()
    match source_kind(metric):
        case "counter":
            return counter_delta(capture, metric.name)
        case "container":
            return servers_replaced(capture)
        case "gauge":
            return gauge_peak(capture, metric)
        case "event":
            return times_seen(capture, metric.name)
        case "reported":
            return reported(capture, metric)
        case _:
            return throughput(readings, fallback=bool(metric.fallback_bounds))


def counter_delta(capture: ObservedCapture, name: str) -> Observed:
    """Return how often something was counted; a counter that fell was reset meanwhile."""
    counter = next((each for each in capture.observations.counters if each.name == name), None)
    if counter is None or counter.before is None or counter.after is None:
        return unknown()
    if counter.after < counter.before:
        return between(finite(counter.after), INFINITY)
    return exact(counter.after - counter.before)


def times_seen(capture: ObservedCapture, name: str) -> Observed:
    """Return how often a named event happened: as often as it was seen, or more, unseen.

    So that something happened can be shown, and that it never did cannot.
    """
    seen = sum(each.name == name for each in capture.observations.events)
    return between(finite(seen), INFINITY)


def containers_changed(identities: Sequence[ContainerIdentity]) -> Observed:
    """Return how many components' containers were replaced or exited; unread ones may have been."""
    if not identities:
        return unknown()
    certain = sum(_has_changed(each) for each in identities)
    unread = sum(
        not _has_changed(each) and None in (each.before, each.after) for each in identities
    )
    return between(finite(certain), finite(certain + unread))


def servers_replaced(capture: ObservedCapture) -> Observed:
    """Return how many servers did not stay the same; one that restarted did not, under any id."""
    changed = containers_changed(capture.observations.identities)
    restarts = counter_delta(capture, "restarts").interval
    if restarts is None or restarts.lo < finite(1):
        return changed
    if changed.interval is None:
        return between(finite(1), INFINITY)
    return between(max(changed.interval.lo, finite(1)), max(changed.interval.hi, finite(1)))


def reported(capture: ObservedCapture, metric: Metric) -> Observed:
    """Return a number as a tool reported it; ``inf`` for whatever is no finite number."""
    values = capture.values if isinstance(capture, ChecksCapture) else []
    found = next((each for each in values if each.name == metric.name), None)
    if found is None or found.value is None or found.unit != metric.unit:
        return unknown()
    if found.value.endswith(("nan", "inf")):
        return never()
    return exact(Fraction(found.value), Fraction(metric.resolution or 0))


def gauge_peak(capture: ObservedCapture, metric: Metric) -> Observed:
    """Return a gauge's greatest sample, or for the true peak all from it to the domain's end."""
    gauge = next((each for each in capture.observations.gauges if each.name == metric.name), None)
    if gauge is None or gauge.greatest is None or not gauge.samples or gauge.unit != metric.unit:
        return unknown()
    if metric.source == "sampled_max":
        return exact(gauge.greatest)
    top = metric.domain[1]
    hi = INFINITY if top is None else finite(max(Fraction(top), Fraction(gauge.greatest)))
    return between(finite(gauge.greatest), hi)


def throughput(readings: Sequence[Reading], *, fallback: bool) -> Observed:
    """Return the tokens of all streams over the time from first submission to last settlement."""
    submitted = [each.stream.submitted_us for each in readings if each.stream is not None]
    if any(each.ending is Ending.UNKNOWN for each in readings) or None in submitted:
        return unknown()
    start = min((at for at in submitted if at is not None), default=None)
    ends = [
        each.stream.settled_us if each.ending is Ending.COMPLETE else each.stream.observed_until_us
        for each in readings
        if each.stream is not None
    ]
    span = max((at for at in ends if at is not None), default=0) - (start or 0)
    if start is None or None in ends or span <= 0:
        return unknown()
    if all(each.ending is Ending.COMPLETE for each in readings):
        return _rate([tokens_of(each, fallback=fallback) for each in readings], span)
    planned = sum(each.planned.max_output_tokens for each in readings)
    return Observed(Interval(finite(0), finite(Fraction(planned, span))), Basis.CENSORED)


def _rate(tokens: Sequence[Observed], span: int) -> Observed:
    known = [each.interval for each in tokens if each.interval is not None]
    if len(known) < len(tokens):
        return unknown()
    summed = total(known)
    return between(finite(summed.lo.value / span), finite(summed.hi.value / span))


def _has_changed(identity: ContainerIdentity) -> bool:
    both_read = None not in (identity.before, identity.after)
    return bool(identity.exited) or (both_read and identity.before != identity.after)
