# SPDX-License-Identifier: Apache-2.0
"""From a shape to a document that leaves out nothing of it: every member, every case of a union.

Examples that people would write use few members at once, and what no example holds no damage to an
example ever reaches. Texts are taken from a pool, the first that fits what the shape says of them.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET, Struct
from msgspec import inspect as shapes

_MORE = ("nan", "1.5", "0.05", "a.b", "1/3", "2026-10-01T00:00:00Z")


def texts_of(node: object) -> Iterator[str]:
    """Yield every text in a JSON document, names of members too."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, dict):
        for name, value in node.items():
            yield name
            yield from texts_of(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts_of(value)


class Whole:
    """Makes whole documents of shapes."""

    def __init__(self, examples: Sequence[object]) -> None:
        """Take the texts that ``examples`` hold, shortest first, as the pool."""
        found = {text for each in examples for text in texts_of(each)} | {*_MORE}
        self.pool = sorted(found, key=lambda text: (len(text), text))

    def of(self, shape: object) -> Any:  # noqa: ANN401  any JSON
        """Return a whole document of ``shape``."""
        return next(self._each(shapes.type_info(shape)))

    def _each(self, of: shapes.Type) -> Iterator[Any]:
        """Yield a whole value for every case of a type."""
        match of:
            case shapes.Metadata():
                yield from self._each(of.type)
            case shapes.UnionType():
                for case in sorted(of.types, key=lambda each: isinstance(each, shapes.NoneType)):
                    yield from self._each(case)
            case shapes.StructType():
                yield self._struct(of)
            case shapes.ListType():
                yield list(self._items(of))
            case shapes.DictType():
                yield {next(self._each(of.key_type)): next(self._each(of.value_type))}
            case _:
                yield self._plain(of)

    def _plain(self, of: shapes.Type) -> str | int | bool | None:
        match of:
            case shapes.StrType():
                return self._text(of)
            case shapes.IntType():
                return of.ge or 0
            case shapes.LiteralType():
                return of.values[0]
            case shapes.EnumType():
                return str(next(iter(of.cls)).value)
            case _:
                return True if isinstance(of, shapes.BoolType) else None

    def _struct(self, of: shapes.StructType) -> dict[str, Any]:
        made = {each.encode_name: next(self._each(each.type)) for each in of.fields}
        return made if of.tag_field is None else {of.tag_field: of.tag, **made}

    def _items(self, of: shapes.ListType) -> Iterator[Any]:
        items = list(self._each(of.item_type))[: of.max_length]
        yield from items
        yield from items[:1] * ((of.min_length or 0) - len(items))

    def _text(self, of: shapes.StrType) -> str:
        fits = re.compile(of.pattern or "")
        least, most = of.min_length or 0, of.max_length or len(self.pool[-1])
        found = (each for each in self.pool if least <= len(each) <= most and fits.search(each))
        return next(found)


def members_of(shape: object) -> set[tuple[str, str]]:
    """Return every member of every struct that a document of ``shape`` may hold."""
    found: set[tuple[str, str]] = set()
    waiting: list[shapes.Type] = [shapes.type_info(shape)]
    while waiting:
        of = waiting.pop()
        match of:
            case shapes.Metadata():
                waiting.append(of.type)
            case shapes.UnionType():
                waiting += of.types
            case shapes.ListType():
                waiting.append(of.item_type)
            case shapes.DictType():
                waiting.append(of.value_type)
            case shapes.StructType():
                name = getattr(of.cls, "__name__", str(of.cls))
                new = [each for each in of.fields if (name, each.name) not in found]
                found |= {(name, each.name) for each in new}
                waiting += [each.type for each in new]
            case _:
                continue
    return found


def filled_in(node: object) -> set[tuple[str, str]]:
    """Return every member that something stands in, in what was decoded."""
    if isinstance(node, Struct):
        values = {name: getattr(node, name) for name in node.__struct_fields__}
        name = type(node).__name__
        own = {(name, m) for m, value in values.items() if value is not UNSET and value is not None}
        return own.union(*map(filled_in, values.values()))
    if isinstance(node, dict):
        return set().union(*map(filled_in, node.values()))
    if isinstance(node, list | tuple):
        return set().union(*map(filled_in, node))
    return set()
