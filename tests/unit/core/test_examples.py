# SPDX-License-Identifier: Apache-2.0
"""Every committed example is accepted, or refused with the code and the place it names."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.core.canonical import canonical
from app.core.errors import FairtrialError
from app.core.log.leaf import parse_leaf
from app.core.statement.kinds import SHAPES
from app.core.statement.parse import (
    parse_capture,
    parse_document,
    parse_pilot,
    parse_statement,
    parse_verdict_document,
)
from app.core.statement.sanitize import refuse_unsanitary
from app.core.statement.schema import CAPTURES, NAMES
from tests.vectors.make_examples import TARGET, files

GOOD = sorted(path.relative_to(TARGET).as_posix() for path in TARGET.glob("*/good-*.json"))
REFUSED = sorted(path.relative_to(TARGET).as_posix() for path in TARGET.glob("*/refused-*.json"))


def read(kind: str, data: bytes) -> None:
    """Take a document in as the ledger does: its shape first, then what may not be published."""
    if kind in SHAPES:
        parse_statement(data, expect=kind)
    else:
        readers: dict[str, Any] = {
            **dict.fromkeys(CAPTURES.values(), parse_capture),
            "protocol-document": parse_document,
            "verdict-document": parse_verdict_document,
            "leaf": parse_leaf,
            "pilot": parse_pilot,
        }
        readers[kind](data)
    refuse_unsanitary(data)


def test_committed_examples_are_what_their_script_makes() -> None:
    there = {p.relative_to(TARGET).as_posix(): p.read_bytes() for p in TARGET.rglob("*.json")}
    assert there == dict(files())


def test_every_schema_has_a_good_and_a_refused_example() -> None:
    assert {name.partition("/")[0] for name in GOOD} == set(NAMES)
    assert {name.partition("/")[0] for name in REFUSED} == set(NAMES)


@pytest.mark.parametrize("name", GOOD)
def test_good_example_is_accepted(name: str) -> None:
    read(Path(name).parent.name, (TARGET / name).read_bytes())


@pytest.mark.parametrize("name", REFUSED)
def test_refused_example_is_refused_where_it_says(name: str) -> None:
    case = json.loads((TARGET / name).read_bytes())
    data = case["text"].encode() if "text" in case else canonical(case["document"])
    with pytest.raises(FairtrialError) as refused:
        read(Path(name).parent.name, data)
    pointers = [finding.pointer for finding in refused.value.findings]
    assert refused.value.code == case["code"]
    first = pointers[0] if pointers else None
    assert case["pointer"] == ("" if case["code"] == "leaf" else first)
