# SPDX-License-Identifier: Apache-2.0
"""Documentation becomes sections of plain text, whatever stands in it."""

import pytest

from app.pages.shipped_docs import problem_rows, sections_of, shipped

TEXT = """# Title

First, with `code` and **bold**.

## Codes of `x`

| code | when |
|---|---|
| `slot-taken` | another [key](keys.md) holds it |
| `a\\|b` | |

- one
  goes on
- two

    indented
      more
"""


def test_headings_paragraphs_lists_tables_and_blocks_are_kept() -> None:
    first, second = sections_of(TEXT)
    assert (first.heading, list(first.lines)) == ("", ["First, with code and bold."])
    assert second.heading == "Codes of `x`"
    assert list(second.lines) == ["one goes on", "two"]
    assert second.text == "indented\n  more"
    (table,) = second.tables
    assert [cell.text for cell in table.rows[0]] == ["slot-taken", "another key holds it"]
    assert [cell.text for cell in table.rows[1]] == ["a|b", "none"]


def test_problem_codes_are_found_with_their_group() -> None:
    row = problem_rows(TEXT)["slot-taken"]
    assert row.group == "Codes of `x`"
    assert row.when == "another key holds it"


def test_the_shipped_list_names_what_the_service_answers() -> None:
    rows = problem_rows(shipped("problems.md"))
    assert {"unknown-thing", "sealed-until-closure", "parameter"} <= rows.keys()


def test_missing_document_is_a_damaged_installation() -> None:
    with pytest.raises(FileNotFoundError, match="install it again"):
        shipped("no-such.md")
