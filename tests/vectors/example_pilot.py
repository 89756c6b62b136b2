# SPDX-License-Identifier: Apache-2.0
"""The example of a pilot: five boots of an unchanged control, and what is wrong in refused ones."""

from typing import Any, Final

from tests.vectors.example_refusals import REMOVED, VIOLATION, Case

Document = dict[str, Any]

PILOTS: Final[tuple[Case, ...]] = (
    ("pilot", "float", "/series/0/values/0", "8.1e6", VIOLATION, "/series/0/values/0"),
    ("pilot", "over-nothing", "/series/0/values/0", "1/0", VIOLATION, "/series/0/values/0"),
    ("pilot", "no-values", "/series/0/values", [], VIOLATION, "/series/0/values"),
    ("pilot", "no-unit", "/series/0/unit", REMOVED, VIOLATION, "/series/0"),
    ("pilot", "later", "/schema", "urn:fairtrial:pilot:v2", "unknown-document", "/schema"),
)


def pilot() -> Document:
    """Return a pilot of a control under contention and alone; one boot alone gave no value."""
    at = {"arm": "A", "stream_role": "newcomer", "metric": "ttft", "unit": "us"}
    contended = ["8100000", "7900000", "8600000", "8250000", "7700000"]
    alone = ["4010000", "3950000", None, "4100000", "3890000"]
    ratios = ["8100000/4010000", "7900000/3950000", None, "2.0122", "2"]
    return {
        "schema": "urn:fairtrial:pilot:v1",
        "series": [
            {**at, "cell": "C2-contended", "values": contended},
            {**at, "cell": "C1-solo", "values": alone},
            {
                **at,
                "cell": "C2-contended",
                "against_cell": "C1-solo",
                "unit": "1",
                "values": ratios,
            },
        ],
    }
