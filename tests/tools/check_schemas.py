# SPDX-License-Identifier: Apache-2.0
"""Hold ``schemas/`` to the shapes in the code, and every schema to the house's own rules.

A schema is read by other people's tools, and its cost is paid for documents from outside: so each
pattern is anchored at both ends, each object closed, each text and list bounded, and no keyword is
there whose cost grows faster than the document.

Run ``python -m tests.tools.check_schemas`` (``--write`` to write the files).
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from app.core.statement.schema import NAMES, rendered, schema_of

SCHEMAS: Final = Path(__file__).resolve().parents[2] / "schemas"

END: Final = r"$(?!\n)"
FORBIDDEN: Final = {
    "uniqueItems": "its cost is quadratic over objects",
    "multipleOf": "it is undefined for numbers that are not exact",
    "format": "readers differ on whether it is asserted; write a pattern",
    "patternProperties": "use propertyNames and additionalProperties",
    "$dynamicRef": "references stay plain",
    "discriminator": "it is not JSON Schema",
    "title": "names stand in $defs",
}
# The ledger writes these itself, one item per planned slot or per entry, and never reads one that
# it did not compute; a cap would make a large study unjudgeable.
UNCAPPED: Final = frozenset({"verdict-document"})
# The document of a statement is described by the schema that it names.
OPEN_OBJECTS: Final = frozenset({("protocol", "document"), ("verdict", "document")})
# A quantifier on a group that itself holds one can match one text in many ways. Only where the
# group begins with a character that its inside excludes is there one way; those are named here.
NESTED_QUANTIFIER: Final = re.compile(r"[+*}]\)[+*{]")
ONE_WAY: Final = frozenset({r"^(/[ -.0-~]{0,120}){0,16}" + END})


def file_name(name: str) -> str:
    """Return the name of the committed file of one schema."""
    return f"{name}.v1.schema.json"


def lint(name: str, schema: dict[str, Any]) -> list[str]:
    """Return what breaks a rule in one schema, each with its place."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return [f"{name}: not a JSON Schema: {error.message}"]
    faults = [
        f"{name}{place}: {fault}"
        for place, node in _nodes(schema)
        for fault in _of(name, place, node)
    ]
    if schema.get("$id") != f"urn:fairtrial:schema:{name}:v1":
        faults.append(f"{name}: $id is not urn:fairtrial:schema:{name}:v1")
    return faults


def _nodes(node: Any, place: str = "") -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401  JSON
    """Yield every schema below ``node``; members of ``properties`` and ``$defs`` are names."""
    if isinstance(node, list):
        for i, item in enumerate(node):
            yield from _nodes(item, f"{place}/{i}")
    if not isinstance(node, dict):
        return
    yield place, node
    for key, value in node.items():
        if key in {"properties", "$defs"}:
            for name, schema in value.items():
                yield from _nodes(schema, f"{place}/{key}/{name}")
        elif key not in {"enum", "const", "required", "type"}:
            yield from _nodes(value, f"{place}/{key}")


def _of(name: str, place: str, node: dict[str, Any]) -> Iterator[str]:
    yield from (f"{key}: {why}" for key, why in FORBIDDEN.items() if key in node)
    if not str(node.get("$ref", "#/$defs/")).startswith("#/$defs/"):
        yield "$ref leaves the file"
    types = node.get("type", [])
    types = [types] if isinstance(types, str) else types
    if "string" in types:
        yield from _of_text(node)
    if "array" in types and "maxItems" not in node and name not in UNCAPPED:
        yield "a list without maxItems"
    if "object" in types:
        yield from _of_object(name, place, node)
    bounded = {"minimum", "maximum"} <= node.keys() or "/allOf/" in place
    if "integer" in types and not bounded:
        yield "an integer without bounds"
    if "number" in types:
        yield "a float"


def _of_text(node: dict[str, Any]) -> Iterator[str]:
    pattern = node.get("pattern")
    if "maxLength" not in node:
        yield "a text without maxLength"
    if pattern is None:
        yield "a text without a pattern"
    elif not (pattern.startswith("^") and pattern.endswith(END)):
        yield f"a pattern that is not anchored as ^...{END}"
    elif re.search(r"\\[dwsDWS]", pattern):
        yield "a pattern with a class that is not ASCII everywhere"
    elif NESTED_QUANTIFIER.search(pattern) and pattern not in ONE_WAY:
        yield "a pattern with a quantifier inside a quantifier"


def _of_object(name: str, place: str, node: dict[str, Any]) -> Iterator[str]:
    rest = node.get("additionalProperties", True)
    if isinstance(rest, dict):
        if not {"propertyNames", "maxProperties"} <= node.keys():
            yield "a map without propertyNames and maxProperties"
        return
    is_open = rest is not False and (name, place.rpartition("/")[2]) not in OPEN_OBJECTS
    if is_open and not _is_choice(node):
        yield "an object that is not closed"


def _is_choice(node: dict[str, Any]) -> bool:
    """Tell whether one member chooses, from its every value, the shape that closes the object."""
    chosen = [
        (tag, branch["if"]["properties"][tag]["const"])
        for branch in node.get("allOf", [])
        for tag in branch["if"]["required"]
        if branch["then"].keys() == {"$ref"}
    ]
    tags = {tag for tag, _ in chosen}
    return len(tags) == 1 and all(
        node["required"] == [tag] and node["properties"][tag]["enum"] == [v for _, v in chosen]
        for tag in tags
    )


def differences() -> list[str]:
    """Return which committed files are not what the code makes, or stand there for nothing."""
    wanted = {file_name(name): rendered(name) for name in NAMES}
    there = {path.name: path.read_bytes() for path in SCHEMAS.glob("*.schema.json")}
    return [
        f"schemas/{file}: differs from the shapes; a v1 schema never changes once released"
        for file in sorted(wanted.keys() | there.keys())
        if wanted.get(file) != there.get(file)
    ]


def main() -> int:
    """Write or compare the files; print what is wrong."""
    if "--write" in sys.argv[1:]:
        SCHEMAS.mkdir(exist_ok=True)
        for name in NAMES:
            (SCHEMAS / file_name(name)).write_bytes(rendered(name))
    faults = differences() + [fault for name in NAMES for fault in lint(name, schema_of(name))]
    sys.stdout.write("".join(f"{fault}\n" for fault in faults))
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
