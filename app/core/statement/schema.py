# SPDX-License-Identifier: Apache-2.0
"""JSON Schema 2020-12 of every kind, made from the shapes, so that the two cannot drift apart.

The committed files in ``schemas/`` are this module's output; they are the normative description and
never change. Names of definitions are the shapes' names, descriptions are their docstrings, and
what an ``Attributes`` line says stands at its property. Everything stays inside one file: no remote
reference, no keyword whose cost is worse than linear.

A document inside a statement (of a protocol, of a verdict) is described by its own schema, which
its ``schema`` member names: a later version of the document leaves the statement's schema as it is.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeAlias

import msgspec

from app.core.errors import UnknownThing
from app.core.identity import END
from app.core.statement.capture import CAPTURE_SHAPES
from app.core.statement.header import Header
from app.core.statement.kinds import SHAPES
from app.core.statement.leaf_record import LeafRecord
from app.core.statement.pilot import Pilot
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.verdict import VerdictDocument

Schema: TypeAlias = dict[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: Final = {"protocol": "protocol-document", "verdict": "verdict-document"}
"""Statement kinds whose ``document`` member has a schema of its own."""
CAPTURES: Final = {named: "capture-" + named.split(":")[3] for named in CAPTURE_SHAPES}
"""Capture schemas that this version reads, each with the name of its description."""

_TYPES: Final[dict[str, Any]] = {
    **SHAPES,
    "protocol-document": ProtocolDocument,
    **{CAPTURES[named]: shape for named, shape in CAPTURE_SHAPES.items()},
    "verdict-document": VerdictDocument,
    "leaf": LeafRecord,
    "pilot": Pilot,
}
NAMES: Final = tuple(_TYPES)
"""Every schema there is, by name."""

_REF: Final = "#/$defs/"
_ENCODED_NAMES: Final = {"type_": "_type", "predicate_type": "predicateType", "and_": "and"}
_ONLY_RESERVATIONS: Final[Schema] = {
    "if": {"properties": {"kind": {"const": "reservation"}}},
    "then": {"required": ["nonce", "after"]},
    "else": {"properties": {"nonce": False, "after": False}},
}
_FIRST_OF_ITS_LINE: Final[Schema] = {
    "if": {"properties": {"seq": {"const": 0}}},
    "then": {"properties": {"prev": {"type": "null"}}},
    "else": {"properties": {"prev": {"type": "integer"}}},
}


@cache
def schema_of(name: str) -> Schema:
    """Return the schema called ``name``: a kind, a document, a capture or ``leaf``.

    Callers share one object and must not change it.

    Raises:
        UnknownThing: there is no schema of that name.
    """
    if name not in _TYPES:
        message = "There is no schema of that name."
        raise UnknownThing(message, code="unknown-schema")
    (root,), found = msgspec.json.schema_components([_TYPES[name]], ref_template=_REF + "{name}")
    definitions: dict[str, Schema] = {key: _cleaned(value) for key, value in found.items()}
    body = definitions.pop(root["$ref"].removeprefix(_REF))
    if name in SHAPES:
        predicate = definitions[f"{name.capitalize()}Predicate"]
        body["description"] = f"Statement of kind {name}: {predicate['description']}"
        if name in DOCUMENTS:
            predicate["properties"]["document"] = _described_elsewhere(DOCUMENTS[name])
    if name == "leaf":
        body["allOf"] = [_ONLY_RESERVATIONS, _FIRST_OF_ITS_LINE]
    schema = {"$schema": DIALECT, "$id": f"urn:fairtrial:schema:{name}:v1", **body}
    used = _reachable(body, definitions)
    return {**schema, "$defs": {key: definitions[key] for key in sorted(used)}} if used else schema


def rendered(name: str) -> bytes:
    """Return the bytes of the committed file: indented, ending in a newline."""
    return msgspec.json.format(msgspec.json.encode(schema_of(name)), indent=2) + b"\n"


def _described_elsewhere(name: str) -> Schema:
    return {
        "type": "object",
        "description": f"The document, described by the schema {name} of the version it names.",
        "properties": {
            "schema": {
                "type": "string",
                "maxLength": 64,
                "pattern": f"^urn:fairtrial:{name}:v[1-9][0-9]{{0,2}}{END}",
            }
        },
        "required": ["schema"],
        "additionalProperties": True,
    }


def _cleaned(node: Any) -> Any:  # noqa: ANN401 - any place of a schema
    """Return one generated node without noise and with its descriptions where they belong."""
    if isinstance(node, list):
        return [_cleaned(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "discriminator" in node:
        return _tagged(node["discriminator"])
    if "anyOf" in node:
        return _nullable(node)
    schema = {key: _cleaned(value) for key, value in node.items() if key != "title"}
    if "enum" in schema:
        return _literal(schema)
    if "description" in schema:
        _describe(schema)
    return schema


def _literal(schema: Schema) -> Schema:
    values = schema.pop("enum")
    if "description" in schema:
        schema["description"] = schema["description"].replace("``", "`")
    return {**schema, "const": values[0]} if len(values) == 1 else {**schema, "enum": values}


def _nullable(node: Schema) -> Schema:
    """Write ``X or null`` without ``anyOf`` where X is spelled out, so that errors stay plain."""
    value = _cleaned(node["anyOf"][0])
    if "$ref" in value:
        return {"anyOf": [value, {"type": "null"}]}
    if "enum" in value or "const" in value:
        return {"enum": [*value.get("enum", [value.get("const")]), None]}
    return {**value, "type": [value["type"], "null"]}


def _tagged(discriminator: Schema) -> Schema:
    """Write a choice by one member as ``if`` and ``then``, so that errors name the chosen shape.

    A plain ``anyOf`` would only say that no branch fits.
    """
    tag, branches = discriminator["propertyName"], discriminator["mapping"]
    return {
        "type": "object",
        "properties": {tag: {"enum": list(branches)}},
        "required": [tag],
        "allOf": [
            {
                "if": {"properties": {tag: {"const": value}}, "required": [tag]},
                "then": {"$ref": ref},
            }
            for value, ref in branches.items()
        ],
    }


def _describe(schema: Schema) -> None:
    """Take the ``Attributes`` lines of a docstring to the properties they are about."""
    text, lines = _parts(schema["description"])
    schema["description"] = text
    for name, line in (_parts(Header.__doc__ or "")[1] | lines).items():
        place = schema["properties"].get(_ENCODED_NAMES.get(name, name))
        if place is not None:
            place["description"] = line


def _parts(docstring: str) -> tuple[str, dict[str, str]]:
    """Split a Google docstring into its text and its ``Attributes`` lines."""
    text, _, attributes = docstring.replace("``", "`").partition("Attributes:\n")
    written = [line for line in attributes.splitlines() if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in written), default=0)
    lines: dict[str, str] = {}
    name = ""
    for line in written:
        if line[margin] == " ":  # deeper than a name stands: the line before goes on
            lines[name] += " " + line.strip()
        else:
            name, _, lines[name] = line.strip().partition(": ")
    return " ".join(text.split()), lines


def _reachable(body: Schema, definitions: dict[str, Schema]) -> set[str]:
    used: set[str] = set()
    waiting: list[Any] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            waiting += [value for key, value in node.items() if key != "$ref"]
            name = str(node.get("$ref", "")).removeprefix(_REF)
            if name and name not in used:
                used.add(name)
                waiting.append(definitions[name])
    return used
