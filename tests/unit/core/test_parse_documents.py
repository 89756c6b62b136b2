# SPDX-License-Identifier: Apache-2.0
"""Captures, protocol documents and verdict documents are read as strictly as statements."""

import msgspec
import pytest

from app.core.canonical import canonical
from app.core.errors import (
    FairtrialError,
    SchemaViolation,
)
from app.core.statement.parse import (
    encode,
    parse_capture,
    parse_document,
    parse_pilot,
    parse_verdict_document,
)
from tests.vectors.example_declarations import (
    protocol_document,
)
from tests.vectors.example_pilot import pilot
from tests.vectors.example_refusals import REMOVED
from tests.vectors.example_study import (
    capture,
)
from tests.vectors.example_verdict import verdict_document
from tests.vectors.make_examples import changed


def places(error: FairtrialError) -> list[tuple[str, str]]:
    return [(finding.pointer, finding.rule) for finding in error.findings]


def test_protocol_document_is_read_in_any_spelling() -> None:
    pretty = msgspec.json.format(canonical(protocol_document()), indent=2)
    assert encode(parse_document(pretty)) == canonical(protocol_document())


def test_pilot_is_read_in_any_spelling() -> None:
    pretty = msgspec.json.format(canonical(pilot()), indent=2)
    assert encode(parse_pilot(pretty)) == canonical(pilot())


def test_protocol_document_of_another_version_is_told_apart() -> None:
    later = changed(protocol_document(), "/schema", "urn:fairtrial:protocol-document:v2")
    with pytest.raises(SchemaViolation) as refused:
        parse_document(canonical(later))
    assert refused.value.code == "unknown-document"
    without: list[object] = [changed(protocol_document(), "/schema", REMOVED), []]
    for broken in without:
        with pytest.raises(SchemaViolation) as refused:
            parse_document(canonical(broken))
        assert refused.value.code == "schema-violation"


def test_verdict_document_of_another_shape_is_refused() -> None:
    with pytest.raises(SchemaViolation) as refused:
        parse_verdict_document(canonical(changed(verdict_document(), "/word", "GREEN")))
    assert places(refused.value) == [("/word", "enum")]


@pytest.mark.parametrize(
    ("place", "value", "expected"),
    [
        ("/streams/1/lane", "1", ("/streams/1/lane", "type")),
        ("/streams/0/usage/prompt", "64", ("/streams/0/usage/prompt", "type")),
        ("/streams/0/content_gaps_us/1", -1, ("/streams/0/content_gaps_us/1", "minimum")),
        ("/streams/0/answer", "OK", ("/streams/0", "additional-properties")),
        ("/clock/kind", REMOVED, ("/clock", "required")),
        ("/schema", 7, ("/schema", "const")),
        ("/schema", "urn:fairtrial:capture:jobs:v1", ("", "required")),
        ("/schema", "urn:fairtrial:capture:videos:v1", ("/schema", "unknown-capture")),
    ],
)
def test_capture_of_another_shape_is_refused_where_it_differs(
    place: str, value: object, expected: tuple[str, str]
) -> None:
    with pytest.raises(SchemaViolation) as refused:
        parse_capture(canonical(changed(capture(), place, value)))
    assert places(refused.value)[:1] == [expected]


def test_capture_that_is_no_object_is_refused() -> None:
    with pytest.raises(SchemaViolation) as refused:
        parse_capture(b"[]")
    assert places(refused.value) == [("", "type")]


def test_capture_of_another_schema_than_its_receipt_names_is_refused() -> None:
    jobs = "urn:fairtrial:capture:jobs:v1"
    with pytest.raises(SchemaViolation) as refused:
        parse_capture(canonical(capture()), schema=jobs)
    assert (refused.value.code, places(refused.value)) == (
        "capture-schema",
        [("/schema", "capture-schema")],
    )
    own = parse_capture(canonical(capture()), schema="urn:fairtrial:capture:streams:v1")
    assert own == parse_capture(canonical(capture()))
