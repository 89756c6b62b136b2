# SPDX-License-Identifier: Apache-2.0
"""The table of cases names tests that are there, and each test of a case stands in it or beside."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[4]
ROWS = re.findall(
    r"^\| ([^|]+) \| `([^`:]+)::(\w+)` \|", (HERE / "README.md").read_text("utf-8"), re.MULTILINE
)


def test_table_has_every_case_once() -> None:
    cases = [case for case, _, _ in ROWS]
    assert len(set(cases)) == len(cases)
    wanted = {f"A{n}" for n in (*range(1, 9), 11, 12, 13, 15, 17, 18)}
    wanted |= {f"B{n}" for n in (1, 2, 3, 4, 6, 7, 9, 10, 12, 13, 14, 16)}
    wanted |= {f"caution {n}" for n in ("i", "ii", "iii", "iv", "v", "vi")}
    assert wanted <= set(cases)


@pytest.mark.parametrize(("case", "file", "name"), ROWS)
def test_named_test_is_there(case: str, file: str, name: str) -> None:
    path = (PROJECT if "/" in file else HERE) / file
    assert re.search(rf"^(async )?def {name}\(", path.read_text("utf-8"), re.MULTILINE), case
