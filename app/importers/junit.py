# SPDX-License-Identifier: Apache-2.0
"""JUnit XML, the form that pytest, Gradle, Surefire, CTest and googletest write.

There is no one standard of it. What all writers share decides here: a ``testcase`` stands in a
``testsuite``; with ``failure`` or ``error`` inside it failed, with ``skipped`` it was not tested,
with none of them it passed. Some writers also say a result in a word (``status``, ``result``). A
word may make a case worse, never better, and a word that is not known leaves it unsaid, whatever it
sounds like: an exit code of 0, a label or a description is no result (L22). A case that failed
first and passed when it was tried again is unsaid too.

Nothing is counted by what a report says of itself: the cases are counted, and totals in its
attributes that say another number are an error. Elements of other names are passed over; but a case
or a result that stands where no reader would look is an error, not a case fewer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from app.core.errors import MalformedDocument, SchemaViolation
from app.importers.elements import Element, read_elements
from app.importers.report import Case, Report, Result

_WORDS: Final[Mapping[str, Result]] = {
    **dict.fromkeys(("run", "completed", "passed", "pass", "success", "ok"), "passed"),
    **dict.fromkeys(("failed", "fail", "failure", "error", "errored", "aborted"), "failed"),
    **dict.fromkeys(
        ("skipped", "skip", "notrun", "disabled", "suppressed", "ignored", "pending"), "skipped"
    ),
}
"""What a word, or an element named by it, means; the first row says that nothing is against it."""
_WORD_ATTRIBUTES: Final = ("status", "result", "outcome", "verdict")
_RETRIED: Final = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
_COUNT: Final = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class _Read:
    """A case, and in which of a suite's totals it stands."""

    case: Case
    totals: frozenset[str]


def read_junit(data: bytes) -> Report:
    """Return the test cases of a JUnit XML report.

    Raises:
        MalformedDocument: not XML as it is read here; ``not-junit``, XML of another kind.
        TooLarge: past a limit of the XML reader.
        SchemaViolation: ``junit-totals``, totals that are not those of the cases; ``junit-place``,
            a case or a result where none belongs; ``junit-case``, a case without a name.
    """
    root = read_elements(data)
    if root.name not in {"testsuites", "testsuite"}:
        message = "Not a JUnit report: expected testsuites or testsuite as the outermost element."
        raise MalformedDocument(message, code="not-junit")
    read = _read_suite(root)
    _refuse_misplaced(root, len(read))
    return Report(tuple(one.case for one in read))


def _read_suite(suite: Element) -> list[_Read]:
    """Return the cases of a suite, those of the suites in it included."""
    read: list[_Read] = []
    for child in suite.children:
        if child.name == "testsuite":
            read += _read_suite(child)
        elif child.name == "testcase" and suite.name == "testsuite":
            read.append(_read_case(child))
    _check_totals(suite, read)
    return read


def _read_case(case: Element) -> _Read:
    name = case.attributes.get("name", "")
    if not name:
        _refuse("junit-case", "A testcase has no name.")
    inside = {one.name for one in case.below()}
    words = {
        case.attributes[one].strip().lower() for one in _WORD_ATTRIBUTES if one in case.attributes
    }
    result = _worst(inside, words)
    totals = {"tests"}
    if "error" in inside:
        totals.add("errors")
    # What failed in a word alone is a failure.
    if "failure" in inside or (result == "failed" and "error" not in inside):
        totals.add("failures")
    if result == "skipped" or "skipped" in inside:
        totals.add("skipped")
    return _Read(Case(case.attributes.get("classname", ""), name, result), frozenset(totals))


def _worst(inside: set[str], words: set[str]) -> Result | None:
    """Return the worst that is said, by elements or in words; None: it is not said."""
    said = {_WORDS[one] for one in inside | words if one in _WORDS}
    if "failed" in said:
        return "failed"
    if "skipped" in said:
        return "skipped"
    return None if words - _WORDS.keys() or inside & _RETRIED else "passed"


def _refuse_misplaced(root: Element, n_read: int) -> None:
    """Refuse what would be counted by nobody."""
    if sum(one.name == "testcase" for one in root.below()) != n_read:
        _refuse("junit-place", "A testcase stands outside of a testsuite, or inside of another.")
    if any(one.name in {"failure", "error", "skipped"} for one in _outside_cases(root)):
        _refuse("junit-place", "A failure, error or skipped stands outside of a testcase.")


def _outside_cases(suite: Element) -> list[Element]:
    found = []
    for child in suite.children:
        if child.name != "testcase":
            found += [child, *_outside_cases(child)]
    return found


def _check_totals(suite: Element, read: Sequence[_Read]) -> None:
    """Hold what a suite says of itself against its cases."""
    counted = {
        name: sum(name in one.totals for one in read)
        for name in ("tests", "failures", "errors", "skipped")
    }
    # Some writers count what was switched off apart from what was skipped, some only the former.
    off = _total(suite, "disabled") or 0
    if off > counted["skipped"]:
        _contradicts(suite, "disabled", off, counted["skipped"])
    counted["skipped"] -= off
    for name, number in counted.items():
        said = _total(suite, name)
        if said not in {None, number}:
            _contradicts(suite, name, said, number)


def _total(suite: Element, name: str) -> int | None:
    text = suite.attributes.get(name)
    if text is None:
        return None
    if not _COUNT.fullmatch(text):
        _refuse("junit-totals", f"The attribute {name} of a {suite.name} is no number of cases.")
    return int(text)


def _contradicts(suite: Element, name: str, said: int | None, counted: int) -> NoReturn:
    _refuse(
        "junit-totals",
        f"A {suite.name} says {name}={said} and its test cases give {counted}: the report "
        "contradicts itself, so nothing is taken from it.",
    )


def _refuse(code: str, detail: str) -> NoReturn:
    raise SchemaViolation(detail, code=code)
