# SPDX-License-Identifier: Apache-2.0
"""Schemas are what the shapes say, bounded, closed, and cost no more than a document's size."""

import copy
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import jsonschema
import pytest

from app.core.errors import UnknownThing
from app.core.statement import schema as schemas
from app.core.statement.schema import NAMES, schema_of
from tests.tools import check_schemas
from tests.tools.check_schemas import SCHEMAS, differences, file_name, lint
from tests.vectors.example_declarations import Document
from tests.vectors.make_examples import GOOD, changed


@pytest.mark.parametrize("name", NAMES)
def test_schema_keeps_the_rules_of_the_house(name: str) -> None:
    assert lint(name, schema_of(name)) == []


def test_committed_schemas_are_what_the_shapes_say() -> None:
    assert differences() == []
    assert check_schemas.main() == 0


def test_unknown_schema_is_not_found() -> None:
    with pytest.raises(UnknownThing):
        schema_of("tombstone")


def test_statement_schema_does_not_fix_the_version_of_its_document() -> None:
    later = "urn:fairtrial:protocol-document:v2"
    document = changed(GOOD["protocol"](), "/predicate/document", {"schema": later, "new": True})
    jsonschema.Draft202012Validator(schema_of("protocol")).validate(document)


def test_properties_carry_the_words_of_their_docstrings() -> None:
    definitions = schema_of("receipt")["$defs"]
    challenge = definitions["ReceiptPredicate"]["properties"]["challenge"]
    assert challenge["description"] == "the slot's challenge in its reservation's chain."
    assert "Attributes" not in str(schema_of("receipt"))
    signer = definitions["ReceiptPredicate"]["properties"]["signer"]
    assert signer["description"].startswith("key id")


def test_line_that_continues_an_attribute_is_joined_to_it() -> None:
    text, lines = schemas._parts("Text.\n\nAttributes:\n    a: one\n        and: two.\n    b: x.")
    assert text == "Text."
    assert lines == {"a": "one and: two.", "b": "x."}


BROKEN: dict[str, tuple[str, Any]] = {
    "not anchored": ("/properties/at/pattern", "[0-9]+"),
    "not ASCII": ("/properties/at/pattern", "^\\d$(?!\\n)"),
    "inside a quantifier": ("/properties/at/pattern", "^(a+)+$(?!\\n)"),
    "without a pattern": ("/properties/at", {"type": "string", "maxLength": 1}),
    "without maxLength": ("/properties/at", {"type": "string", "pattern": "^a$(?!\\n)"}),
    "without maxItems": ("/properties/at", {"type": "array", "items": False}),
    "quadratic": ("/properties/at", {"type": "array", "maxItems": 1, "uniqueItems": True}),
    "multipleOf": ("/properties/size/multipleOf", 1),
    "without bounds": ("/properties/size", {"type": "integer"}),
    "a float": ("/properties/size", {"type": "number"}),
    "not closed": ("/$defs/TreeHead/additionalProperties", True),
    "without propertyNames": ("/$defs/TreeHead/additionalProperties", {"const": 1}),
    "leaves the file": ("/properties/after/$ref", "https://example.org/x.json"),
    "$id is not": ("/$id", "urn:x"),
    "not a JSON Schema": ("/properties/size/minimum", "0"),
}


@pytest.mark.parametrize("fault", sorted(BROKEN))
def test_j09_j10_schema_that_breaks_a_rule_is_found(fault: str) -> None:
    place, value = BROKEN[fault]
    assert fault in " ".join(lint("leaf", changed(schema_of("leaf"), place, value)))


def test_j08_every_pattern_is_anchored_at_the_very_end() -> None:
    patterns = [text for name in NAMES for text in found(schema_of(name), "pattern")]
    assert len(patterns) > len(NAMES)
    for text in patterns:
        assert text.endswith(r"$(?!\n)"), text


def test_j10_no_schema_has_multiple_of_or_floats() -> None:
    for name in NAMES:
        assert list(found(schema_of(name), "multipleOf")) == []


def found(node: object, key: str) -> Iterator[Any]:
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for value in node.values():
            yield from found(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from found(value, key)


def test_files_have_the_names_they_are_served_by() -> None:
    assert file_name("key") == "key.v1.schema.json"
    assert (SCHEMAS / "key.v1.schema.json").exists()


def lists_of(node: object, place: str = "") -> Iterator[str]:
    """Yield the pointer of every list in a document that holds something."""
    members: list[tuple[Any, Any]] = []
    if isinstance(node, dict):
        members = list(node.items())
    elif isinstance(node, list):
        members = list(enumerate(node))
        if node:
            yield place
    for name, value in members:
        yield from lists_of(value, f"{place}/{name}")


LISTS = [(kind, place) for kind in sorted(GOOD) for place in lists_of(GOOD[kind]())]


def work(validator: jsonschema.Draft202012Validator, document: Document) -> int:
    """Count calls and returns while a document is validated in full."""
    count = 0

    def tick(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(tick)
    try:
        list(validator.iter_errors(document))
    finally:
        sys.setprofile(None)
    return count


def stretched(document: Document, place: str, size: int) -> Document:
    node: Any = document
    for step in place.removeprefix("/").split("/"):
        node = node[int(step) if isinstance(node, list) else step]
    return changed(document, place, [copy.deepcopy(node[0])] * size)


@pytest.mark.parametrize(("kind", "place"), LISTS)
def test_j09_doubling_a_list_at_most_two_and_a_half_folds_the_work(kind: str, place: str) -> None:
    validator = jsonschema.Draft202012Validator(schema_of(kind))
    small, large = (stretched(GOOD[kind](), place, size) for size in (32, 64))
    work(validator, small)  # the first use of a pattern compiles it
    assert work(validator, large) <= 2.5 * work(validator, small)
