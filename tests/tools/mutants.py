# SPDX-License-Identifier: Apache-2.0
"""Changes one thing in the scoring at a time and asks whether a test notices: `make mutants`.

Results stay in ``mutants/``: a run that was stopped goes on, and a run after tests were added asks
the survivors again. Whoever wants all of them again deletes the folder. `mutmut browse` reads it.
"""

import argparse
import ast
import hashlib
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from fnmatch import fnmatch
from pathlib import Path

import pytest
from mutmut.configuration import config
from mutmut.mutation.data import MutantLineSpans, SourceFileMutationData
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

from tests.tools.house import CHECKOUT
from tests.tools.mutant_page import change_of, listed
from tests.tools.mutant_runs import (
    KILLED,
    NOT_REACHED,
    SURVIVED,
    TIMED_OUT,
    Reach,
    Runs,
    reach_of,
    warm_up,
)

WORK = Path("mutants")
SOURCES = Path("app/core/score")
REACH = WORK / "reach.json"
# A test that takes longer is not asked; nor is a mutant given more time than all of this.
QUICK_S = 1.0
BUDGET_S = 5.0
TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|\w+|[<>=!*/+-]+|[^\s\w]")
WORDS = {SURVIVED: "survived", KILLED: "killed", TIMED_OUT: "timed out", NOT_REACHED: "no test"}


def undecorated(source: str) -> str:
    """Return the source with ``@property`` and caches applied below what they decorate.

    mutmut leaves a decorated function alone.
    """
    lines = source.splitlines()
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in sorted(found, key=lambda each: -each.lineno):
        if len(node.decorator_list) != 1 or node.end_lineno is None:
            continue
        decorator = node.decorator_list[0]
        indent = " " * node.col_offset
        lines.insert(
            node.end_lineno, f"{indent}{node.name} = {ast.unparse(decorator)}({node.name})"
        )
        lines[decorator.lineno - 1] = ""
    return "\n".join(lines) + "\n"


