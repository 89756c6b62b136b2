# SPDX-License-Identifier: Apache-2.0
"""Captures that hold no streams: checks with artifacts, lanes of long jobs, another tool's word."""

from app.core.digest import sha256_hex
from tests.vectors.example_declarations import Document
from tests.vectors.example_study import capture


def checks_capture() -> Document:
    """Return a CPU suite with skips, two named results and a reported number."""
    return {
        "schema": "urn:fairtrial:capture:checks:v1",
        "clock": {"kind": "wall", "zero": "slot_start", "resolution_us": 1000},
        "boot_id": None,
        "suites": [{"name": "repository", "passed": 379, "failed": 0, "skipped": 65}],
        "named": [
            {
                "id": "helper-v5-authenticated",
                "result": "passed",
                "artifact": {"sha256": sha256_hex(b"example helper v5"), "size": 4096},
            },
            {"id": "helper-v3-refused-without-write", "result": "passed", "artifact": None},
            {"id": "helper-v7-idempotent", "result": "not_run", "artifact": None},
        ],
        "values": [{"name": "largest-difference", "unit": "1", "value": "0.000125"}],
        "observations": {"counters": [], "gauges": [], "events": [], "identities": []},
    }


def jobs_capture() -> Document:
    """Return two persistent lanes, the second without an end."""
    return {
        "schema": "urn:fairtrial:capture:jobs:v1",
        "clock": {"kind": "monotonic", "zero": "slot_start", "resolution_us": 1000000},
        "boot_id": "boot-1",
        "lanes": [
            {
                "lane": 0,
                "started_us": 0,
                "ended_us": 7200000000,
                "observed_until_us": 7200000000,
                "completed": 96,
                "validated": 96,
                "failed": 0,
                "longest_idle_us": 41000000,
                "counters": [{"name": "compressions", "value": 3}],
            },
            {
                "lane": 1,
                "started_us": 1000000,
                "ended_us": None,
                "observed_until_us": 7200000000,
                "completed": 91,
                "validated": None,
                "failed": None,
                "longest_idle_us": None,
                "counters": [],
            },
        ],
        "observations": capture()["observations"],
    }


def claim_capture() -> Document:
    """Return another tool's decision with what it is bound to."""
    return {
        "schema": "urn:fairtrial:capture:claim:v1",
        "tool": {"name": "thegrill", "version": "0.2.0"},
        "policy_sha256": sha256_hex(b"example policy"),
        "collector_sha256": sha256_hex(b"example collector"),
        "workload_sha256": sha256_hex(b"example workload"),
        "decision": "INCONCLUSIVE",
        "reason_codes": ["reference_spread_exceeded"],
    }
