# SPDX-License-Identifier: Apache-2.0
"""JSONTestSuite: what must be refused is, and each file has the one code it is refused with."""

from pathlib import Path

import pytest

from app.core.canonical import parse_strict
from app.core.errors import FairtrialError, MalformedDocument, SchemaViolation

# Which code refuses a file, by how its name begins; the first that fits counts. No code: read.
CODES = (
    ("y_object_duplicated_key", "duplicate-member"),
    ("y_structure_lonely_negative_real", "invalid-number"),
    ("y_", None),
    ("i_number_too_big", "int-range"),
    ("i_number_very_big", "int-range"),
    ("i_number_", "invalid-number"),
    ("i_structure_500_nested", "too-deep"),
    ("i_structure_UTF-8_BOM", "invalid-unicode"),
    ("i_", "invalid-unicode"),
    ("n_number_NaN", "invalid-number"),
    ("n_number_-NaN", "malformed-document"),
    ("n_number_invalid-utf-8", "invalid-unicode"),
    ("n_object_lone_continuation", "invalid-unicode"),
    ("n_structure_100000", "too-deep"),
    ("n_structure_open_array_object", "too-deep"),
    ("n_structure_UTF8_BOM", "invalid-unicode"),
    ("n_structure_incomplete_UTF8_BOM", "invalid-unicode"),
    ("n_structure_lone-invalid-utf-8", "invalid-unicode"),
    ("n_", "malformed-document"),
)


def code_of(name: str) -> str | None:
    return next(code for start, code in CODES if name.startswith(start))


def outcome(data: bytes) -> str | None:
    """Return the code, or None; an error of another class than its code's comes out as itself."""
    try:
        parse_strict(data)
    except FairtrialError as error:
        expected = SchemaViolation if error.code == "int-range" else MalformedDocument
        if not isinstance(error, expected):
            raise
        return error.code
    return None


def test_each_file_is_refused_with_its_code_or_read(vectors_dir: Path) -> None:
    paths = sorted((vectors_dir / "json-parse").glob("*.json"))
    assert len(paths) >= 60
    outcomes = {path.name: outcome(path.read_bytes()) for path in paths}
    assert outcomes == {path.name: code_of(path.name) for path in paths}


@pytest.mark.parametrize("prefix", ["n_", "i_"])
def test_j01_to_j06_no_doubtful_file_is_read(vectors_dir: Path, prefix: str) -> None:
    for path in (vectors_dir / "json-parse").glob(f"{prefix}*.json"):
        assert outcome(path.read_bytes()) is not None, path.name
