# SPDX-License-Identifier: Apache-2.0
"""What is wrong in refused captures without streams, and in refused cells of every kind."""

from typing import Final

from tests.vectors.example_refusals import REMOVED, VIOLATION, Case

CHECKS: Final = "capture-checks"
JOBS: Final = "capture-jobs"
CLAIM: Final = "capture-claim"
DOCUMENT: Final = "protocol-document"

CAPTURES: Final[tuple[Case, ...]] = (
    (CHECKS, "negative-count", "/suites/0/failed", -1, VIOLATION, "/suites/0/failed"),
    (CHECKS, "count-left-out", "/suites/0/skipped", REMOVED, VIOLATION, "/suites/0"),
    (CHECKS, "exit-status", "/exit_code", 0, VIOLATION, ""),
    (CHECKS, "unknown-result", "/named/0/result", "ok", VIOLATION, "/named/0/result"),
    (
        CHECKS,
        "artifact-tag",
        "/named/0/artifact/sha256",
        "v5",
        VIOLATION,
        "/named/0/artifact/sha256",
    ),
    (CHECKS, "float-value", "/values/0/value", "1e-3", VIOLATION, "/values/0/value"),
    (CHECKS, "name-twice", "/named/1/id", "helper-v5-authenticated", VIOLATION, "/named/1"),
    (
        CHECKS,
        "other-version",
        "/schema",
        "urn:fairtrial:capture:checks:v2",
        "unknown-capture",
        "/schema",
    ),
    (JOBS, "lane-twice", "/lanes/1/lane", 0, VIOLATION, "/lanes/1"),
    (JOBS, "count-as-text", "/lanes/0/validated", "96", VIOLATION, "/lanes/0/validated"),
    (JOBS, "time-left-out", "/lanes/1/ended_us", REMOVED, VIOLATION, "/lanes/1"),
    (JOBS, "host-name", "/lanes/0/host", "spark-1", VIOLATION, "/lanes/0"),
    (
        JOBS,
        "counter-twice",
        "/lanes/0/counters",
        [{"name": "a", "value": 1}] * 2,
        VIOLATION,
        "/lanes/0/counters/1",
    ),
    (CLAIM, "decision-in-words", "/decision", "it passed", VIOLATION, "/decision"),
    (CLAIM, "policy-by-name", "/policy_sha256", "strict", VIOLATION, "/policy_sha256"),
    (CLAIM, "no-tool", "/tool", None, VIOLATION, "/tool"),
    (CLAIM, "own-verdict", "/state", "PASS", VIOLATION, ""),
    (DOCUMENT, "cell-of-no-kind", "/cells/0/capture", "videos", VIOLATION, "/cells/0/capture"),
    (DOCUMENT, "cell-without-kind", "/cells/0/capture", REMOVED, VIOLATION, "/cells/0"),
    (
        DOCUMENT,
        "checks-cell-without-suites",
        "/cells/0",
        {"capture": "checks", "id": "unit", "repetitions": 1, "named": []},
        VIOLATION,
        "/cells/0",
    ),
    (
        DOCUMENT,
        "jobs-cell-without-deadline",
        "/cells/0",
        {"capture": "jobs", "id": "endurance", "repetitions": 1, "lanes": 2, "ends": {}},
        VIOLATION,
        "/cells/0/ends",
    ),
    (
        DOCUMENT,
        "claim-cell-without-version",
        "/cells/0",
        {"capture": "claim", "id": "decide", "repetitions": 1, "tool": {"name": "thegrill"}},
        VIOLATION,
        "/cells/0/tool",
    ),
    (
        DOCUMENT,
        "review-cell-with-repetitions",
        "/cells/0",
        {"capture": "review", "id": "review", "repetitions": 1},
        VIOLATION,
        "/cells/0",
    ),
)
