# SPDX-License-Identifier: Apache-2.0
"""Where and how a document departs from its schema: JSON pointers and what is expected there.

Only asked once a document has been refused, to say why. What stands in the document is never
repeated, unknown member names included: a finding names the object that holds them. Rules are the
schema's keywords in kebab-case. Statements are read with ``jsonschema``; captures, which can be
large, with ``jsonschema-rs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import jsonschema
import jsonschema_rs

from app.core.canonical import JsonValue
from app.core.errors import Finding
from app.core.identity import REPOSITORY_FORM, REPOSITORY_PATTERN
from app.core.statement.schema import CAPTURES, schema_of

MOST_FINDINGS: Final = 16
"""How many places are named; a document with more faults is no better described by more."""

_FAST: Final = frozenset(CAPTURES.values())
_CAPITAL: Final = re.compile("[A-Z]")
_EXPECTED: Final = {
    "additionalProperties": "no members but those of the schema",
    "const": "exactly {}",
    "enum": "one of {}",
    "maxItems": "at most {} items",
    "maxLength": "at most {} characters",
    "maxProperties": "at most {} members",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "minLength": "at least {} characters",
    "minimum": "at least {}",
    "pattern": "text (a name, in a map) of the form {}",
    "required": "every member; {} missing",
    "type": "a value of type {}",
}
_WORDS: Final = {REPOSITORY_PATTERN: REPOSITORY_FORM}
"""Patterns that a person reads more easily in words."""


class _Violation(NamedTuple):
    """One error of either library: where, the keyword and its value, and what stands there."""

    place: list[str | int]
    keyword: str
    expected: Any
    instance: Any


def violations(name: str, document: JsonValue, *, at: str = "") -> tuple[Finding, ...]:
    """Return what the schema ``name`` refuses in ``document``; pointers begin with ``at``."""
    found = _fast_errors(name, document) if name in _FAST else _errors(name, document)
    findings: dict[tuple[str, str], Finding] = {}
    for violation in found:
        finding = _finding(violation, at)
        findings.setdefault((finding.pointer, finding.rule), finding)
        if len(findings) == MOST_FINDINGS:
            break
    return tuple(findings.values())


def pointer_of(place: list[str | int]) -> str:
    """Return the RFC 6901 pointer of ``place``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in place)


def _errors(name: str, document: JsonValue) -> Iterator[_Violation]:
    for error in _validator(name).iter_errors(document):
        # The one anyOf there is says "this shape, or null": the shape's own errors explain it.
        for plain in _innermost(error):
            place = list(plain.absolute_path)
            yield _Violation(place, str(plain.validator), plain.validator_value, plain.instance)


def _innermost(error: jsonschema.ValidationError) -> Iterator[jsonschema.ValidationError]:
    if error.validator != "anyOf":
        yield error
        return
    for inner in error.context or ():
        if inner.schema_path[0] == 0:
            yield from _innermost(inner)


def _fast_errors(name: str, document: JsonValue) -> Iterator[_Violation]:
    root = schema_of(name)
    for error in _fast_validator(name).iter_errors(document):
        for plain in _innermost_fast(error):
            # The path leads from the root through $defs, without any reference to follow.
            expected: Any = root
            for step in plain.schema_path:
                expected = expected[step]
            keyword = str(plain.schema_path[-1])
            yield _Violation(plain.instance_path, keyword, expected, plain.instance)


def _innermost_fast(
    error: jsonschema_rs.ValidationError,
) -> Iterator[jsonschema_rs.ValidationError]:
    if not isinstance(error.kind, jsonschema_rs.ValidationErrorKind.AnyOf):
        yield error
        return
    for inner in error.kind.context[0]:
        yield from _innermost_fast(inner)


@cache
def _validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(schema_of(name))


@cache
def _fast_validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(schema_of(name))


def _finding(violation: _Violation, at: str) -> Finding:
    expected = violation.expected
    if violation.keyword == "required":
        expected = _absent([name for name in expected if name not in violation.instance])
    words = " or ".join(map(_shown, expected)) if isinstance(expected, list) else _shown(expected)
    rule = _CAPITAL.sub(lambda capital: "-" + capital[0].lower(), violation.keyword)
    detail = f"Expected {_EXPECTED[violation.keyword].format(words)}."
    return Finding(at + pointer_of(violation.place), rule, detail)


def _absent(names: list[str]) -> str:
    """Return ``a is``, or ``a, b and c are``."""
    *others, last = names
    return f"{', '.join(others)} and {last} are" if others else f"{last} is"


def _shown(value: object) -> str:
    return "null" if value is None else _WORDS.get(str(value), str(value))
