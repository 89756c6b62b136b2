# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a gate is any JSON
"""Gates on reported results, scored twice; and widened, deleted and shuffled, for every input."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.protocol.plan import PlannedSlot, plan
from app.core.score.judge import ScoredSlot, StudyScore, judge_study
from app.core.statement.capture import Capture, ChecksCapture, Clock, JobsCapture, ReportedValue
from app.core.statement.people_records import ReviewRecord
from tests.property import second_results as second
from tests.property.second_results import Checks, LaneTold
from tests.results import (
    CPU,
    HELPER,
    LONG,
    checks,
    checks_gate,
    equality_gate,
    jobs,
    jobs_gate,
    lane,
    named,
    parity_gate,
    registry_gate,
    suite,
    with_cells,
)
from tests.reviews import review_document
from tests.unit.core.score.test_review import review

LIMIT = 2
HOURS_US = 5
MARGIN = Fraction(1, 2)
FILE: dict[str, Any] = {**HELPER, "name": "file"}
CELL: dict[str, Any] = {**CPU, "repetitions": 2, "named": ["file", "wanted"]}
JOBS: dict[str, Any] = {**LONG, "repetitions": 2}
WITHIN = {"kind": "equality", "vs": ["A"], "margin": "0.5"}
PROTOCOL = with_cells(
    checks_gate(max_failed=LIMIT, allowed_skips=LIMIT, named=["wanted"]),
    registry_gate(FILE),
    parity_gate(comparison=WITHIN),
    equality_gate(),
    jobs_gate(min_duration_us=HOURS_US, min_validated=LIMIT, max_failed=LIMIT),
    cells=[CELL, JOBS],
)
EXACT = Clock(kind="monotonic", zero="slot_start", resolution_us=0)
COUNTS = st.none() | st.integers(0, LIMIT + 1)
RESULTS = st.sampled_from(("passed", "passed", "failed", "skipped", "not_run"))
ABSENT = ("MISSING", "ABANDONED")
ABSENCES = st.sampled_from((None, None, None, *ABSENT))


@st.composite
def told_checks(draw: st.DrawFn) -> Checks:
    names = draw(st.lists(st.sampled_from(("file", "wanted", "more")), unique=True))
    return Checks(
        draw(st.none() | st.tuples(COUNTS, COUNTS, COUNTS)),
        tuple((name, draw(RESULTS)) for name in names),
        draw(st.sampled_from((True, True, False, None))),
        draw(st.sampled_from((None, "0", "0.5", "0.500001", "nan", "inf", "-1"))),
    )


LANES = st.builds(LaneTold, st.none() | st.integers(HOURS_US - 1, HOURS_US + 1), COUNTS, COUNTS)
SLOT = st.tuples(ABSENCES, told_checks(), st.tuples(LANES, LANES))
SLOTS = st.lists(SLOT, min_size=4, max_size=4)


def checks_of(told: Checks) -> ChecksCapture:
    right = {"sha256": FILE["sha256"], "size": FILE["size"]}
    wrong = right | {"size": FILE["size"] + 1}
    artifact = {True: right, False: wrong, None: None}[told.file]
    return checks(
        suites=[] if told.suite is None else [suite(*told.suite)],
        named=[
            named(name, result, artifact if name == "file" else None) for name, result in told.names
        ],
        values=[ReportedValue(name="largest-difference", unit="1", value=told.value)],
    )


def jobs_of(told: Sequence[LaneTold]) -> JobsCapture:
    lanes = [
        lane(number, one.validated, ended_us=one.lasted, failed=one.failed)
        for number, one in enumerate(told)
    ]
    return jobs(*lanes, clock=EXACT)


def score(slots: Sequence[Any]) -> StudyScore:
    """Judge a study of four slots of checks and, beside them, four of jobs."""
    made = []
    for planned in plan(PROTOCOL):
        absence, told, lanes = slots[place_of(planned)]
        capture: Capture = checks_of(told) if planned.cell == "cpu" else jobs_of(lanes)
        made.append(scored(planned, absence, capture))
    return judge_study(PROTOCOL, made)


def place_of(planned: PlannedSlot) -> int:
    return 2 * (planned.arm == "B") + planned.repetition - 1


def scored(planned: PlannedSlot, absence: Any, capture: Capture) -> ScoredSlot:
    if absence is not None:
        return ScoredSlot(planned, absence, None, (), ())
    return ScoredSlot(planned, "COMPLETE", None, (), (capture,))


def states(of: StudyScore) -> dict[str, str]:
    return {each.kind: each.state for each in of.judgements}


@given(SLOTS)
def test_two_scorers_agree_on_reported_results(slots: list[Any]) -> None:
    limits: Any = {"max_failed": LIMIT, "skips": LIMIT, "wanted": "wanted"}
    limits["planned"] = CELL["named"]
    limit: Any = {"least_us": HOURS_US, "validated": LIMIT, "max_failed": LIMIT}
    control, own = slots[:2], slots[2:]

    def each(say: Any) -> str:
        pairs = zip(own, control, strict=True)
        return second.of_slots(mine[0] or say(mine, other) for mine, other in pairs)

    def equal(a: Any, b: Any) -> str:
        return "INCONCLUSIVE" if b[0] else second.parity(a[1], b[1], MARGIN)

    zero = Checks(None, (), None, "0")
    expected = {
        "checks": each(lambda a, _: second.checks(a[1], **limits)),
        "artifact_registry": each(lambda a, _: second.registry(a[1])),
        "parity": each(equal),
        "equality": each(lambda a, _: second.parity(a[1], zero, Fraction(0))),
        "jobs": each(lambda a, _: second.jobs(a[2], **limit)),
    }
    assert states(score(slots)) == expected


REVIEWS = st.tuples(
    st.sampled_from(("rita", "remy", "rosa")),
    st.sampled_from(("accepted", "accepted", "comment", "changes_requested")),
    *(st.sampled_from((True, True, True, False)),),
    *(st.sampled_from((False, False, False, True)),) * 2,
)


def record(told: Any) -> ReviewRecord:
    who, outcome, independent, superseded, doubt = told
    changes = {"independent": independent, "superseded": superseded}
    return review(outcome, who, suspect=doubt, **changes)


@given(st.lists(REVIEWS, max_size=4), st.integers(1, 3), st.randoms())
def test_two_scorers_agree_on_reviews_in_any_order(told: list[Any], wanted: int, dice: Any) -> None:
    of = review_document(wanted)
    shuffled = dice.sample(told, len(told))
    (found,) = judge_study(of, [], reviews=[record(each) for each in shuffled]).judgements
    assert found.state == second.reviews(told, wanted)


# ---- widened, deleted, shuffled ----


def widened(slot: Any, place: int) -> Any:
    """Return a slot of which one thing that was known is known no more."""
    absence, told, lanes = slot
    names = [name for name, _ in told.names]
    first, *rest = lanes
    ways: list[tuple[Checks, Any]] = [
        (replaced(told, suite=without_count(told.suite, place)), lanes),
        (replaced(told, suite=None), lanes),
        (replaced(told, names=without_result(told.names, names, place)), lanes),
        (replaced(told, file=None), lanes),
        (replaced(told, value=None), lanes),
        (told, (LaneTold(None, first.validated, first.failed), *rest)),
        (told, (LaneTold(first.lasted, None, first.failed), *rest)),
        (told, (LaneTold(first.lasted, first.validated, None), *rest)),
    ]
    return (absence, *ways[place % len(ways)])


def without_count(suite_of: Any, place: int) -> Any:
    at = place // 8 % 3
    return suite_of and tuple(None if n == at else count for n, count in enumerate(suite_of))


def replaced(told: Checks, **changes: Any) -> Checks:
    given: dict[str, Any] = {"suite": told.suite, "names": told.names, "file": told.file}
    return Checks(**(given | {"value": told.value} | changes))


def without_result(pairs: Any, names: list[str], place: int) -> Any:
    chosen = names[place % len(names)] if names else None
    return tuple((name, "not_run" if name == chosen else result) for name, result in pairs)


@given(SLOTS, st.integers(0, 3), st.integers(0, 23))
def test_widening_moves_pass_and_fail_of_results_only_to_inconclusive(
    slots: list[Any], which: int, place: int
) -> None:
    before = states(score(slots))
    after = states(score([widened(s, place) if n == which else s for n, s in enumerate(slots)]))
    for kind, state in before.items():
        if state in ("PASS", "FAIL"):
            assert after[kind] in (state, "INCONCLUSIVE"), kind


@given(SLOTS, st.integers(0, 3), st.sampled_from(ABSENT))
def test_deleting_a_receipt_of_results_never_makes_a_pass(
    slots: list[Any], which: int, absence: str
) -> None:
    before = score(slots)
    after = score([(absence, *s[1:]) if n == which else s for n, s in enumerate(slots)])
    for old, new in zip(before.judgements, after.judgements, strict=True):
        assert new.state != "PASS" or old.state == "PASS"
    assert after.scopes[0].state != "PASS" or before.scopes[0].state == "PASS"


@given(SLOTS, st.randoms())
def test_order_of_slots_suites_names_and_lanes_changes_nothing(slots: list[Any], dice: Any) -> None:
    made = []
    for planned in plan(PROTOCOL):
        absence, told, lanes = slots[place_of(planned)]
        capture: Capture = checks_of(told) if planned.cell == "cpu" else jobs_of(lanes)
        made.append(scored(planned, absence, shuffled(capture, dice)))
    assert judge_study(PROTOCOL, dice.sample(made, len(made))) == score(slots)


def shuffled(capture: Capture, dice: Any) -> Capture:
    def mixed(items: list[Any]) -> list[Any]:
        return list(dice.sample(items, len(items)))

    if isinstance(capture, JobsCapture):
        return replace(capture, lanes=mixed(capture.lanes))
    assert isinstance(capture, ChecksCapture)
    return replace(capture, suites=mixed(capture.suites), named=mixed(capture.named))
