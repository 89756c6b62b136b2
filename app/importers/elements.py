# SPDX-License-Identifier: Apache-2.0
"""XML that somebody else wrote, read as elements and attributes and as nothing more.

A document may make an XML reader open files and addresses (external entities), grow a kilobyte to
gigabytes (entities within entities) or read itself in another encoding than a person sees. Each of
these begins in a document type declaration or in the encoding named on the first line, and both are
refused here before anything of them is acted on. What is left can only be large, and is bounded:
bytes, depth, elements, and attributes by number and length.

The library ``defusedxml`` refuses the same declarations by the same handlers of the same parser; it
is not among the locked packages, has no bound on size or depth, and would leave those to write
here. So the standard library's expat is used directly. The whole document is handed over in one
call: releases before 2.6 take quadratic time for one long token that arrives in pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn
from xml.parsers import expat

from app.core.errors import MalformedDocument, TooLarge

MAX_BYTES: Final = 32 * 1024 * 1024
MAX_DEPTH: Final = 32
MAX_ELEMENTS: Final = 200_000
MAX_ATTRIBUTES: Final = 64
MAX_ATTRIBUTE_CHARACTERS: Final = 1024 * 1024
"""One value's; tools put a whole failure message into one."""

_ENCODING: Final = "utf-8"


@dataclass(frozen=True, slots=True)
class Element:
    """One element; its text is not kept."""

    name: str
    attributes: Mapping[str, str]
    children: list[Element] = field(default_factory=list)

    def below(self) -> Iterator[Element]:
        """Yield every element inside this one, in document order."""
        for child in self.children:
            yield child
            yield from child.below()


def read_elements(data: bytes) -> Element:
    """Return the root element of an XML document in UTF-8.

    Raises:
        MalformedDocument: ``xml``, not well-formed; ``xml-doctype``, it declares a document type or
            an entity; ``xml-encoding``, it says that it is in another encoding.
        TooLarge: ``xml-limits``, with the limit that was passed.
    """
    if len(data) > MAX_BYTES:
        raise _too_large(f"An XML report is read up to {MAX_BYTES} bytes.")
    _refuse_other_encodings(data)
    tree = _Tree()
    # Naming the encoding here also stops expat from asking Python for a codec by any name.
    parser = expat.ParserCreate(_ENCODING)
    parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
    parser.XmlDeclHandler = _declared
    parser.StartDoctypeDeclHandler = _refuse_declaration
    # None of these is reached while a document type is refused; they hold if that ever changes.
    parser.EntityDeclHandler = _refuse_declaration
    parser.UnparsedEntityDeclHandler = _refuse_declaration
    parser.ExternalEntityRefHandler = _refuse_declaration
    parser.StartElementHandler = tree.opened
    parser.EndElementHandler = tree.closed
    try:
        parser.Parse(data, True)  # noqa: FBT003  the binding takes no keyword
    except expat.ExpatError as error:
        said = expat.ErrorString(error.code)  # the parser's own words, never the text
        message = f"Not XML in UTF-8 at line {error.lineno}: {said}."
        raise MalformedDocument(message, code="xml") from error
    return tree.root


class _Tree:
    """Builds the elements and counts what they may be."""

    __slots__ = ("_count", "_open")

    def __init__(self) -> None:
        self._open = [Element("", {})]
        self._count = 0

    @property
    def root(self) -> Element:
        """The document's one element; the parser has refused a document without."""
        return self._open[0].children[0]

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise _too_large(f"An XML report is read up to {MAX_ELEMENTS} elements.")
        if len(self._open) > MAX_DEPTH:
            raise _too_large(f"At most {MAX_DEPTH} elements may be open at once.")
        if len(attributes) > MAX_ATTRIBUTES:
            raise _too_large(f"An element is read with up to {MAX_ATTRIBUTES} attributes.")
        if any(len(value) > MAX_ATTRIBUTE_CHARACTERS for value in attributes.values()):
            raise _too_large(f"An attribute is read up to {MAX_ATTRIBUTE_CHARACTERS} characters.")
        element = Element(name, attributes)
        self._open[-1].children.append(element)
        self._open.append(element)

    def closed(self, _name: str) -> None:
        self._open.pop()


def _refuse_other_encodings(data: bytes) -> None:
    """Refuse what is not UTF-8: expat follows a byte order mark, whatever encoding it was given."""
    try:
        data.decode(_ENCODING)
    except UnicodeDecodeError as error:
        message = f"Not XML in UTF-8: the bytes at offset {error.start} are none."
        raise MalformedDocument(message, code="xml", offset=error.start) from error
    if b"\0" in data:  # also UTF-16 and UTF-32 without a mark, where it is part of every "<"
        message = "Not XML in UTF-8: it holds the character U+0000."
        raise MalformedDocument(message, code="xml", offset=data.index(b"\0"))


def _declared(_version: str, encoding: str | None, _standalone: int) -> None:
    if encoding is not None and encoding.lower() != _ENCODING:
        message = "The report says that it is not in UTF-8; save it in UTF-8."
        raise MalformedDocument(message, code="xml-encoding")


def _refuse_declaration(*_declaration: object) -> NoReturn:
    message = "The report declares a document type; a report needs none, and it is not read."
    raise MalformedDocument(message, code="xml-doctype")


def _too_large(detail: str) -> TooLarge:
    return TooLarge(detail, code="xml-limits")
