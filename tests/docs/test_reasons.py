# SPDX-License-Identifier: Apache-2.0
"""The page of reason codes and the pages about words are in step with the code."""

import re

import pytest

from app.core.reason import Reason
from app.core.verdict import exit_code
from app.core.verdict.word_reasons import WORD_REASONS
from tests.tools.made_pages import REASONS, ROOT, reasons_page

VERDICT = (ROOT / "docs" / "verdict.md").read_text()


def test_the_page_of_reasons_is_what_the_code_says() -> None:
    assert REASONS.read_text() == reasons_page(), "run: make docs"


@pytest.mark.parametrize("reason", list(Reason))
def test_every_reason_has_a_heading(reason: Reason) -> None:
    assert f"\n### {reason}\n" in reasons_page()


def test_the_decision_table_names_every_word_reason_in_the_order_that_decides() -> None:
    table = VERDICT.partition("## 4.")[2].partition("## 5.")[0]
    rows = re.findall(r"^\| ([A-Z][A-Z_]+) \|", table, re.MULTILINE)
    order = list(Reason)
    assert rows == sorted(
        (str(reason) for reason in WORD_REASONS), key=lambda r: order.index(Reason(r))
    )


def test_the_page_names_every_exit_code() -> None:
    table = VERDICT.partition("## 7.")[2].partition("## 8.")[0]
    codes = {
        value for name, value in vars(exit_code).items() if name.isupper() and type(value) is int
    }
    assert codes == {int(code) for code in re.findall(r"\b(\d+)\b", table)}
