# SPDX-License-Identifier: Apache-2.0
"""For every report: it is refused by name or read, and nothing unsaid is ever counted as passed."""

import contextlib
import string
from xml.sax.saxutils import quoteattr

from hypothesis import given
from hypothesis import strategies as st

from app.core.errors import FairtrialError
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_capture
from app.importers.checks import import_checks
from app.importers.junit import read_junit
from app.importers.report import Report

MARKUP = st.text(alphabet=string.printable + "é\x00<>&;!\"'", max_size=200)
PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "<testsuites>",
                "</testsuites>",
                "<testsuite>",
                "</testsuite>",
                "<testcase name='a'>",
            ),
            *(
                "</testcase>",
                "<failure/>",
                "<skipped/>",
                "<!DOCTYPE a>",
                "&lol;",
                "<![CDATA[",
                "]]>",
            ),
            *("<?xml version='1.0'?>", "<!--", "-->", "<testsuite tests='1'>", "\x00", "\ufeff"),
        ]
    ),
    max_size=20,
).map("".join)
# Words of results, and words that sound like one.
WORDS = st.sampled_from(
    ["run", "passed", "FAILED", "skipped", "DESCRIPTIVE", "exit 0", "ok", "OK!", ""]
)
MARKS = st.sampled_from(["", "<failure/>", "<error/>", "<skipped/>", "<other/>", "<flakyFailure/>"])
CASES = st.lists(st.tuples(st.none() | WORDS, MARKS), max_size=12)


def written(cases: list[tuple[str | None, str]]) -> bytes:
    said = ("" if word is None else f" status={quoteattr(word)}" for word, _ in cases)
    marks = (mark for _, mark in cases)
    rows = (
        f"<testcase name='n'{word}>{mark}</testcase>"
        for word, mark in zip(said, marks, strict=True)
    )
    return f"<testsuite tests='{len(cases)}'>{''.join(rows)}</testsuite>".encode()


@given(st.one_of(st.binary(max_size=200), MARKUP.map(str.encode), PIECES.map(str.encode)))
def test_any_bytes_are_read_or_refused_by_name(data: bytes) -> None:
    # Whatever is wrong with them; any other error would be the reader's own.
    with contextlib.suppress(FairtrialError):
        assert isinstance(read_junit(data), Report)


@given(CASES)
def test_l22_only_a_case_with_nothing_against_it_is_passed(
    cases: list[tuple[str | None, str]],
) -> None:
    report = read_junit(written(cases))
    assert len(report.cases) == len(cases)
    good = [
        mark in {"", "<other/>"} and (word is None or word.lower() in {"run", "passed", "ok"})
        for word, mark in cases
    ]
    assert [case.result == "passed" for case in report.cases] == good
    capture = import_checks(report, suite="cpu", named=()).capture
    assert parse_capture(encode(capture)) == capture
    whole = capture.suites[0]
    unsaid = any(case.result is None for case in report.cases)
    assert (whole.passed is None) == (unsaid or not cases)
    if whole.passed is not None:
        assert (whole.passed, whole.failed, whole.skipped) == tuple(
            report.count(one) for one in ("passed", "failed", "skipped")
        )