class Results:
    """What became of each mutant, kept as mutmut keeps it."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self.by_path = {path: SourceFileMutationData(path=path) for path in paths}
        for data in self.by_path.values():
            data.load()
        self._listed = [change for change, _ in listed()]
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
        data.save()

    def diff(self, mutant: str) -> str:
        """Return the lines that the mutant takes away and adds."""
        before, after = (each.splitlines() for each in self._both(mutant))
        diff = [*unified_diff(before, after, n=0, lineterm="")][2:]
        return "\n".join(line for line in diff if line.startswith(("-", "+")))

    def _both(self, mutant: str) -> tuple[str, str]:
        """Return the function without and with the mutant, both without its name."""
        path = Path(self._owner[mutant].path)
        if path not in self._sources:
            spans = json.loads((WORK / path).with_suffix(".py.spans").read_text(encoding="utf-8"))
            lines = (WORK / path).read_text(encoding="utf-8").splitlines(keepends=True)
            self._sources[path] = {
                name: "".join(lines[start - 1 : end]).partition("(")[2]
                for name, (start, end) in spans["spans"].items()
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


def make(paths: Sequence[Path]) -> None:
    """Write the mutants of each file that changed since, and forget what is known of those."""
    shutil.copytree("app", WORK / "app", dirs_exist_ok=True, ignore=_is_mutated)
    for name in ("schemas", "protocols", "migrations"):
        if not (WORK / name).exists():
            (WORK / name).symlink_to(Path("..") / name)
    for path in paths:
        source = undecorated(path.read_text(encoding="utf-8"))
        copy = WORK / path.with_suffix(".source")
        if copy.exists() and copy.read_text(encoding="utf-8") == source:
            continue
        mutated = mutate_file_contents(str(path), source)
        data = SourceFileMutationData(path=path)
        data.load()
        known, hashes = data.exit_code_by_key, data.hash_by_function_name
        data.hash_by_function_name = dict(mutated.hash_by_function_name)
        data.exit_code_by_key = {}
        for name in mutated.mutant_names:
            function, mutant = name.partition("__mutmut_")[0], get_mutant_name(path, name)
            same = hashes.get(function) == data.hash_by_function_name[function]
            data.exit_code_by_key[mutant] = known.get(mutant) if same else None
        (WORK / path).write_text(mutated.code, encoding="utf-8")
        data.save()
        MutantLineSpans(path=path, span_by_function_name=mutated.line_span_by_function_name).save()
        copy.write_text(source, encoding="utf-8")


def _is_mutated(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder) == SOURCES and name.endswith(".py")}


class Session:
    """The pytest session that runs mutants in place of tests."""

    def __init__(self, patterns: Sequence[str], at_once: int) -> None:
        self.patterns = patterns
        self.at_once = at_once

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        results = Results(sorted(SOURCES.glob("*.py")))
        reach, fresh = _known_reach(session.items)
        asked = [
            name
            for pattern in self.patterns
            for name in results.names()
            if fnmatch(name, f"app.core.score.{pattern}")
            and (
                results.of(name) is None or (results.of(name) in (SURVIVED, NOT_REACHED) and fresh)
            )
        ]
        asked = [name for name in dict.fromkeys(asked) if not results.is_listed(name)]
        asked.sort(key=lambda name: not results.is_of_a_boundary(name))
        print(sum(map(results.is_of_a_boundary, asked)), "of a boundary", flush=True)
        for name in asked:
            if results.of(name) is not None:
                results.put(name, None)
        said = Counter[str]()

        def done(mutant: str, code: int) -> None:
            results.put(mutant, code)
            said[WORDS[code]] += 1
            if code in (SURVIVED, NOT_REACHED):
                print(f"\n{WORDS[code]}: {mutant}\n{results.diff(mutant)}", flush=True)
            if not said.total() % 100:
                print(f"\n{said.total()} of {len(asked)}: {dict(said)}", flush=True)

        quick = {test: each for test, each in reach.items() if each.cpu_s <= QUICK_S}
        items = {item.nodeid: item for item in session.items}
        warm_up(session.items, reach)
        Runs(items, quick, self.at_once, BUDGET_S, done).all_of(asked)
        print(f"\nof {len(asked)} run now: {dict(said)}")
        return True


def _known_reach(items: Sequence[pytest.Item]) -> tuple[dict[str, Reach], bool]:
    """Return what each test reaches, measuring it for tests of files that changed since."""
    digests = {item.path: hashlib.sha256(item.path.read_bytes()).hexdigest() for item in items}
    known = json.loads(REACH.read_text(encoding="utf-8")) if REACH.exists() else {}
    old = {
        item.nodeid
        for item in items
        if known.get(item.nodeid, {}).get("digest") == digests[item.path]
    }
    fresh = [item for item in items if item.nodeid not in old]
    reach = {test: Reach(frozenset(known[test]["functions"]), known[test]["cpu_s"]) for test in old}
    if fresh:
        reach |= reach_of(fresh)
    paths = {item.nodeid: item.path for item in items}
    record = {
        test: {
            "digest": digests[paths[test]],
            "functions": sorted(each.functions),
            "cpu_s": each.cpu_s,
        }
        for test, each in reach.items()
    }
    REACH.write_text(json.dumps(record), encoding="utf-8")
    return reach, bool(fresh)


def main() -> int:
    """Run what is not known yet and print what survives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "patterns", nargs="*", default=["*"], help="modules, as in: decide* bracket*"
    )
    parser.add_argument("--at-once", type=int, default=1, help="mutants at a time")
    asked = parser.parse_args()
    WORK.mkdir(exist_ok=True)
    make(sorted(SOURCES.glob("*.py")))
    options = ["-q", "-s", "--tb=native", f"--override-ini=pythonpath={WORK}"]
    options += ["-pno:randomly", "-pno:cacheprovider", "--assert=plain"]
    tests = config().pytest_add_cli_args_test_selection
    return int(pytest.main([*options, *tests], plugins=[Session(asked.patterns, asked.at_once)]))


if __name__ == "__main__":
    sys.path.insert(0, str(CHECKOUT / WORK))
    sys.exit(main())
