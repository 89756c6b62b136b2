# SPDX-License-Identifier: Apache-2.0
"""What became of each mutant of the scoring, and what it changes, in the folder ``mutants/``."""

import json
import re
import time
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher, unified_diff
from pathlib import Path

from mutmut.mutation.data import SourceFileMutationData
from mutmut.utils.format_utils import get_mutant_name

from tests.tools.mutant_page import change_of, listed
from tests.tools.mutant_runs import Original

WORK = Path("mutants")
SAVED_EVERY_S = 3.0
TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\w+|[<>=!*/+-]+|[^\s\w]")


class Results:
    """What became of each mutant, kept as mutmut keeps it."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.by_path = {path: SourceFileMutationData(path=path) for path in paths}
        for data in self.by_path.values():
            data.load()
        self._listed = [change for change, _ in listed()]
        self._unsaved = set[str]()
        self._saved_s = time.monotonic()
        self._sources: dict[Path, dict[str, str]] = {}
        self._owner = {
            mutant: data for data in self.by_path.values() for mutant in data.exit_code_by_key
        }

    def of(self, mutant: str) -> int | None:
        return self._owner[mutant].exit_code_by_key[mutant]

    def names(self) -> Iterator[str]:
        return iter(self._owner)

    def put(self, mutant: str, code: int | None) -> None:
        data = self._owner[mutant]
        data.exit_code_by_key[mutant] = code
        self._unsaved.add(str(data.path))
        if time.monotonic() > self._saved_s + SAVED_EVERY_S:
            self.save()

    def save(self) -> None:
        """Write what came in since."""
        for path in self._unsaved:
            self.by_path[Path(path)].save()
        self._unsaved.clear()
        self._saved_s = time.monotonic()

    def diff(self, mutant: str) -> str:
        """Return the lines that the mutant takes away and adds."""
        before, after = (each.splitlines() for each in self._both(mutant))
        diff = [*unified_diff(before, after, n=0, lineterm="")][2:]
        return "\n".join(line for line in diff if line.startswith(("-", "+")))

    def lines(self, mutant: str) -> frozenset[int]:
        """Return the lines of its function that the mutant changes, counted from the first."""
        before, after = (each.splitlines() for each in self._both(mutant))
        changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return frozenset(
            line for how, lo, hi, *_ in changes if how != "equal" for line in range(lo, hi)
        )

    def originals(self) -> list[Original]:
        """Return where every mutated function stands as it was written."""
        return [
            Original(
                (WORK / path).resolve(),
                get_mutant_name(Path(path), name).partition("__mutmut_")[0],
                first,
                last,
            )
            for path in self.by_path
            for name, (first, last) in _spans(path).items()
            if name.endswith("__mutmut_orig")
        ]

    def _both(self, mutant: str) -> tuple[str, str]:
        """Return the function without and with the mutant, both without its name."""
        path = Path(self._owner[mutant].path)
        if path not in self._sources:
            lines = (WORK / path).read_text(encoding="utf-8").splitlines(keepends=True)
            self._sources[path] = {
                name: "".join(lines[first - 1 : last]).replace(f"{name}(", "(", 1)
                for name, (first, last) in _spans(path).items()
            }
        name = mutant.rpartition(".")[2]
        original = f"{name.partition('__mutmut_')[0]}__mutmut_orig"
        return self._sources[path][original], self._sources[path][name]

    def is_listed(self, mutant: str) -> bool:
        """Return whether the page says why the mutant changes nothing: it need not be asked."""
        function = change_of(mutant, "").function
        lines = [each for each in self._listed if each.is_of(function)]
        return bool(lines) and any(
            line.covers(change_of(mutant, self.diff(mutant))) for line in lines
        )

    def is_of_a_boundary(self, mutant: str) -> bool:
        """Return whether other words than names came in: a comparison, a number, a case."""
        before, after = ([*TOKEN.findall(each)] for each in self._both(mutant))
        while before and after and before[0] == after[0]:
            del before[0], after[0]
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
        if "None" in after or any(each[0] in "\"'" for each in (*before, *after)):
            return False
        return bool(after) or "not" in before or "case" in before


def _spans(path: Path) -> dict[str, tuple[int, int]]:
    """Return the first and the last line of every function of a mutated file."""
    index = (WORK / path).with_suffix(".py.spans").read_text(encoding="utf-8")
    return {name: (first, last) for name, (first, last) in json.loads(index)["spans"].items()}
