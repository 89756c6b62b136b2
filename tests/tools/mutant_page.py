# SPDX-License-Identifier: Apache-2.0
"""Reads `docs/mutants.md`: the changes that survive because they change nothing, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.tools.house import CHECKOUT

PAGE = CHECKOUT / "docs" / "mutants.md"
ROW = re.compile(
    r"^\| `(?P<function>[\w.…]+)` \| `(?P<before>.*?)` → `(?P<after>.*?)` \| (?P<why>.+) \|$"
)


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one function, as code.

    Attributes:
        function: with its module below `app.core.score`, and its class.
        before: the code that the change takes away, each stretch of white space one space.
        after: the code that stands there instead.

    In a line of the page ``…`` stands for any code: the first one after the arrow for what the
    first one before it stands for, and so on.
    """

    function: str
    before: str
    after: str

    def is_of(self, function: str) -> bool:
        """Return whether the line speaks of that function too."""
        return _any_code(self.function).fullmatch(function) is not None

    def is_in(self, source: str) -> bool:
        """Return whether the code that the line takes away stands there."""
        return _any_code(self.before).search(source) is not None

    def covers(self, change: Change) -> bool:
        """Return whether the line says this change, or any like it."""
        if not self.is_of(change.function):
            return False
        found = _any_code(self.before).fullmatch(change.before)
        if found is None:
            return False
        same = iter(found.groups())
        return re.sub("…", lambda _: next(same), self.after) == change.after


def _any_code(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text).replace("…", "(.*)"))


def change_of(mutant: str, diff: str) -> Change:
    """Return a mutant's change.

    Args:
        mutant: mutmut's name, as in `app.core.score.lanes.x__divided__mutmut_3`.
        diff: its lines that begin with a minus or a plus.
    """
    module, _, name = (
        mutant.partition("__mutmut_")[0].removeprefix("app.core.score.").partition(".")
    )
    lines = diff.splitlines()
    before = " ".join(line[1:] for line in lines if line.startswith("-"))
    after = " ".join(line[1:] for line in lines if line.startswith("+"))
    called = name.removeprefix("x_").removeprefix("xǁ").replace("ǁ", ".")
    return Change(f"{module}.{called}", " ".join(before.split()), " ".join(after.split()))


def row_of(change: Change, why: str) -> str:
    """Return the change's line in the page."""
    before, after = (each.replace("|", "\\|") for each in (change.before, change.after))
    return f"| `{change.function}` | `{before}` → `{after}` | {why} |"


def listed() -> Iterator[tuple[Change, str]]:
    """Yield every change that the page lists, and its reason."""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if found := ROW.match(line):
            before, after = (found[each].replace("\\|", "|") for each in ("before", "after"))
            yield Change(found["function"], before, after), found["why"]
