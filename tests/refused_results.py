# SPDX-License-Identifier: Apache-2.0
"""For every code of the lint about what cells capture, documents that get it."""

from collections.abc import Mapping, Sequence

from app.core.statement.protocol_document import ProtocolDocument
from tests.results import CPU, LONG, checks_gate, claim_gate, jobs_gate, with_cells

EMPTY = {**CPU, "suites": [], "named": []}

OF_RESULTS: Mapping[str, Sequence[ProtocolDocument]] = {
    "E_CAPTURE_KIND": [
        with_cells(jobs_gate() | {"population": checks_gate()["population"]}, cells=[CPU, LONG]),
        with_cells(checks_gate(), claim_gate() | {"population": jobs_gate()["population"]}),
    ],
    "E_NOTHING_PLANNED": [
        with_cells(checks_gate(), cells=[EMPTY]),
    ],
}
