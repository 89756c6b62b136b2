# SPDX-License-Identifier: Apache-2.0
"""The heads of the public thread, each with the words its case demands."""

from app.demo import replays
from app.demo.thread import (
    contention,
    dual_capacity,
    early_canary,
    endurance,
    helper_registry,
    landing,
    long_prefill,
    natural_pressure,
    source_review,
    starved,
    wrong_url,
)
from tests.functional.demo.expected import EVERY, Expected, Judged, Said

REPLAYED = replays.REPOSITORY
NOTHING = ("NOT_RUN", "NO_STUDY")
UNMEASURED = ("NOT_RUN", "NO_MEASURED_SLOT")
PASSED = ("PASS", "ALL_GATES_PASS")
AS_PINNED = ("PASS", "IDENTITIES_AS_PINNED")
HELD = ("PASS", "BOUND_HELD")
BEFORE = ("PASS", "BEFORE_WITH_EXPECTED_ANSWER")
OWNER = ("plotarmordev", "named")
"""Whom the hold on the change names."""


HOLD = {"holds": 1}
HELD_EVERYWHERE = dict.fromkeys(replays.CLAIMS, HOLD)


def told(*protocols: str, held: bool = True, **scopes: Judged) -> dict[str, Said]:
    """Return what each claim says where these scopes are evidence by studies of ``protocols``.

    Nothing else was ever run on the head. What passed counts where a claim takes the protocol; what
    did not holds every claim that wants the scope.
    """
    found = {}
    caps = [*(["HOLD_IN_FORCE"] if held else []), *("REPLAY" for _ in protocols)]
    for name, wanted in replays.CLAIMS.items():
        required = {}
        for scope, taken in wanted.scopes.items():
            state = scopes.get(str(scope), NOTHING)
            foreign = state[0] == "PASS" and set(taken).isdisjoint(protocols)
            required[str(scope)] = NOTHING if foreign else state
        short = [each for each, _ in required.values() if each != "PASS"]
        found[name] = Said([*caps, *("SCOPE_NOT_PASS" for _ in short)], required)
    return found


