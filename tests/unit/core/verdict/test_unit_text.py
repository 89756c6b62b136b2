# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""What a unit of a gate told, in words: never a zero for what nobody recorded."""

from typing import Any

import pytest
from msgspec import structs

from app.core.statement.capture import Artifact
from app.core.statement.capture_streams import AnswerParts
from app.core.statement.interval import Interval
from app.core.statement.judgement import Observation
from app.core.statement.tally import (
    AnswerTally,
    CheckTally,
    FileTally,
    JobsTally,
    LaneTally,
    NotPassed,
    PairTally,
    Told,
)
from app.core.verdict.unit_text import aside_text, told_text, unit_name
from tests.results import suite
from tests.unit.pages.test_gates import judgement

UNIT = Observation("B/C2/1", None, None, None, "unknown")


def number(value: str) -> Interval:
    return Interval(lo=value, hi=value, lo_open=False, hi_open=False)


def checks(*not_passed: tuple[str, Any], skipped: int | None = 65) -> Told:
    return Told(
        checks=CheckTally(
            passed=379,
            failed=0,
            not_tested=skipped,
            suites=[suite(skipped=skipped)],
            not_passed=[NotPassed(id=name, result=result) for name, result in not_passed],
        )
    )


def file(result: Any, artifact: Artifact | None = None) -> FileTally:
    return FileTally(name="helper", result=result, artifact=artifact)


def lane(number_of: int, took: int | None, validated: int | None) -> LaneTally:
    return LaneTally(
        lane=number_of, ended=took is not None, duration_us=took, validated=validated, failed=0
    )


def answer(matched: bool | None, parts: AnswerParts | None = None) -> AnswerTally:
    return AnswerTally(stream_role="newcomer", lane=1, matched=matched, parts=parts)


SUITE = "repository: 379 passed, 0 failed, 65 skipped"
FILE = Artifact(sha256="ab" * 32, size=4096)
SKIPS: Any = [(name, "skipped") for name in "abc"]


@pytest.mark.parametrize(
    ("told", "text"),
    [
        (checks(), SUITE),
        (checks(skipped=None), "repository: 379 passed, 0 failed, not recorded skipped"),
        (checks(("a", "not_run"), ("b", "failed")), f"{SUITE}; by name: b failed, a not run"),
        (
            checks(*SKIPS, ("d", "failed")),
            f"{SUITE}; by name: d failed, a skipped, b skipped and 1 more",
        ),
        (checks(*SKIPS), f"{SUITE}; by name: a skipped, b skipped, c skipped"),
        (
            Told(files=[file(None), file("not_run"), file("passed", FILE)]),
            (
                "helper: not reported; helper: not run, no file named; "
                "helper: passed, sha256 abababababab, 4,096 bytes"
            ),
        ),
        (
            Told(
                jobs=JobsTally(
                    planned=3,
                    resolution_us=1_000_000,
                    lanes=[lane(0, 3_600_000_000, 251), lane(2, None, None)],
                )
            ),
            (
                "2 of 3 lanes reported; lane 0: 1:00:00 (h:min:s) within 1 s, 251 validated, "
                "0 failed; lane 2: no end seen, not recorded validated, 0 failed"
            ),
        ),
        (Told(decision="REGRESSION"), "the tool decided REGRESSION"),
        (
            Told(answers=[answer(None), answer(matched=False)]),
            "newcomer lane 1: answer not known; newcomer lane 1: another answer than expected",
        ),
        (
            Told(answers=[answer(None, AnswerParts(expected=3, matched=1))]),
            "newcomer lane 1: answer not known (1 of 3 parts)",
        ),
        (
            Told(pair=PairTally(own=number("1600000"), against="A/C2/1", other=None)),
            "1.600 s against not recorded of A/C2/1",
        ),
    ],
)
def test_what_was_told_is_said_in_one_line(told: Told, text: str) -> None:
    assert told_text(told, "us") == text


def test_unit_is_named_by_its_slot_and_its_stream() -> None:
    assert unit_name(UNIT) == "B/C2/1"
    assert unit_name(structs.replace(UNIT, stream_role="newcomer", lane=0)) == (
        "B/C2/1 newcomer lane 0"
    )


def test_beside_a_unit_stands_why_and_what_was_told_or_nothing() -> None:
    told = Told(decision="PASS")
    assert aside_text(judgement(), UNIT) == ""
    assert aside_text(judgement(), structs.replace(UNIT, why="MISSING")) == "MISSING"
    assert aside_text(judgement(), structs.replace(UNIT, told=told)) == "the tool decided PASS"
    both = structs.replace(UNIT, why="MISSING", told=told)
    assert aside_text(judgement(), both) == "MISSING: the tool decided PASS"
