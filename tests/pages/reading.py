# SPDX-License-Identifier: Apache-2.0
"""Reads a page as a browser would: every element with its attributes, and the text that shows."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

from typing_extensions import override

VOID = frozenset({"meta", "link", "br", "img", "input", "hr"})


@dataclass
class Node:
    """One element."""

    tag: str
    attributes: dict[str, str | None]
    children: list["Node | str"] = field(default_factory=list)

    def all(self, *tags: str) -> list["Node"]:
        """Return the elements of these names below this one; without names, all."""
        found: list[Node] = []
        for child in self.children:
            if isinstance(child, Node):
                if not tags or child.tag in tags:
                    found.append(child)
                found += child.all(*tags)
        return found

    @property
    def text(self) -> str:
        """All text below, white space folded."""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return " ".join(" ".join(parts).split())

    @property
    def classes(self) -> list[str]:
        """Names in the class attribute."""
        return (self.attributes.get("class") or "").split()


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = Node("", {})
        self.open = [self.root]

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, dict(attrs))
        self.open[-1].children.append(node)
        if tag not in VOID:
            self.open.append(node)

    @override
    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    @override
    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Node:
    """Return the page's root; every element must be closed where it belongs."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert len(reader.open) == 1, [node.tag for node in reader.open]
    return reader.root


def section_after(page: Node, heading: str) -> str:
    """Return the text between a second-level heading and the next."""
    (main,) = page.all("main")
    parts: list[str] = []
    inside = False
    for child in main.children:
        if isinstance(child, Node) and child.tag == "h2":
            inside = child.text == heading
        elif inside:
            parts.append(child if isinstance(child, str) else child.text)
    return " ".join(" ".join(parts).split())


def row_of(page: Node, *cells: str) -> list[str]:
    """Return the texts of the one table row whose first cell begins with ``cells``."""
    rows = [[cell.text for cell in row.all("th", "td")] for row in page.all("tr")]
    (found,) = [
        row for row in rows if all(a.startswith(b) for a, b in zip(row, cells, strict=False))
    ]
    return found
