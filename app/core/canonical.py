# SPDX-License-Identifier: Apache-2.0
"""The one spelling of a JSON document: RFC 8785 (JCS) bytes, and the strict reader.

What is signed here holds integers and strings only, so this is JCS over a subset: objects with
string names, arrays, strings, integers within +-(2^53-1), booleans and null. A number with a
fraction or an exponent is refused instead of formatted (RFC 8785, 3.2.2.3 has no work to do), and
so is ``-0``, the second spelling of zero. NUL in a string is refused because not every database
keeps it.

``parse_strict`` reads any spelling of such a document and refuses what RFC 7493 (I-JSON) calls
ambiguous: duplicate members, lone surrogates, a byte order mark, numbers that lose digits.
``parse_canonical`` reads the one spelling only. Nothing else in the project may parse or write JSON
that is signed, hashed or taken from outside.

Problems of the text itself are ``MalformedDocument``; an integer out of range and a NUL are
``SchemaViolation``, since the text is good JSON that this ledger does not take. Where two things
are wrong, bad syntax is reported first, then the first place in document order.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring as _quoted
from typing import Any, TypeAlias

from app.core.errors import Finding, MalformedDocument, NotCanonical, SchemaViolation

JsonValue: TypeAlias = "dict[str, JsonValue] | list[JsonValue] | str | int | None"
"""What the strict reader returns (``bool`` is an ``int`` to the type checker)."""

MAX_DEPTH = 64
"""Brackets that may be open at once; the 65th is refused before anything recurses."""

MAX_INTEGER = 2**53 - 1
"""Largest integer that every JSON reader keeps exactly (RFC 7493, 2.2)."""

_MAX_INTEGER_CHARACTERS = len(str(-MAX_INTEGER))
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

# Everything up to the next bracket outside a string. The quantifiers are possessive and the end of
# the input closes a string, so one pass is linear in the input and takes constant memory.
_TO_BRACKET = re.compile(
    rb'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\Z))*+([\[\]{}])', re.DOTALL
)

# An escape that may be a lone surrogate or NUL: only a text with one is searched value by value.
_SUSPECT_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

_LITERALS = {None: "null", True: "true", False: "false"}
_CUT_NAME_AT = 64


@dataclass(frozen=True, slots=True)
class _Refused:
    """Stands in a tree where a value was refused, so that its place can be named."""

    code: str


_EXPECTED = {
    "duplicate-member": "Each member name may stand once in an object.",
    "invalid-number": "Numbers are integers without fraction or exponent, and not -0 or NaN.",
    "int-range": "Integers lie within -(2^53-1) and 2^53-1; write larger ones as strings.",
    "invalid-unicode": "Strings are Unicode text without lone surrogates.",
    "nul-character": "Strings may not hold the character U+0000.",
}


class _Reader:
    """Hooks for one pass of the C scanner: what they refuse becomes a mark in the tree."""

    __slots__ = ("marked",)

    def __init__(self) -> None:
        self.marked = False

    def mark(self, code: str) -> _Refused:
        self.marked = True
        return _Refused(code)

    def integer(self, text: str) -> int | _Refused:
        # The length first: converting thousands of digits is slow, and Python refuses it.
        if len(text) > _MAX_INTEGER_CHARACTERS:
            return self.mark("int-range")
        value = int(text)
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            return self.mark("int-range")
        return value if value or text == "0" else self.mark("invalid-number")

    def number(self, _text: str) -> _Refused:
        return self.mark("invalid-number")

    def members(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        if len(members) != len(pairs):
            members.clear()
            for name, value in pairs:
                members[name] = self.mark("duplicate-member") if name in members else value
        return members

    def read(self, text: str) -> Any:  # noqa: ANN401 - a tree that may hold marks
        return json.JSONDecoder(
            object_pairs_hook=self.members,
            parse_int=self.integer,
            parse_float=self.number,
            parse_constant=self.number,
        ).decode(text)


def parse_strict(data: bytes, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Read one JSON document in any spelling.

    Args:
        data: the bytes as received.
        max_depth: brackets that may be open at once.

    Raises:
        MalformedDocument: not JSON (``malformed-document``), ``invalid-unicode``, ``too-deep``,
            ``duplicate-member`` or ``invalid-number``.
        SchemaViolation: ``int-range`` or ``nul-character``.
    """
    text = _decode(data)
    _refuse_depth(data, max_depth)
    reader = _Reader()
    try:
        value: JsonValue = reader.read(text)
    except json.JSONDecodeError as error:
        offset = len(text[: error.pos].encode())
        message = f"Not JSON at byte {offset}: {error.msg}."  # json's words never quote the text
        raise MalformedDocument(message, offset=offset) from error
    except RecursionError as error:
        raise _too_deep(max_depth, None) from error
    if reader.marked or _SUSPECT_ESCAPE.search(data):
        _raise_first_refused(value)
    return value


def parse_canonical(data: bytes) -> JsonValue:
    """Read one JSON document whose bytes must be its JCS form.

    Raises:
        MalformedDocument: as ``parse_strict``.
        SchemaViolation: as ``parse_strict``.
        NotCanonical: the document is good, but it has another spelling than these bytes.
    """
    value = parse_strict(data)
    expected = canonical(value)
    if expected != data:
        at = next((i for i, (a, b) in enumerate(zip(expected, data, strict=False)) if a != b), None)
        place = min(len(expected), len(data)) if at is None else at
        message = f"The bytes differ from the JCS form (RFC 8785) of this document at byte {place}."
        raise NotCanonical(message)
    return value


