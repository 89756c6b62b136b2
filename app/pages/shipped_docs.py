# SPDX-License-Identifier: Apache-2.0
"""Reads the documentation that pages show, and the little of Markdown that it is written in.

A wheel carries these files inside the package, a checkout beside it. Headings, paragraphs, lists,
tables and indented blocks are known; inline marks are taken off; everything becomes plain text,
which a template escapes like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Final

import app
from app.pages.sections import Section
from app.pages.views.table import Cell, Table

_PACKAGE: Final = Path(app.__file__).resolve().parent
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_RULE: Final = re.compile(r"[|:\- ]+")


@dataclass(frozen=True, slots=True)
class ProblemRow:
    """One problem code: where it belongs and when it is answered."""

    code: str
    group: str
    when: str


def shipped(name: str) -> str:
    """Return a documentation file's text.

    Raises:
        FileNotFoundError: the installation is damaged.
    """
    for place in (_PACKAGE / "_data" / "docs" / name, _PACKAGE.parent / "docs" / name):
        if place.is_file():
            return place.read_text(encoding="utf-8")
    raise FileNotFoundError(f"The installation has no docs/{name}; install it again.")


def sections_of(text: str) -> list[Section]:
    """Return a document as sections, one per heading below the first."""
    return [
        _section(heading, list(blocks))
        for heading, blocks in groupby(_blocks(text), key=lambda pair: pair[0])
    ]


def problem_rows(text: str) -> dict[str, ProblemRow]:
    """Return the problem codes that a document's tables list."""
    rows = {}
    for section in sections_of(text):
        for table in section.tables:
            if table.headers[0] == "code":
                for code, when, *_ in table.rows:
                    rows[code.text] = ProblemRow(code.text, section.heading, when.text)
    return rows


def _blocks(text: str) -> Iterator[tuple[str, list[str]]]:
    """Give runs of lines that belong together, each with the heading it stands under."""
    heading = ""
    for is_empty, lines in groupby(text.splitlines(), key=lambda line: not line.strip()):
        block = list(lines)
        if is_empty:
            continue
        if block[0].startswith("#"):
            heading = "" if block[0].startswith("# ") else block[0].lstrip("# ")
            block = block[1:]
        if block:
            yield heading, block


def _section(heading: str, blocks: list[tuple[str, list[str]]]) -> Section:
    lines: list[str] = []
    tables: list[Table] = []
    texts: list[str] = []
    for _, block in blocks:
        if block[0].startswith("|"):
            tables.append(_table(heading, block))
        elif block[0].startswith("    "):
            texts.append("\n".join(line[4:] for line in block))
        else:
            lines += _paragraphs(block)
    return Section(heading, lines, tables, text="\n\n".join(texts) or None)


def _paragraphs(block: list[str]) -> list[str]:
    """Return one text per list item, or the block as one."""
    found: list[str] = []
    for line in block:
        if line.startswith(("- ", "* ")) or not found:
            found.append(line.removeprefix("- ").removeprefix("* ").strip())
        else:
            found[-1] += f" {line.strip()}"
    return [_plain(one) for one in found]


def _table(heading: str, block: list[str]) -> Table:
    rows = [
        [_plain(cell.strip().replace("\\|", "|")) for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in block
        if not _RULE.fullmatch(line)
    ]
    return Table(
        caption=f"{heading or 'Overview'}.",
        headers=tuple(rows[0]),
        rows=[tuple(Cell(text or "none") for text in row) for row in rows[1:]],
    )


def _plain(text: str) -> str:
    return _LINK.sub(r"\1", text).replace("**", "").replace("`", "")
