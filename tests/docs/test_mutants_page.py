# SPDX-License-Identifier: Apache-2.0
"""The page of surviving mutants lists changes of code that is there, each with a reason."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.house import CHECKOUT
from tests.tools.mutant_page import PAGE, Change, change_of, listed, row_of

SCORE = CHECKOUT / "app" / "core" / "score"
ROWS = list(listed())


def sources(node: ast.AST, text: str, within: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the source of every function below, white space as the page has it."""
    for each in ast.iter_child_nodes(node):
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            name = f"{within}.{each.name}"
            if isinstance(each, ast.FunctionDef):
                yield name, " ".join((ast.get_source_segment(text, each) or "").split())
            yield from sources(each, text, name)


FUNCTIONS = [
    found
    for path in sorted(SCORE.glob("*.py"))
    for text in [path.read_text(encoding="utf-8")]
    for found in sources(ast.parse(text), text, path.stem)
]


def test_every_line_of_the_table_is_read() -> None:
    lines = [each for each in PAGE.read_text(encoding="utf-8").splitlines() if "` → `" in each]
    assert lines == [row_of(change, why) for change, why in ROWS]
    assert ROWS


def test_no_change_stands_there_twice() -> None:
    assert not [change for change, n in Counter(change for change, _ in ROWS).items() if n > 1]


@pytest.mark.parametrize("change", [change for change, _ in ROWS], ids=lambda each: each.function)
def test_change_is_of_code_that_its_function_has(change: Change) -> None:
    assert any(change.is_of(name) and change.is_in(source) for name, source in FUNCTIONS)


def test_code_left_open_is_the_same_on_both_sides() -> None:
    line = Change("…", "…strict=True…", "…strict=None…")
    assert line.covers(Change("holm.holm", "zip(a, strict=True):", "zip(a, strict=None):"))
    assert not line.covers(Change("holm.holm", "zip(a, strict=True):", "zip(b, strict=None):"))
    assert not Change("sample.…", "a", "b").covers(Change("holm.holm", "a", "b"))
    assert not Change("…", "a", "b").covers(Change("holm.holm", "a…", "b"))


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
