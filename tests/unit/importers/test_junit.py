# SPDX-License-Identifier: Apache-2.0
"""JUnit reports: explicit results are taken, everything else is unsaid or refused (L22)."""

import pytest

from app.core.errors import FairtrialError, MalformedDocument, SchemaViolation
from app.importers.junit import read_junit
from app.importers.report import Case, Report

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1" skipped="1"
 tests="4" time="0.139" timestamp="2026-11-30T10:03:22.064798+00:00" hostname="vm">
<testcase classname="tests.test_x" name="test_ok" time="0.001" />
<testcase classname="tests.test_x" name="test_no" time="0.001"><failure message="assert 0">x
</failure></testcase>
<testcase classname="tests.test_x" name="test_no"><error message="teardown"/></testcase>
<testcase classname="tests.test_x" name="test_later"><skipped type="pytest.xfail" message=""/>
</testcase></testsuite></testsuites>"""
CTEST = b"""<testsuite name="Linux" tests="4" failures="1" disabled="1" skipped="1">
<testcase name="a" classname="a" status="run"><system-out>ok</system-out></testcase>
<testcase name="b" classname="b" status="fail"><failure message=""/></testcase>
<testcase name="c" classname="c" status="notrun"><skipped message="SKIP_RETURN_CODE"/></testcase>
<testcase name="d" classname="d" status="disabled"/></testsuite>"""
GOOGLETEST = b"""<testsuites tests="3" failures="0" disabled="1" errors="0" name="AllTests">
<testsuite name="Math" tests="3" failures="0" disabled="1" skipped="1" errors="0">
<testcase name="Adds" status="run" result="completed" classname="Math"/>
<testcase name="Skips" status="run" result="skipped" classname="Math"><skipped/></testcase>
<testcase name="Off" status="notrun" result="suppressed" classname="Math"/>
</testsuite></testsuites>"""
NESTED = b"""<testsuites><testsuite name="all" tests="3" failures="1">
<testsuite name="one" tests="2" failures="1"><testcase name="a"/><testcase name="b"><failure/>
</testcase></testsuite>
<testsuite name="two" tests="1"><properties/><testcase classname="c" name="a"/></testsuite>
</testsuite></testsuites>"""


def suite(*cases: str, **totals: object) -> bytes:
    said = " ".join(f'{name}="{value}"' for name, value in totals.items())
    return f"<testsuites><testsuite {said}>{''.join(cases)}</testsuite></testsuites>".encode()


def results(report: Report) -> list[str | None]:
    return [case.result for case in report.cases]


def refusal(data: bytes) -> FairtrialError:
    with pytest.raises(FairtrialError) as caught:
        read_junit(data)
    return caught.value


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (PYTEST, ["passed", "failed", "failed", "skipped"]),
        (CTEST, ["passed", "failed", "skipped", "skipped"]),
        (GOOGLETEST, ["passed", "skipped", "skipped"]),
        (NESTED, ["passed", "failed", "passed"]),
    ],
    ids=["pytest", "ctest", "googletest", "nested"],
)
def test_reports_of_known_writers_are_read_case_by_case(data: bytes, said: list[str]) -> None:
    report = read_junit(data)
    assert results(report) == said
    for result in ("passed", "failed", "skipped"):
        assert report.count(result) == said.count(result)


def test_cases_of_one_name_are_told_apart_by_their_class() -> None:
    assert [case.id for case in read_junit(NESTED).cases] == ["::a", "::b", "c::a"]


@pytest.mark.parametrize(
    "data",
    [b"<testsuites/>", b"<testsuite/>", b'<testsuite tests="0" failures="0" skipped="0"/>'],
)
def test_report_without_a_test_case_has_none(data: bytes) -> None:
    assert read_junit(data) == Report(())


@pytest.mark.parametrize(
    "word", ["DESCRIPTIVE", "descriptive", "exit 0", "0", "", "true", "PASSED*", "passes", "green"]
)
@pytest.mark.parametrize("attribute", ["status", "result", "outcome", "verdict"])
def test_l22_word_that_is_no_result_never_becomes_passed(word: str, attribute: str) -> None:
    report = read_junit(suite(f'<testcase name="a" {attribute}="{word}"/>', tests=1))
    assert report.cases == (Case("", "a", None),)
    assert report.count("passed") == 0


@pytest.mark.parametrize(
    ("case", "result"),
    [
        ('<testcase name="a" exit="0" label="DESCRIPTIVE"/>', "passed"),
        ('<testcase name="a" status=" Passed "/>', "passed"),
        ('<testcase name="a" status="run" result="DESCRIPTIVE"/>', None),
        ('<testcase name="a" status="passed"><failure/></testcase>', "failed"),
        ('<testcase name="a" status="passed"><error/></testcase>', "failed"),
        ('<testcase name="a" status="passed"><skipped/></testcase>', "skipped"),
        ('<testcase name="a" status="failed"/>', "failed"),
        ('<testcase name="a" status="failed"><skipped/></testcase>', "failed"),
        ('<testcase name="a"><skipped/><failure/></testcase>', "failed"),
        ('<testcase name="a" status="whatever"><failure/></testcase>', "failed"),
        ('<testcase name="a" status="whatever"><skipped/></testcase>', "skipped"),
        ('<testcase name="a"><step><failure/></step></testcase>', "failed"),
        ('<testcase name="a"><disabled/></testcase>', "skipped"),
        ('<testcase name="a"><passed/><system-err/></testcase>', "passed"),
        ('<testcase name="a"><surprise/></testcase>', "passed"),
        ('<testcase name="a"><flakyFailure/></testcase>', None),
        ('<testcase name="a"><flakyError/></testcase>', None),
        ('<testcase name="a"><failure/><rerunFailure/></testcase>', "failed"),
    ],
)
def test_l22_worst_that_is_said_of_a_case_decides(case: str, result: str | None) -> None:
    assert results(read_junit(suite(case))) == [result]


@pytest.mark.parametrize(
    ("totals", "told"),
    [
        ({"tests": 3}, ("tests=3", "give 4")),
        ({"tests": 5}, ("tests=5", "give 4")),
        ({"failures": 0}, ("failures=0", "give 1")),
        ({"failures": 2}, ("failures=2", "give 1")),
        ({"errors": 0}, ("errors=0", "give 1")),
        ({"skipped": 0}, ("skipped=0", "give 1")),
        ({"skipped": 1, "disabled": 1}, ("skipped=1", "give 0")),
        ({"disabled": 2}, ("disabled=2", "give 1")),
    ],
)
def test_totals_that_contradict_the_cases_are_an_error_with_both_numbers(
    totals: dict[str, int], told: tuple[str, str]
) -> None:
    cases = (
        '<testcase name="a"/>',
        '<testcase name="b"><failure/></testcase>',
        '<testcase name="c"><error/></testcase>',
        '<testcase name="d"><skipped/></testcase>',
    )
    read_junit(suite(*cases, tests=4, failures=1, errors=1, skipped=1))
    refused = refusal(suite(*cases, **totals))
    assert (type(refused), refused.code) == (SchemaViolation, "junit-totals")
    assert all(one in refused.detail for one in told)


def test_totals_of_the_whole_report_are_held_against_all_its_suites() -> None:
    one = '<testsuite tests="1"><testcase name="a"/></testsuite>'
    assert len(read_junit(f'<testsuites tests="2">{one}{one}</testsuites>'.encode()).cases) == 2
    refused = refusal(f'<testsuites tests="1">{one}{one}</testsuites>'.encode())
    assert "testsuites says tests=1 and its test cases give 2" in refused.detail


@pytest.mark.parametrize("text", ["", "-1", "1.0", "1e3", "٤", "0x4", "NaN", "9" * 40, "4 "])
def test_total_that_is_no_number_is_refused_and_not_quoted(text: str) -> None:
    refused = refusal(suite('<testcase name="a"/>', tests=text))
    assert refused.code == "junit-totals"
    assert not text or text not in refused.detail


@pytest.mark.parametrize(
    "inner",
    [
        '<testcase name="a"/>',
        '<group><testcase name="a"><failure/></testcase></group>',
        '<testsuite><testcase name="a"><testcase name="b"/></testcase></testsuite>',
        "<testsuite><failure/></testsuite>",
        "<testsuite><properties><error/></properties></testsuite>",
        "<skipped/>",
    ],
)
def test_case_or_result_where_nobody_would_count_it_is_refused(inner: str) -> None:
    assert refusal(f"<testsuites>{inner}</testsuites>".encode()).code == "junit-place"


def test_case_without_a_name_is_refused() -> None:
    assert refusal(suite("<testcase/>")).code == "junit-case"
    assert refusal(suite('<testcase name="" classname="a"/>')).code == "junit-case"


@pytest.mark.parametrize("root", ["html", "junit:testsuites", "TESTSUITES", "testcase"])
def test_xml_of_another_kind_is_no_report(root: str) -> None:
    refused = refusal(f'<{root} xmlns:junit="urn:x" name="a"/>'.encode())
    assert (type(refused), refused.code) == (MalformedDocument, "not-junit")


def test_report_cut_short_is_refused_and_not_read_as_far_as_it_goes() -> None:
    assert refusal(PYTEST[:-30]).code == "xml"
