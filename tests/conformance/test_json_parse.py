# SPDX-License-Identifier: Apache-2.0
"""JSONTestSuite: what must be refused is, and each file has the one code it is refused with."""

from pathlib import Path

import pytest

from app.core.canonical import parse_strict
from app.core.errors import FairtrialError, MalformedDocument, SchemaViolation

# Which code refuses a file, by how its name begins; the first that fits counts. No code: read.
CODES = (
    ("y_object_duplicated_key", "duplicate-member"),
    ("y_object_escaped_null", "nul-character"),
    ("y_object_extreme_numbers", "invalid-number"),
    ("y_string_null_escape", "nul-character"),
    ("y_structure_lonely_negative_real", "invalid-number"),
    ("y_number_after_space", None),
    ("y_number_negative_int", None),
    ("y_number_negative_one", None),
    ("y_number_simple_int", None),
    ("y_number", "invalid-number"),
    ("y_", None),
    ("i_number_too_big", "int-range"),
    ("i_number_very_big", "int-range"),
    ("i_number_", "invalid-number"),
    ("i_structure_500_nested", "too-deep"),
    ("i_structure_UTF-8_BOM", "invalid-unicode"),
    ("i_", "invalid-unicode"),
    ("n_number_NaN", "invalid-number"),
    ("n_number_infinity", "invalid-number"),
    ("n_number_minus_infinity", "invalid-number"),
    ("n_number_-NaN", "malformed-document"),
    ("n_structure_100000", "too-deep"),
    ("n_structure_open_array_object", "too-deep"),
    ("n_structure_UTF8_BOM", "invalid-unicode"),
    ("n_structure_incomplete_UTF8_BOM", "invalid-unicode"),
    ("n_", "malformed-document"),
)


def code_of(name: str, data: bytes) -> str | None:
    """Return the code of a file; bytes that are no text are refused as that, whatever the name."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return "invalid-unicode"
    return next(code for start, code in CODES if name.startswith(start))


def outcome(data: bytes) -> str | None:
    """Return the code, or None; an error of another class than its code's comes out as itself."""
    try:
        parse_strict(data)
    except FairtrialError as error:
        of_schema = error.code in {"int-range", "nul-character"}
        expected = SchemaViolation if of_schema else MalformedDocument
        if not isinstance(error, expected):
            raise
        return error.code
    return None


def test_each_file_is_refused_with_its_code_or_read(vectors_dir: Path) -> None:
    paths = sorted((vectors_dir / "json-parse").glob("*.json"))
    assert len(paths) >= 60
    texts = {path.name: path.read_bytes() for path in paths}
    outcomes = {name: outcome(data) for name, data in texts.items()}
    assert outcomes == {name: code_of(name, data) for name, data in texts.items()}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("y_number_real_exponent", b"[123e45]"),
        ("y_number_minus_zero", b"[-0]"),
        ("y_number_negative_int", b"[-123]"),
        ("y_object_escaped_null_in_key", b'{"foo\\u0000bar": 42}'),
        ("y_string_unescaped_char_delete", b'["\x7f"]'),
        ("n_array_invalid_utf8", b"[\xff]"),
        ("n_number_minus_infinity", b"[-Infinity]"),
        ("n_number_hex_1_digit", b"[0x1]"),
        ("n_string_escaped_ctrl_char_tab", b'["\\\t"]'),
        ("n_structure_no_data", b""),
    ],
)
def test_file_of_the_suite_that_is_not_here_has_its_code_too(name: str, data: bytes) -> None:
    assert outcome(data) == code_of(name, data)


@pytest.mark.parametrize("prefix", ["n_", "i_"])
def test_j01_to_j06_no_doubtful_file_is_read(vectors_dir: Path, prefix: str) -> None:
    for path in (vectors_dir / "json-parse").glob(f"{prefix}*.json"):
        assert outcome(path.read_bytes()) is not None, path.name
