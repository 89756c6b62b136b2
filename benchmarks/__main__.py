# SPDX-License-Identifier: Apache-2.0
"""Run every benchmark once: ``python -m benchmarks``, or ``make bench``."""

import sys
from collections.abc import Iterator

from benchmarks import append, judging, peers


def report() -> Iterator[str]:
    """Yield what judging costs, what appending costs, and what others do in the same run."""
    yield from judging.report()
    rates: dict[str, float] = {}
    row_bytes = 0
    for measured in append.report():
        yield str(measured)
        store = measured.what.partition(",")[0]
        if store not in rates:  # the first of each store: small captures and many clients
            rates[store], row_bytes = measured.rate, measured.row_bytes
    yield from peers.report(rates, row_bytes)


if __name__ == "__main__":
    for line in report():
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
