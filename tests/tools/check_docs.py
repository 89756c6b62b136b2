# SPDX-License-Identifier: Apache-2.0
"""Holds the documentation to the project: links, paths, make targets, and pages made by code.

python -m tests.tools.check_docs            say what does not hold; exit 1 if anything
python -m tests.tools.check_docs --write    write the pages that code makes, then check
"""

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.tools.made_pages import glossary_page, lint_page, reasons_page

PROJECT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PATH = re.compile(
    r"`((?:app|tests|docs|schemas|protocols|migrations|deploy)/[A-Za-z0-9_./-]*[A-Za-z0-9_/])`"
)
TARGET = re.compile(r"`make ([a-z-]+)`|^make ([a-z-]+)$", re.MULTILINE)


GENERATED: dict[str, Callable[[], str]] = {
    "docs/glossary.md": glossary_page,
    "docs/lint.md": lint_page,
    "docs/reasons.md": reasons_page,
}


def pages() -> list[Path]:
    """Return every Markdown page of the project."""
    return [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]


def broken(page: Path) -> Iterator[str]:
    """Return what one page says that does not hold."""
    text = page.read_text(encoding="utf-8")
    for link in LINK.findall(text):
        target = link.split("#")[0]
        is_outside = "://" in link or link.startswith("mailto:")
        if target and not is_outside and not (page.parent / target).exists():
            yield f"link to {target}, which is not there"
    for path in PATH.findall(text):
        if not (PROJECT / path).exists():
            yield f"path {path}, which is not there"
    targets = set(
        re.findall(r"^([a-z-]+):", (PROJECT / "Makefile").read_text("utf-8"), re.MULTILINE)
    )
    for pair in TARGET.findall(text):
        if (name := pair[0] or pair[1]) not in targets:
            yield f"make {name}, which is no target"


def main(arguments: list[str]) -> int:
    """Check, or write and check; return the exit code."""
    for name, make in GENERATED.items():
        if "--write" in arguments:
            (PROJECT / name).write_text(make(), encoding="utf-8")
    found = [
        f"{name}: not as the code makes it; run `make docs`"
        for name, make in GENERATED.items()
        if not (PROJECT / name).exists() or (PROJECT / name).read_text("utf-8") != make()
    ]
    found += [f"{page.relative_to(PROJECT)}: {what}" for page in pages() for what in broken(page)]
    sys.stderr.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