THREAD = {
    early_canary.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.CANARY_ONCE, live_correctness=("NOT_RUN", "OTHER_COMMIT")),
        gates=[
            {
                "canary-a": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "canary-b": ("PASS", "BEFORE_WITH_EXPECTED_ANSWER"),
                "canary-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "complete-b": ("INCONCLUSIVE", "CENSORING_UNDECIDED"),
                "no-restart-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "no-oom-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "same-container-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "identity-a": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "identity-b": ("PASS", "IDENTITIES_AS_PINNED"),
                "identity-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
            }
        ],
        measured=[1],
        flow=[{"planned": 3, "missing": 2, "complete": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    starved.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.CANARY, live_correctness=("NOT_RUN", "OTHER_COMMIT")),
        gates=[
            {
                "canary-a": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "canary-b": ("FAIL", "NOT_BEFORE"),
                "canary-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "complete-b": ("FAIL", "BOUND_VIOLATED"),
                "no-restart-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "no-oom-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "same-container-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "identity-a": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "identity-b": ("INCONCLUSIVE", "MISSING_UNDECIDED"),
                "identity-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
            }
        ],
        measured=[1],
        flow=[{"planned": 15, "missing": 14, "failed": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    wrong_url.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.CANARY, live_correctness=("INVALID", "HARNESS_FAULT")),
        gates=[
            {
                "canary-a": ("INVALID", "HARNESS_FAULT"),
                "canary-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "canary-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "complete-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "no-restart-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "no-oom-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "same-container-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "identity-a": ("INVALID", "HARNESS_FAULT"),
                "identity-b": ("NOT_RUN", "NO_MEASURED_SLOT"),
                "identity-a2": ("NOT_RUN", "NO_MEASURED_SLOT"),
            }
        ],
        measured=[0],
        flow=[{"planned": 15, "missing": 14, "warmup_failed": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    natural_pressure.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(
            replays.NATURAL_PRESSURE,
            replays.CHECKS,
            replays.BOOT,
            live_correctness=("INVALID", "HARNESS_FAULT"),
            performance=UNMEASURED,
            cpu=PASSED,
            boot=PASSED,
        ),
        gates=[
            {
                EVERY: UNMEASURED,
                "answered-a": ("INVALID", "HARNESS_FAULT"),
                "identity-a": ("INVALID", "HARNESS_FAULT"),
            },
            {"checks-b": ("PASS", "CHECKS_PASSED"), "identity-b": AS_PINNED},
            {"boots-b": ("PASS", "CHECKS_PASSED"), "identity-b": AS_PINNED},
        ],
        measured=[3, 1, 1],
        flow=[
            {"planned": 18, "invalid": 3, "missing": 15},
            {"planned": 1, "complete": 1},
            {"planned": 1, "complete": 1},
        ],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    landing.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=("plotarmordev", "runner"),
        claims=told(
            replays.LANDING,
            held=False,
            live_correctness=PASSED,
            performance=("INCONCLUSIVE", "BASELINE_SPREAD"),
        ),
        gates=[
            {
                EVERY: AS_PINNED,
                **dict.fromkeys(("canary-a", "canary-b", "canary-a2"), BEFORE),
                **dict.fromkeys(
                    (
                        "complete-b",
                        "no-restart-b",
                        "no-oom-b",
                        "same-container-b",
                        "floor-b-c1",
                        "complete-b-c1",
                        "floor-b-c2",
                        "complete-b-c2",
                    ),
                    HELD,
                ),
                "throughput-b-c1": ("INCONCLUSIVE", "BASELINE_SPREAD"),
                "throughput-b-c2": ("INCONCLUSIVE", "BASELINE_SPREAD"),
                "contends-a-c2": ("PASS", "ASSAY_SENSITIVE"),
            }
        ],
        measured=[45],
        flow=[{"planned": 45, "complete": 45}],
        exit_code=21,
        held={"land": {"decisions": 1}},
    ),
    long_prefill.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.LONG_PREFILL, live_correctness=PASSED),
        gates=[{EVERY: HELD, "peer-first-b": BEFORE, "identity-b": AS_PINNED}],
        measured=[1],
        flow=[{"planned": 1, "complete": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    dual_capacity.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.DUAL_CAPACITY, capacity=PASSED),
        gates=[{EVERY: HELD, "identity-b": AS_PINNED}],
        measured=[1],
        flow=[{"planned": 1, "complete": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    helper_registry.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.REGISTRY, cpu=PASSED),
        gates=[
            {
                "checks-b": ("PASS", "CHECKS_PASSED"),
                "files-b": ("PASS", "ARTIFACTS_AS_REGISTERED"),
                "identity-b": AS_PINNED,
            }
        ],
        measured=[1],
        flow=[{"planned": 1, "complete": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    endurance.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.ENDURANCE, endurance=PASSED),
        gates=[{EVERY: HELD, "jobs-b": ("PASS", "LANES_HELD"), "identity-b": AS_PINNED}],
        measured=[1],
        flow=[{"planned": 1, "complete": 1}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
    source_review.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.REVIEW, source=("NOT_RUN", "NO_REVIEW")),
        gates=[{"accepted-b": ("NOT_RUN", "NO_REVIEW")}],
        measured=[0],
        flow=[{}],
        exit_code=24,
        held=dict.fromkeys(replays.CLAIMS, HOLD | {"reviews": 1}),
    ),
    contention.HEAD.head: Expected(
        repository=REPLAYED,
        word="HOLD",
        owner=OWNER,
        claims=told(replays.CONTENTION, fairness=UNMEASURED, performance=UNMEASURED),
        gates=[{EVERY: UNMEASURED}],
        measured=[0],
        flow=[{"planned": 60, "missing": 60}],
        exit_code=24,
        held=HELD_EVERYWHERE,
    ),
}
