# SPDX-License-Identifier: Apache-2.0
"""The one way to make SVG here: a tree of elements whose every text and attribute is escaped.

SVG is markup that browsers execute, and template engines choose escaping by a file's suffix, so no
plot is a template. An element's and an attribute's name come from the code that draws; anything
else than a plain name is refused. Looks come from classes in the style sheet: a policy of
``style-src 'self'`` takes no ``style`` attribute.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from markupsafe import Markup, escape

_NAME: Final = re.compile(r"[a-z][A-Za-z0-9-]*")
_REFUSED: Final = ("on", "href", "style", "xlink")
_ELEMENTS: Final = frozenset(
    {"svg", "g", "title", "desc", "text", "line", "rect", "circle", "path", "polygon"}
)

Value: TypeAlias = str | int | Fraction
Child: TypeAlias = "Element | str"


@dataclass(frozen=True, slots=True)
class Element:
    """An element: a name of the list above, attributes in order, and children."""

    name: str
    attributes: tuple[tuple[str, Value], ...]
    children: Sequence[Child] = ()

    def to_markup(self) -> Markup:
        """Return the markup, all of it escaped."""
        attributes = "".join(f' {name}="{_written(value)}"' for name, value in self.attributes)
        inner = "".join(
            child.to_markup() if isinstance(child, Element) else str(escape(child))
            for child in self.children
        )
        # Names are checked in ``element``; values and texts are escaped just above.
        return Markup(f"<{self.name}{attributes}>{inner}</{self.name}>")  # noqa: S704  its parts are escaped above


def element(name: str, *children: Child, **attributes: Value) -> Element:
    """Return an element; ``stroke_width`` is written ``stroke-width`` and ``class_`` ``class``.

    Raises:
        ValueError: an element that is no drawing, or an attribute that could execute or load.
    """
    named = tuple((_attribute(key), value) for key, value in attributes.items())
    if name not in _ELEMENTS:
        message = f"No drawing uses the element {name!r}."
        raise ValueError(message)
    return Element(name, named, children)


def drawing(*children: Child, width: int, height: int, title: str) -> Element:
    """Return the outermost element: scales with its column and is named for screen readers."""
    return element(
        "svg",
        element("title", title),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        class_="chart",
    )


def _attribute(key: str) -> str:
    name = key.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.lower().startswith(_REFUSED):
        message = f"No drawing uses the attribute {name!r}."
        raise ValueError(message)
    return name


def _written(value: Value) -> str:
    """Return an attribute's value; coordinates are rounded to a hundredth of a pixel."""
    if isinstance(value, Fraction):
        hundredths = round(value * 100)
        whole, rest = divmod(abs(hundredths), 100)
        sign = "-" if hundredths < 0 else ""
        return f"{sign}{whole}.{rest:02d}" if rest else f"{sign}{whole}"
    return str(escape(str(value)))