def canonical(value: object) -> bytes:
    """Return the RFC 8785 bytes of ``value``.

    Takes mappings with string names, lists, tuples, strings, integers, booleans and None. What
    comes out is what ``parse_canonical`` takes, always.

    Raises:
        NotCanonical: ``value`` is outside the subset; the code says how (``unsupported-type``,
            ``invalid-number``, ``int-range``, ``invalid-unicode``, ``nul-character``,
            ``too-deep``).
    """
    text = _text_of(value, MAX_DEPTH)
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise NotCanonical(_EXPECTED["invalid-unicode"], code="invalid-unicode") from error
    if "\\u0000" in text and _first_refused(value) is not None:
        raise NotCanonical(_EXPECTED["nul-character"], code="nul-character")
    return data


def _text_of(value: object, room: int) -> str:
    """Return the spelling of ``value``; ``room`` is how many more brackets may be opened."""
    if isinstance(value, str):
        return _quoted(value)  # 3.2.2.2: the short escapes, else lower-case \u00xx below U+0020
    if value is None or value is True or value is False:
        return _LITERALS[value]  # 3.2.2.1
    if isinstance(value, int):
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            raise NotCanonical(_EXPECTED["int-range"], code="int-range")
        return int.__repr__(value)
    if type(value) is dict or isinstance(value, Mapping):  # the second question is a slow one
        room = _less(room)
        members = [f"{_quoted(n)}:{_text_of(value[n], room)}" for n in _ordered(value)]
        return f"{{{','.join(members)}}}"
    if isinstance(value, list | tuple):
        room = _less(room)
        return f"[{','.join([_text_of(item, room) for item in value])}]"
    code = "invalid-number" if isinstance(value, float) else "unsupported-type"
    message = f"A signed document holds no {type(value).__name__}; write integers and strings."
    raise NotCanonical(message, code=code)


def _ordered(members: Mapping[str, object]) -> list[str]:
    """Sort names by their UTF-16 code units (3.2.3); for ASCII names that is their plain order."""
    try:
        plain = "".join(members).isascii()
    except TypeError as error:
        raise NotCanonical("Member names are strings.", code="unsupported-type") from error
    if plain:
        return sorted(members)
    return sorted(members, key=lambda name: name.encode("utf-16-be", "surrogatepass"))


def _less(room: int) -> int:
    if room <= 0:
        message = f"At most {MAX_DEPTH} brackets may be open at once."
        raise NotCanonical(message, code="too-deep")
    return room - 1


def _decode(data: bytes) -> str:
    if data.startswith(_BYTE_ORDER_MARKS):
        message = "The document starts with a byte order mark; expected UTF-8 without one."
        raise MalformedDocument(message, code="invalid-unicode", offset=0)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message = f"Expected UTF-8; the bytes at offset {error.start} are none."
        raise MalformedDocument(message, code="invalid-unicode", offset=error.start) from error


def _refuse_depth(data: bytes, max_depth: int) -> None:
    """Refuse too many open brackets before anything recurses.

    The count equals the scanner's own depth as long as the text is JSON, and the scanner stops
    where it is not; so text that is no JSON may pass here, but never recurses deeper than was
    counted.
    """
    if data.count(b"[") + data.count(b"{") <= max_depth:
        return
    depth = 0
    found = _TO_BRACKET.match(data)
    while found:
        depth += 1 if found[1] in b"[{" else -1
        if depth > max_depth:
            raise _too_deep(max_depth, found.end() - 1)
        found = _TO_BRACKET.match(data, found.end())


def _too_deep(max_depth: int, offset: int | None) -> MalformedDocument:
    message = f"At most {max_depth} brackets may be open at once."
    return MalformedDocument(message, code="too-deep", offset=offset)


def _first_refused(root: object) -> tuple[str, str] | None:
    """Return (code, JSON pointer) of the first refused value, name or string, in document order."""
    waiting: list[tuple[str, object]] = [("", root)]
    while waiting:
        pointer, value = waiting.pop()
        code = _string_refusal(value) if isinstance(value, str) else None
        if isinstance(value, _Refused):
            code = value.code
        if code is not None:
            return code, pointer
        children: list[tuple[str, object]] = []
        if isinstance(value, Mapping):
            for name, member in value.items():
                inner = f"{pointer}/{_pointer_token(name)}"
                refusal = _string_refusal(name)
                children.append((inner, member if refusal is None else _Refused(refusal)))
        elif isinstance(value, list | tuple):
            children = [(f"{pointer}/{i}", item) for i, item in enumerate(value)]
        waiting += reversed(children)
    return None


def _string_refusal(text: str) -> str | None:
    if _LONE_SURROGATE.search(text):
        return "invalid-unicode"
    return "nul-character" if "\0" in text else None


def _pointer_token(name: str) -> str:
    """Write one name of an RFC 6901 pointer, cut and without what could not be printed."""
    shown = name if len(name) <= _CUT_NAME_AT else name[:_CUT_NAME_AT] + "\u2026"
    printable = _LONE_SURROGATE.sub("\ufffd", shown).replace("\0", "\ufffd")
    return printable.replace("~", "~0").replace("/", "~1")


def _raise_first_refused(root: object) -> None:
    refused = _first_refused(root)
    if refused is None:
        return
    code, pointer = refused
    detail = _EXPECTED[code]
    if code in {"int-range", "nul-character"}:
        raise SchemaViolation(detail, code=code, findings=(Finding(pointer, code, detail),))
    raise MalformedDocument(detail, code=code, pointer=pointer)
