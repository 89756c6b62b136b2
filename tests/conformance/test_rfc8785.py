# SPDX-License-Identifier: Apache-2.0
"""The vectors of cyberphone/json-canonicalization: without floats they agree, or are refused."""

import re
from pathlib import Path

import pytest

from app.core.canonical import canonical, parse_canonical, parse_strict
from app.core.errors import MalformedDocument

NAMES = ("arrays", "french", "structures", "unicode", "values", "weird")

# These hold a number with a fraction or an exponent; signed documents hold none.
WITH_FLOATS = frozenset({"structures", "values"})

FLOAT = re.compile(rb"(?<=[\[:, \n])-?\d+(?:\.\d+)?[eE]?[+-]?\d*(?=[\], \n}])")


@pytest.mark.parametrize("name", sorted(set(NAMES) - WITH_FLOATS))
def test_vector_without_floats_has_the_published_bytes(vectors_dir: Path, name: str) -> None:
    folder = vectors_dir / "rfc8785"
    expected = bytes.fromhex((folder / "outhex" / f"{name}.txt").read_text())
    assert canonical(parse_strict((folder / "input" / f"{name}.json").read_bytes())) == expected
    assert parse_canonical(expected) == parse_strict(expected)


@pytest.mark.parametrize("name", sorted(WITH_FLOATS))
def test_vector_with_floats_is_refused_by_number(vectors_dir: Path, name: str) -> None:
    data = (vectors_dir / "rfc8785" / "input" / f"{name}.json").read_bytes()
    with pytest.raises(MalformedDocument) as caught:
        parse_strict(data)
    assert caught.value.code == "invalid-number"


@pytest.mark.parametrize("name", sorted(WITH_FLOATS))
def test_vector_with_floats_agrees_once_each_number_is_an_integer(
    vectors_dir: Path, name: str
) -> None:
    folder = vectors_dir / "rfc8785"
    ours = parse_strict(FLOAT.sub(b"7", (folder / "input" / f"{name}.json").read_bytes()))
    published = FLOAT.sub(b"7", (folder / "output" / f"{name}.json").read_bytes().strip())
    assert canonical(ours) == canonical(parse_strict(published)) == published


def test_every_vector_is_looked_at(vectors_dir: Path) -> None:
    assert {p.stem for p in (vectors_dir / "rfc8785" / "input").iterdir()} == set(NAMES)
