# SPDX-License-Identifier: Apache-2.0
"""The page of surviving mutants lists changes of code that is there, each with a reason."""

import ast
from collections import Counter
from pathlib import Path

import pytest

from tests.tools.house import CHECKOUT
from tests.tools.mutant_page import PAGE, Change, change_of, listed, row_of

SCORE = CHECKOUT / "app" / "core" / "score"
ROWS = list(listed())


def source_of(change: Change) -> str:
    """Return the source of the function that a row names, white space as the page has it."""
    module, *names = change.function.split(".")
    text = (SCORE / f"{module}.py").read_text(encoding="utf-8")
    found: ast.Module | ast.FunctionDef | ast.ClassDef = ast.parse(text)
    for name in names:
        (found,) = [
            each
            for each in found.body
            if isinstance(each, ast.FunctionDef | ast.ClassDef) and each.name == name
        ]
    assert not isinstance(found, ast.Module)
    return " ".join((ast.get_source_segment(text, found) or "").split())


def test_every_line_of_the_table_is_read() -> None:
    lines = [each for each in PAGE.read_text(encoding="utf-8").splitlines() if "` → `" in each]
    assert lines == [row_of(change, why) for change, why in ROWS]
    assert ROWS


def test_no_change_stands_there_twice() -> None:
    assert not [change for change, n in Counter(change for change, _ in ROWS).items() if n > 1]


@pytest.mark.parametrize("change", [change for change, _ in ROWS], ids=lambda each: each.function)
def test_change_is_of_code_that_its_function_has(change: Change) -> None:
    assert change.before in source_of(change)


def test_every_module_of_the_scoring_stands_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    modules = {each.stem for each in SCORE.glob("*.py")} - {"__init__"}
    assert not sorted(each for each in modules if f"`{each}`" not in text)


def test_change_is_read_from_what_mutmut_says() -> None:
    diff = "-    return  lo\n+    return hi | lo"
    change = change_of("app.core.score.interval.xǁEndǁagainst__mutmut_3", diff)
    assert change == Change("interval.End.against", "return lo", "return hi | lo")
    assert row_of(change, "why").startswith(
        "| `interval.End.against` | `return lo` → `return hi \\|"
    )


def test_the_page_names_the_command_and_the_tool() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert "make mutants" in text
    assert "\nmutants:" in (CHECKOUT / "Makefile").read_text(encoding="utf-8")
    assert Path(CHECKOUT / "tests" / "tools" / "mutants.py").exists()
