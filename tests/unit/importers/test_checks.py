# SPDX-License-Identifier: Apache-2.0
"""From a report to a capture: what is said counts, what is not is null, callers give the names."""

import pytest

from app.core.errors import SchemaViolation
from app.core.statement.capture import Artifact, NamedResult, Suite
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_capture
from app.importers.checks import Imported, Wanted, import_checks
from app.importers.registry import IMPORTERS, ToolName
from app.importers.report import Case, Report, Result

ARTIFACT = Artifact(sha256="c" * 64, size=4096)


def report(*results: Result | None) -> Report:
    return Report(tuple(Case("t.x", f"test_{n}", one) for n, one in enumerate(results)))


def imported(of: Report, *named: Wanted) -> Imported:
    made = import_checks(of, suite="cpu", named=named)
    assert parse_capture(encode(made.capture)) == made.capture
    return made


def test_registry_is_closed_and_names_every_tool_with_what_it_reads() -> None:
    assert list(IMPORTERS) == list(ToolName)
    assert all(one.reads for one in IMPORTERS.values())


def test_cases_are_counted_by_what_the_report_says_of_them() -> None:
    made = imported(report("passed", "passed", "failed", "skipped"))
    assert made.capture.suites == [Suite(name="cpu", passed=2, failed=1, skipped=1)]
    assert made.remarks == ()
    assert made.capture.named == []
    assert made.capture.values == []
    assert made.capture.boot_id is None


def test_l22_suite_with_unsaid_cases_is_not_known_and_what_is_said_stands_beside_it() -> None:
    made = imported(report("passed", None, "failed", None))
    assert made.capture.suites == [
        Suite(name="cpu", passed=None, failed=None, skipped=None),
        Suite(name="cpu-said", passed=1, failed=1, skipped=0),
    ]
    (remark,) = made.remarks
    assert remark.startswith("2 test cases have a result in words that have no meaning here")


def test_l22_report_that_says_no_result_counts_nothing() -> None:
    made = imported(report(None, None))
    assert made.capture.suites == [Suite(name="cpu", passed=None, failed=None, skipped=None)]


def test_report_without_a_case_counts_nothing_and_is_no_pass() -> None:
    made = imported(Report(()))
    assert made.capture.suites == [Suite(name="cpu", passed=None, failed=None, skipped=None)]
    assert made.remarks == (
        "The report has no test case: nothing was tested, and that is no pass.",
    )


def test_report_of_skipped_cases_alone_has_no_passes() -> None:
    made = imported(report("skipped", "skipped"))
    assert made.capture.suites == [Suite(name="cpu", passed=0, failed=0, skipped=2)]
    (remark,) = made.remarks
    assert remark == "Every test case was skipped: nothing was tested, and that is no pass."


def test_results_are_taken_by_the_names_a_caller_lists() -> None:
    of = Report(
        (
            Case("t.a", "test", "passed"),
            Case("t.b", "test", "failed"),
            Case("", "helper-v5", "skipped"),
            Case("t.c", "odd", None),
        )
    )
    made = imported(
        of,
        Wanted("a", "t.a::test", None),
        Wanted("b", "t.b::test", ARTIFACT),
        Wanted("helper-v5", None, ARTIFACT),
        Wanted("odd", "t.c::odd", None),
        Wanted("gone", "t.d::test", None),
    )
    assert made.capture.named == [
        NamedResult(id="a", result="passed", artifact=None),
        NamedResult(id="b", result="failed", artifact=ARTIFACT),
        NamedResult(id="helper-v5", result="skipped", artifact=ARTIFACT),
        NamedResult(id="odd", result="not_run", artifact=None),
        NamedResult(id="gone", result="not_run", artifact=None),
    ]
    said = " ".join(made.remarks)
    assert "odd: no case of the report gives a result; recorded as not_run." in said
    assert "gone: no case of the report gives a result; recorded as not_run." in said


@pytest.mark.parametrize(
    "cases",
    [
        [Case("t.a", "test", "failed"), Case("t.a", "test", "passed")],
        [Case("a::b", "c", "passed"), Case("a", "b::c", "failed")],
    ],
)
def test_name_that_several_cases_bear_is_refused(cases: list[Case]) -> None:
    with pytest.raises(SchemaViolation) as caught:
        imported(Report(tuple(cases)), Wanted("one", cases[0].id, None))
    assert caught.value.code == "ambiguous-case"
    assert "2 test cases bear the name of one" in caught.value.detail


def test_own_name_that_several_classes_have_is_refused_and_told_apart_by_class() -> None:
    of = Report((Case("t.a", "same", "passed"), Case("t.b", "same", "failed")))
    with pytest.raises(SchemaViolation):
        imported(of, Wanted("same", None, None))
    made = imported(of, Wanted("same", "t.b::same", None))
    assert made.capture.named[0].result == "failed"
