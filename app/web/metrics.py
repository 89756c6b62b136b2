# SPDX-License-Identifier: Apache-2.0
"""``/metrics``: what an operator watches, as Prometheus text.

Labels are kinds, problem codes and the names of witnesses, which the code and the settings bound;
what people write (repositories, heads, holders) is never one. Counts are of this process: several
processes of a ledger are scraped one by one and added up.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from fastapi import APIRouter, Depends, Response
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector
from typing_extensions import override

from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.edge.deps import LedgerDep, only_known_queries
from app.edge.problems import declared
from app.service.counts import Counts
from app.service.ledger import Ledger

TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
BATCH_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)

router = APIRouter(dependencies=[Depends(only_known_queries)])


@router.get(
    "/metrics",
    operation_id="get_metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **declared()},
)
async def get_metrics(ledger: LedgerDep) -> Response:
    """Return counts of this process and sizes of its ledger, as Prometheus text."""
    size = parse_checkpoint(parse_note(await ledger.checkpoint()).text).size
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Snapshot(ledger, size))
    headers = {"cache-control": "no-store"}
    return Response(generate_latest(registry), headers={**headers, "content-type": TEXT})


class Snapshot(Collector):
    """The ledger's counts at one moment."""

    def __init__(self, ledger: Ledger, size: int) -> None:
        """Look at a ledger whose newest checkpoint is of ``size``."""
        self._ledger = ledger
        self._size = size

    @override
    def collect(self) -> Iterator[Metric]:
        """Yield each metric once."""
        ledger, scrubbed = self._ledger, self._ledger.scrubbed
        yield from _counted(ledger.counts)
        yield _gauge("queue_length", "Statements that wait for a commit now.", ledger.waiting)
        yield _gauge("tree_size", "Entries of the newest checkpoint.", self._size)
        yield _gauge("scrub_position", "Entries re-hashed this round.", scrubbed.position)
        yield _gauge("scrub_rounds", "Rounds that found the store whole.", scrubbed.rounds)
        found = int(scrubbed.damage is not None)
        yield _gauge("scrub_damage", "1 when the scrub has found damage.", found)
        lag = GaugeMetricFamily(
            "fairtrial_witness_lag",
            "Entries that a witness has not cosigned yet.",
            labels=["witness"],
        )
        for one in ledger.witnesses():
            lag.add_metric([one.named.witness.name], self._size - one.size)
        yield lag


def _counted(counts: Counts) -> Iterator[Metric]:
    appended = CounterMetricFamily(
        "fairtrial_statements_appended", "Statements appended.", labels=["kind"]
    )
    for kind, number in sorted(counts.appended.items()):
        appended.add_metric([kind], number)
    yield appended
    refused = CounterMetricFamily(
        "fairtrial_statements_refused", "Submitted statements not appended.", labels=["code"]
    )
    for code, number in sorted(counts.refused.items()):
        refused.add_metric([code], number)
    yield refused
    sizes = counts.batches
    buckets = [
        (str(most), float(sum(n for size, n in sizes.items() if size <= most)))
        for most in BATCH_SIZES
    ]
    buckets.append(("+Inf", float(sizes.total())))
    total = sum(size * number for size, number in sizes.items())
    yield HistogramMetricFamily(
        "fairtrial_batch_size", "Statements per commit.", buckets=buckets, sum_value=total
    )


def _gauge(name: str, about: str, value: int) -> Metric:
    return GaugeMetricFamily(f"fairtrial_{name}", about, value=value)
