# SPDX-License-Identifier: Apache-2.0
"""What has no one spelling is refused, with its place."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum
from types import MappingProxyType

import pytest

from app.core.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    JsonValue,
    canonical,
    parse_canonical,
    parse_strict,
)
from app.core.errors import FairtrialError, MalformedDocument, NotCanonical, SchemaViolation


class Word(StrEnum):
    PASS = "PASS"


class Count(IntEnum):
    ONE = 1


def nested(depth: int, *, pair: str = "[]") -> bytes:
    return (pair[0] * depth + pair[1] * depth).encode()


def refusal(data: bytes) -> FairtrialError:
    with pytest.raises(FairtrialError) as caught:
        parse_strict(data)
    return caught.value


def pointers(error: FairtrialError) -> list[str]:
    return [finding.pointer for finding in error.findings]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, b"null"),
        (True, b"true"),
        (False, b"false"),
        (0, b"0"),
        (-1, b"-1"),
        (MAX_INTEGER, b"9007199254740991"),
        (-MAX_INTEGER, b"-9007199254740991"),
        (Count.ONE, b"1"),
        (Word.PASS, b'"PASS"'),
        ("", b'""'),
        ('"\\/\b\f\n\r\t\x0f\x7f', b'"\\"\\\\/\\b\\f\\n\\r\\t\\u000f\x7f"'),
        ("\u20ac\U0001f600", '"\u20ac\U0001f600"'.encode()),
        ([], b"[]"),
        ((1, "a", None), b'[1,"a",null]'),
        ({}, b"{}"),
        ({"b": 1, "a": [{}]}, b'{"a":[{}],"b":1}'),
        (MappingProxyType({"a": 1}), b'{"a":1}'),
    ],
)
def test_canonical_writes_the_one_spelling(value: object, expected: bytes) -> None:
    assert canonical(value) == expected


def test_canonical_orders_names_by_utf16_code_units() -> None:
    # U+1F600 is a surrogate pair and so stands before U+FB33, though its code point is larger.
    names = {"\ufb33": 1, "\U0001f600": 2, "z": 3, "\r": 4}
    assert canonical(names) == '{"\\r":4,"z":3,"\U0001f600":2,"\ufb33":1}'.encode()


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1.0, "invalid-number"),
        (float("nan"), "invalid-number"),
        (MAX_INTEGER + 1, "int-range"),
        (-MAX_INTEGER - 1, "int-range"),
        (b"bytes", "unsupported-type"),
        ({1, 2}, "unsupported-type"),
        ({1: "a"}, "unsupported-type"),
        ({"a": 1, 2: "\u00e9"}, "unsupported-type"),
        ("\ud800", "invalid-unicode"),
        ({"\udfff": 1}, "invalid-unicode"),
        ({"a": ["x\0"]}, "nul-character"),
        ({"\0": 1}, "nul-character"),
    ],
)
def test_s11_canonical_refuses_what_has_no_one_spelling(value: object, code: str) -> None:
    with pytest.raises(NotCanonical) as caught:
        canonical(value)
    assert caught.value.code == code


def test_canonical_keeps_a_backslash_that_only_looks_like_nul() -> None:
    assert parse_canonical(canonical("\\u0000")) == "\\u0000"


def test_canonical_at_the_depth_limit_is_written_and_beyond_it_is_refused() -> None:
    value: object = []
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert canonical(value) == nested(MAX_DEPTH)
    for deeper in ([value], {"a": value}):
        with pytest.raises(NotCanonical) as caught:
            canonical(deeper)
        assert caught.value.code == "too-deep"


def test_canonical_of_a_cycle_is_refused() -> None:
    cycle: list[object] = []
    cycle.append(cycle)
    with pytest.raises(NotCanonical) as caught:
        canonical(cycle)
    assert caught.value.code == "too-deep"


def test_strict_reader_takes_any_spelling_of_a_good_document() -> None:
    text = b' \t{"b" : [true, false, null, "\\u00e9\\ud83d\\ude00"],\r\n"a":-12}\n'
    expected: JsonValue = {"b": [True, False, None, "\u00e9\U0001f600"], "a": -12}
    assert parse_strict(text) == expected


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b'{"n":1,"n":2}', "/n"),
        (b'{"n":1,"n":1}', "/n"),
        (b'[0,{"a":{"b":[{"c":1,"c":2}]}}]', "/1/a/b/0/c"),
        (b'{"a~/b":1,"a~\\u002fb":2}', "/a~0~1b"),
        (b'{"":0,"":1}', "/"),
        (b'{"a":{"x":1,"x":2},"a":3}', "/a"),
    ],
)
def test_j01_duplicate_member_at_any_depth_is_refused_with_its_pointer(
    data: bytes, pointer: str
) -> None:
    error = refusal(data)
    assert isinstance(error, MalformedDocument)
    assert error.code == "duplicate-member"
    assert pointers(error) == [pointer]


def test_pointer_of_a_long_name_is_cut() -> None:
    name = b"n" * 1000
    [pointer] = pointers(refusal(b'{"%b":1,"%b":2}' % (name, name)))
    assert pointer == "/" + "n" * 64 + "\u2026"


@pytest.mark.parametrize(
    "token",
    ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1.0", "-0.0", "-0", "1e21", "1E0", "0.1"],
)
def test_j02_s11_number_that_is_no_integer_is_refused(token: str) -> None:
    error = refusal(f'{{"a":[1,{token}]}}'.encode())
    assert isinstance(error, MalformedDocument)
    assert error.code == "invalid-number"
    assert pointers(error) == ["/a/1"]


@pytest.mark.parametrize("token", ["nan", "-NaN", "+1", "01", "1.", ".5", "0x1", "--1", "1e"])
def test_number_in_no_json_spelling_is_malformed(token: str) -> None:
    assert refusal(token.encode()).code == "malformed-document"


@pytest.mark.parametrize(
    "token",
    [
        "9007199254740992",
        "-9007199254740992",
        "9223372036854775808",
        "1764480000000000000",
        "9" * 5000,
        "-" + "9" * 5000,
    ],
)
def test_j06_s11_integer_beyond_53_bits_is_unprocessable(token: str) -> None:
    error = refusal(f'{{"at":{token}}}'.encode())
    assert isinstance(error, SchemaViolation)
    assert error.code == "int-range"
    assert pointers(error) == ["/at"]
    assert token not in error.detail


@pytest.mark.parametrize("integer", [MAX_INTEGER, -MAX_INTEGER, 0])
def test_integer_at_the_limit_is_read(integer: int) -> None:
    assert parse_strict(str(integer).encode()) == integer


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b'"\\ud800"', ""),
        (b'["\\udc00"]', "/0"),
        (b'{"a":"x\\uDBFFy"}', "/a"),
        (b'{"a":"\\udc00\\ud800"}', "/a"),
        (b'{"\\ud800":1}', "/\ufffd"),
    ],
)
def test_j03_lone_surrogate_is_refused_and_the_error_is_unicode(data: bytes, pointer: str) -> None:
    error = refusal(data)
    assert isinstance(error, MalformedDocument)
    assert error.code == "invalid-unicode"
    assert pointers(error) == [pointer]
    assert all(finding.pointer.encode().decode() == pointer for finding in error.findings)


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b'"\xff"', 1), (b'"\xed\xa0\x80"', 1), (b'"\xc0\xaf"', 1), (b'{"a":"\xe2\x82"}', 6)],
)
def test_j03_bytes_that_are_no_utf8_are_refused_with_their_offset(data: bytes, offset: int) -> None:
    error = refusal(data)
    assert isinstance(error, MalformedDocument)
    assert (error.code, error.offset) == ("invalid-unicode", offset)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_j04_other_encoding_or_byte_order_mark_is_malformed(encoding: str) -> None:
    assert isinstance(refusal('{"a":1}'.encode(encoding)), MalformedDocument)


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_j05_depth_64_is_read_and_65_is_refused(pair: str) -> None:
    inner = b"1"
    for _ in range(MAX_DEPTH):
        inner = b"[" + inner + b"]" if pair == "[]" else b'{"a":' + inner + b"}"
    assert parse_strict(inner) is not None
    error = refusal(b"[" + inner + b"]")
    assert isinstance(error, MalformedDocument)
    assert error.code == "too-deep"
    assert error.offset == inner.rindex(pair[0].encode()) + 1


@pytest.mark.parametrize(
    "data",
    [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 64 + b'"[[[",' + b"[" * 65],
)
def test_j05_depth_is_refused_before_anything_recurses(data: bytes) -> None:
    assert refusal(data).code == "too-deep"


@pytest.mark.parametrize(
    "data",
    [
        b'["' + b"[" * 1000 + b'"]',
        b'["\\"' + b"{[" * 1000 + b'"]',
        b"[" + b"[]," * 1000 + b"[]]",
    ],
)
def test_brackets_in_strings_and_side_by_side_are_no_depth(data: bytes) -> None:
    assert parse_strict(data) is not None


@pytest.mark.parametrize("tail", [b'"', b'"\\', b'"[[[', b""])
def test_depth_scan_of_an_open_string_ends_and_the_text_is_malformed(tail: bytes) -> None:
    assert refusal(b"[{}," + b"[]," * 1000 + tail).code == "malformed-document"


def test_scanner_that_runs_out_of_stack_is_too_deep() -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_strict(b"[" * 200_000, max_depth=1_000_000)
    assert caught.value.code == "too-deep"


@pytest.mark.parametrize(
    ("data", "pointer"),
    [
        (b'{"a":"x\\u0000y"}', "/a"),
        (b'{"a":[1,{"b\\u0000":2}]}', "/a/1/b\ufffd"),
    ],
)
def test_j12_nul_in_a_string_or_a_name_is_unprocessable(data: bytes, pointer: str) -> None:
    error = refusal(data)
    assert isinstance(error, SchemaViolation)
    assert error.code == "nul-character"
    assert pointers(error) == [pointer]


def test_escaped_backslash_before_u0000_is_no_nul() -> None:
    assert parse_strict(b'["\\\\u0000","\\\\ud800"]') == ["\\u0000", "\\ud800"]


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (b"", 0),
        (b"{} {}", 3),
        (b'{"a":1,}', 7),
        (b"[1,]", 3),
        ("[\u00e9]".encode(), 1),
        ('["\u00e9" 1]'.encode(), 6),
        (b"['a']", 1),
        (b'"\x01"', 1),
        (b'"\\x"', 1),
        (b"// a\n1", 0),
    ],
)
def test_text_that_is_no_json_is_malformed_with_a_byte_offset(data: bytes, offset: int) -> None:
    error = refusal(data)
    assert isinstance(error, MalformedDocument)
    assert error.code == "malformed-document"
    assert error.offset is not None
    assert abs(error.offset - offset) <= 1  # Python versions point at the comma or behind it


def test_bad_syntax_is_reported_before_a_refused_value() -> None:
    assert refusal(b"[NaN, 1.5, ").code == "malformed-document"


def test_error_never_quotes_the_document() -> None:
    for data in (b'{"secret":1,"secret":2}', b"[secret]", b'{"a":secret}'):
        assert "secret" not in refusal(data).detail


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b'{"b":1,"a":2}', 2),
        (b'{"a": 1}', 5),
        (b'{"a":1}\n', 7),
        (b'"\\u00e9"', 1),
        (b'"\\/"', 1),
        (b'"\\u000A"', 2),
    ],
)
def test_s11_other_spelling_is_not_canonical_and_names_the_byte(data: bytes, place: int) -> None:
    with pytest.raises(NotCanonical) as caught:
        parse_canonical(data)
    assert caught.value.detail.endswith(f"at byte {place}.")


def test_canonical_bytes_are_read() -> None:
    value: Mapping[str, object] = {"a": [1, "b", None, True], "\u00e9": {}}
    assert parse_canonical(canonical(value)) == value
