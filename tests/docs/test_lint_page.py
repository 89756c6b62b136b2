# SPDX-License-Identifier: Apache-2.0
"""The page of the lint's codes is what the code gives, and names every one of them."""

import re
from pathlib import Path

import pytest

from app.core.errors import SchemaViolation
from app.core.protocol.lint_codes import CODES
from app.core.protocol.parse import document_bytes
from app.core.statement.parse import parse_document
from tests.documents import document
from tests.tools.made_pages import ROOT, lint_page

GIVEN = re.compile(r'"([EW]_[A-Z_]+)"')


def test_the_page_of_codes_is_what_the_lint_gives() -> None:
    assert (ROOT / "docs" / "lint.md").read_text() == lint_page(), "run: make docs"


def test_every_code_that_a_rule_names_stands_in_the_table_and_no_other() -> None:
    rules = Path(ROOT / "app" / "core" / "protocol").glob("*.py")
    named = {
        code
        for path in rules
        if not path.name.startswith("codes_of")
        for code in GIVEN.findall(path.read_text())
    }
    assert named == set(CODES)


def test_document_without_a_population_is_refused_by_its_shape() -> None:
    data = document_bytes(document())
    start = data.index(b'"population":')
    end = data.index(b"}", start) + 2
    with pytest.raises(SchemaViolation) as refused:
        parse_document(data[:start] + data[end:])
    assert {each.pointer for each in refused.value.findings} == {"/gates/0"}
