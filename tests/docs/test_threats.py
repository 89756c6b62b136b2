# SPDX-License-Identifier: Apache-2.0
"""Every threat to the log on the page is held by tests that carry its number."""

import re

import pytest

from tests.docs.reader import page
from tests.functional.processes import PROJECT

ROW = re.compile(r"^\| ([A-Z]\d\d) \| ([^|]+) \| ([^|]+) \| ([^|]*)\|$", re.MULTILINE)
ROWS = ROW.findall(page("docs/threats.md"))
NUMBERS = [number for number, *_ in ROWS]


def named_in_tests() -> set[str]:
    """Return the numbers that names of tests carry."""
    found: set[str] = set()
    for file in (PROJECT / "tests").rglob("test_*.py"):
        for name in re.findall(r"def (test_\w+)", file.read_text(encoding="utf-8")):
            found.update(re.findall(r"(?<=_)[a-z]\d\d(?=_)", name))
    return found


HELD = named_in_tests()


def test_page_has_each_threat_to_the_log_once() -> None:
    assert len(NUMBERS) == len(set(NUMBERS))
    assert {*NUMBERS} == {
        *("R01", "R02", "R05", "R06", "R07", *(f"R{n}" for n in range(10, 19)), "R20"),
        *("S13", "S14", "S16", "S17", "L25"),
    }


@pytest.mark.parametrize("number", NUMBERS)
def test_threat_on_the_page_is_held_by_a_test_of_its_number(number: str) -> None:
    assert number.lower() in HELD


def test_threat_that_no_test_holds_would_be_found() -> None:
    assert "z99" not in HELD
