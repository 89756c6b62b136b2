# SPDX-License-Identifier: Apache-2.0
"""The made-up heads: one for every word."""

from app.demo import synthetic
from tests.functional.demo.expected import LIVE, Expected, Said

MADE_UP = synthetic.REPOSITORY
HEADS = synthetic.HEADS
GOOD_GATES = {
    "canary-a": ("PASS", "BEFORE_WITH_EXPECTED_ANSWER"),
    "canary-b": ("PASS", "BEFORE_WITH_EXPECTED_ANSWER"),
    "canary-a2": ("PASS", "BEFORE_WITH_EXPECTED_ANSWER"),
    "first-token-b": ("PASS", "BOUND_HELD"),
    "progress-b": ("PASS", "BOUND_HELD"),
    "complete-b": ("PASS", "BOUND_HELD"),
    "no-restart-b": ("PASS", "BOUND_HELD"),
    "same-container-b": ("PASS", "BOUND_HELD"),
    "identity-a": ("PASS", "IDENTITIES_AS_PINNED"),
    "identity-b": ("PASS", "IDENTITIES_AS_PINNED"),
    "identity-a2": ("PASS", "IDENTITIES_AS_PINNED"),
}
GATES_OF_B = [name for name in GOOD_GATES if name.endswith("-b")]
STARVED_GATES = GOOD_GATES | {
    "canary-b": ("FAIL", "NOT_BEFORE"),
    "first-token-b": ("FAIL", "BOUND_VIOLATED"),
    "complete-b": ("FAIL", "BOUND_VIOLATED"),
}
MISMATCHED_GATES = (
    GOOD_GATES
    | dict.fromkeys(GATES_OF_B, ("INVALID", "VALIDITY_GATE_BROKEN"))
    | {"identity-b": ("INVALID", "IDENTITY_MISMATCH")}
)
SHORT_GATES = GOOD_GATES | dict.fromkeys(GATES_OF_B, ("INCONCLUSIVE", "MISSING_UNDECIDED"))


FULL = {"planned": 6, "complete": 6}
ONE_FAILED = {"planned": 6, "complete": 5, "failed": 1}
SYNTHETIC = {
    HEADS.qualified: Expected(
        repository=MADE_UP,
        word="QUALIFIED",
        owner=(None, "reviewer"),
        claims={"land": Said(["ALL_SCOPES_PASS"], {LIVE: ("PASS", "ALL_GATES_PASS")})},
        gates=[GOOD_GATES],
        measured=[6],
        flow=[FULL],
        exit_code=0,
    ),
    HEADS.not_qualified: Expected(
        repository=MADE_UP,
        word="NOT_QUALIFIED",
        owner=("synthetic-maintainer", "maintainer"),
        claims={"land": Said(["SCOPE_FAILED"], {LIVE: ("FAIL", "GATE_FAILED")})},
        gates=[STARVED_GATES],
        measured=[6],
        flow=[ONE_FAILED],
        exit_code=10,
    ),
    HEADS.open_slots: Expected(
        repository=MADE_UP,
        word="HOLD",
        owner=("synthetic-runner", "runner"),
        claims={"land": Said(["OPEN_STUDY", "SCOPE_NOT_PASS"], {LIVE: ("NOT_RUN", "STUDY_OPEN")})},
        gates=[{}],
        measured=[None],
        flow=[{"planned": 6, "open": 4, "reserved": 1, "complete": 1}],
        exit_code=12,
    ),
    HEADS.rank_mismatch: Expected(
        repository=MADE_UP,
        word="HOLD",
        owner=("synthetic-runner", "runner"),
        claims={"land": Said(["SCOPE_NOT_PASS"], {LIVE: ("INVALID", "VALIDITY_GATE_BROKEN")})},
        gates=[MISMATCHED_GATES],
        measured=[6],
        flow=[{"planned": 6, "complete": 4, "invalid": 2}],
        exit_code=13,
    ),
    HEADS.abandoned: Expected(
        repository=MADE_UP,
        word="HOLD",
        owner=("synthetic-maintainer", "maintainer"),
        claims={"land": Said(["SCOPE_NOT_PASS"], {LIVE: ("INCONCLUSIVE", "MISSING_UNDECIDED")})},
        gates=[SHORT_GATES],
        measured=[5],
        flow=[{"planned": 6, "complete": 5, "abandoned": 1}],
        exit_code=12,
    ),
    HEADS.other_commit: Expected(
        repository=MADE_UP,
        word="HOLD",
        owner=("synthetic-runner", "runner"),
        claims={"land": Said(["SCOPE_NOT_PASS"], {LIVE: ("NOT_RUN", "OTHER_COMMIT")})},
        gates=[GOOD_GATES],
        measured=[6],
        flow=[FULL],
        exit_code=22,
    ),
    HEADS.gates_moved: Expected(
        repository=MADE_UP,
        word="HOLD",
        owner=("synthetic-maintainer", "maintainer"),
        claims={"land": Said(["GATES_MOVED_AFTER_RESULT"], {LIVE: ("PASS", "ALL_GATES_PASS")})},
        gates=[GOOD_GATES, GOOD_GATES],
        measured=[6, 6],
        flow=[FULL, FULL],
        exit_code=24,
    ),
    HEADS.conflicting: Expected(
        repository=MADE_UP,
        word="NOT_QUALIFIED",
        owner=("synthetic-maintainer", "maintainer"),
        claims={"land": Said(["SCOPE_FAILED", "CONFLICTING"], {LIVE: ("FAIL", "GATE_FAILED")})},
        gates=[STARVED_GATES, GOOD_GATES],
        measured=[6, 6],
        flow=[ONE_FAILED, FULL],
        exit_code=10,
        conflicting=True,
    ),
}
