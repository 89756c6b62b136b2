# SPDX-License-Identifier: Apache-2.0
"""Changes one thing in the scoring at a time and asks whether a test notices: `make mutants`.

Results stay in ``mutants/``: a run that was stopped goes on, and a run after tests were added asks
the survivors again. Whoever wants all of them again deletes the folder. `mutmut browse` reads it.
"""

import argparse
import ast
import hashlib
import json
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path

import pytest
from mutmut.configuration import config
from mutmut.mutation.data import MutantLineSpans, SourceFileMutationData
from mutmut.mutation.file_mutation import mutate_file_contents
from mutmut.utils.format_utils import get_mutant_name

from tests.tools.house import CHECKOUT
from tests.tools.mutant_results import WORK, Results
from tests.tools.mutant_runs import (
    KILLED,
    NOT_REACHED,
    SURVIVED,
    TIMED_OUT,
    Original,
    Reach,
    Runs,
    reach_of,
    warm_up,
)

SOURCES = Path("app/core/score")
REACH = WORK / "reach.json"
# A test that takes longer is not asked; nor is a mutant given more time than all of this.
QUICK_S = 1.0
BUDGET_S = 5.0
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


def make(paths: Sequence[Path]) -> None:
    """Write the mutants of each file that changed since, and forget what is known of those."""
    shutil.copytree("app", WORK / "app", dirs_exist_ok=True, ignore=_is_mutated)
    for name in ("schemas", "protocols", "migrations"):
        if not (WORK / name).exists():
            (WORK / name).symlink_to(Path("..") / name)
    others = set[str]()
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
            others |= set() if same else {mutant.partition("__mutmut_")[0]}
            data.exit_code_by_key[mutant] = known.get(mutant) if same else None
        (WORK / path).write_text(mutated.code, encoding="utf-8")
        data.save()
        MutantLineSpans(path=path, span_by_function_name=mutated.line_span_by_function_name).save()
        copy.write_text(source, encoding="utf-8")
    _forget_lines(others)


def _forget_lines(functions: set[str]) -> None:
    """Forget which lines of them each test runs."""
    known = json.loads(REACH.read_text(encoding="utf-8")) if REACH.exists() else {}
    for each in known.values():
        each["lines"] |= {name: [] for name in functions & each["lines"].keys()}
    REACH.write_text(json.dumps(known), encoding="utf-8")


def _is_mutated(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if Path(folder) == SOURCES and name.endswith(".py")}


class Session:
    """The pytest session that runs mutants in place of tests."""

    def __init__(self, patterns: Sequence[str], at_once: int) -> None:
        self.patterns = patterns
        self.at_once = at_once

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        results = Results(sorted(SOURCES.glob("*.py")))
        reach, fresh = _known_reach(session.items, results.originals())
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
        Runs(items, quick, self.at_once, BUDGET_S, results.lines, done).all_of(asked)
        results.save()
        print(f"\nof {len(asked)} run now: {dict(said)}")
        return True


def _known_reach(
    items: Sequence[pytest.Item], originals: Sequence[Original]
) -> tuple[dict[str, Reach], bool]:
    """Return what each test reaches, measuring it for tests of files that changed since."""
    digests = {item.path: hashlib.sha256(item.path.read_bytes()).hexdigest() for item in items}
    known = json.loads(REACH.read_text(encoding="utf-8")) if REACH.exists() else {}
    old = {
        item.nodeid
        for item in items
        if known.get(item.nodeid, {}).get("digest") == digests[item.path]
    }
    fresh = [item for item in items if item.nodeid not in old]
    reach = {
        test: Reach(
            {name: frozenset(lines) for name, lines in known[test]["lines"].items()},
            known[test]["cpu_s"],
        )
        for test in old
    }
    if fresh:
        reach |= reach_of(fresh, originals)
    paths = {item.nodeid: item.path for item in items}
    record = {
        test: {
            "digest": digests[paths[test]],
            "lines": {name: sorted(lines) for name, lines in each.lines.items()},
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
