# SPDX-License-Identifier: Apache-2.0
"""An entry is what its leaf says, of a later version, or damage."""

from typing import Any

import msgspec
import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import (
    IntegrityBroken,
)
from app.core.log.leaf import Leaf, head_line
from app.core.statement.entry import read_entry
from app.core.statement.parse import (
    parse_statement,
)
from tests.vectors.example_declarations import (
    HEAD,
    REPOSITORY,
    Document,
    protocol_statement,
    signing_key,
)
from tests.vectors.example_study import (
    receipt_statement,
    study_statement,
)
from tests.vectors.make_examples import changed

P = "/predicate"


def leaf_of(payload: bytes, **changes: object) -> bytes:
    leaf = Leaf(
        at="2026-10-01T10:00:00.000000Z",
        kind="study",
        statement=sha256_hex(payload),
        size=len(payload),
        key=signing_key("maintainer").key_id,
        line=head_line(REPOSITORY, HEAD),
        seq=0,
        prev=None,
    )
    return msgspec.structs.replace(leaf, **changes).to_bytes()


def test_entry_holds_its_leaf_and_its_statement() -> None:
    payload = canonical(study_statement())
    entry = read_entry(6, leaf_of(payload), payload)
    assert (entry.index, entry.leaf.statement) == (6, sha256_hex(payload))
    assert entry.parsed == parse_statement(payload)


LATER = [
    changed(study_statement(), "/predicateType", "urn:fairtrial:study:v2"),
    changed(study_statement(), "/predicateType", "urn:fairtrial:tombstone:v1"),
    changed(receipt_statement(), f"{P}/capture/schema", "urn:fairtrial:capture:jobs:v2"),
    changed(protocol_statement(), f"{P}/document/schema", "urn:fairtrial:protocol-document:v9"),
]


@pytest.mark.parametrize("document", LATER)
def test_entry_of_a_later_version_has_no_statement(document: Document) -> None:
    payload = canonical(document)
    assert read_entry(6, leaf_of(payload), payload).parsed is None


DAMAGED: list[tuple[bytes, dict[str, Any]]] = [
    (canonical(study_statement()), {"statement": "0" * 64}),
    (canonical(study_statement()), {"size": 1}),
    (canonical(study_statement()), {"kind": "receipt"}),
    (canonical(study_statement()), {"key": "0" * 64}),
    (canonical(changed(study_statement(), f"{P}/ordinal", 0)), {}),
    (b"no json", {}),
]


@pytest.mark.parametrize(("payload", "changes"), DAMAGED)
def test_entry_that_differs_from_its_leaf_is_damage(
    payload: bytes, changes: dict[str, Any]
) -> None:
    with pytest.raises(IntegrityBroken) as broken:
        read_entry(6, leaf_of(payload, **changes), payload)
    assert broken.value.code == "entry"


def test_entry_without_a_record_is_damage() -> None:
    with pytest.raises(IntegrityBroken):
        read_entry(0, b"{}", canonical(study_statement()))
