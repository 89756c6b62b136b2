# SPDX-License-Identifier: Apache-2.0
"""One word per thing: every public class of the core stands in the glossary, under one name."""

from collections import Counter

from tests.tools.made_pages import GLOSSARY, glossary_page, public_classes

# A document's shape and the thing it spells: the reader meets them as one.
TWICE = frozenset({"Interval", "Reason", "TreeHead"})


def test_every_public_class_of_the_core_stands_in_the_glossary_with_its_meaning() -> None:
    page = GLOSSARY.read_text()
    missing = [name for name, _, first in public_classes() if f"| `{name}` | {first} |" not in page]
    assert missing == [], "run: make docs"


def test_the_glossarys_table_is_what_the_code_says() -> None:
    page = GLOSSARY.read_text()
    assert page == glossary_page(), "run: make docs"


def test_no_two_things_of_the_core_have_one_name() -> None:
    counts = Counter(name for name, _, _ in public_classes())
    assert {name for name, count in counts.items() if count > 1} <= TWICE


def test_every_public_class_says_what_it_is() -> None:
    assert [name for name, _, first in public_classes() if not first.endswith((".", ":"))] == []
