# SPDX-License-Identifier: Apache-2.0
"""Runs mutants inside one pytest session: each in a fork of it, so nothing is collected twice.

mutmut makes the mutants and switches one on. What its own runner does for each of them, reading
all test files again, costs fifty times what the tests themselves do.
"""

import gc
import inspect
import json
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from types import CellType, FunctionType

import pytest
from coverage import Coverage, CoverageData
from mutmut.mutation.trampoline import set_mutant_under_test

# What mutmut calls the two: its own commands read the results too.
SURVIVED, KILLED, TIMED_OUT, NOT_REACHED = 0, 1, 36, 33
# A mutant may loop for ever, or fill a list for ever.
MEMORY_BYTES = 4 * 2**30
LEAST_LIMIT_S = 2.0
# What running any test costs beside the test itself.
EACH_S = 0.003


@dataclass(frozen=True, slots=True)
class Reach:
    """What one test reaches.

    Attributes:
        lines: of each function as mutmut names it, with its module, counted from its first;
            none where the function is another since.
        cpu_s: how long it takes.
    """

    lines: Mapping[str, frozenset[int]]
    cpu_s: float

    def touches(self, function: str, lines: frozenset[int]) -> bool:
        """Return whether any of the lines is run, or may be."""
        known = self.lines.get(function)
        return known is not None and not (known and lines.isdisjoint(known))


@dataclass(frozen=True, slots=True)
class Original:
    """Where in a mutated file a function stands as it was written, by its lines from 1."""

    path: Path
    function: str
    first: int
    last: int


def reach_of(items: Sequence[pytest.Item], originals: Sequence[Original]) -> dict[str, Reach]:
    """Return what each test reaches, measured in a fork: this process has run nothing."""

    def measured() -> str:
        Switch()
        paths = sorted({str(each.path) for each in originals})
        lines = Coverage(data_file=None, config_file=False, include=paths)
        cpu_s: dict[str, float] = {}
        lines.start()
        for item, following in _in_turn(items):
            forget()
            lines.switch_context(item.nodeid)
            start = time.process_time()
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                return json.dumps(item.nodeid)
            cpu_s[item.nodeid] = time.process_time() - start
        lines.stop()
        return json.dumps([cpu_s, _by_test(lines.get_data(), originals)])

    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as told:
        pid = os.fork()
        if not pid:
            Path(told.name).write_text(measured(), encoding="utf-8")
            os._exit(0)
        os.waitpid(pid, 0)
        answer = json.load(told)
    if isinstance(answer, str):
        pytest.exit(f"{answer} fails without any mutant", returncode=1)
    cpu_s, lines = answer
    return {
        test: Reach({name: frozenset(n) for name, n in lines.get(test, {}).items()}, cpu_s[test])
        for test in cpu_s
    }


def _by_test(data: CoverageData, originals: Sequence[Original]) -> dict[str, dict[str, list[int]]]:
    """Return the lines of each function that each test ran."""
    found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    tests = {path: data.contexts_by_lineno(path) for path in data.measured_files()}
    for each in originals:
        of_file = tests.get(str(each.path), {})
        for line in range(each.first, each.last + 1):
            for test in of_file.get(line, ()):
                found[test][each.function].append(line - each.first)
    return found


def warm_up(items: Sequence[pytest.Item], reach: Mapping[str, Reach]) -> None:
    """Run the quickest test of each file, so that no fork begins by making schemas and keys again.

    What the mutated modules themselves remember is forgotten.
    """
    slowest_first = sorted(items, key=lambda item: -reach[item.nodeid].cpu_s)
    quickest = {item.path: item for item in slowest_first}
    for item, following in _in_turn(list(quickest.values())):
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    if items[0].session.testsfailed:
        pytest.exit("a test fails without any mutant", returncode=1)
    forget()


def forget() -> None:
    """Forget what the mutated modules remember."""
    for name, module in sys.modules.items():
        if name.startswith("app.core.score."):
            for each in vars(module).values():
                if hasattr(each, "cache_clear"):
                    each.cache_clear()


class Switch:
    """Leads each mutated function straight to its original, and one of them to a mutant.

    mutmut asks the environment which mutant is on, in every call of every function.
    """

    def __init__(self) -> None:
        self._ways: dict[str, tuple[CellType, dict[str, FunctionType]]] = {}
        for each in gc.get_objects():
            if isinstance(each, FunctionType) and each.__code__.co_name == "_trampoline_wrapper":
                (way,) = each.__closure__ or ()
                held = inspect.getclosurevars(way.cell_contents).nonlocals
                if not held["is_classmethod"]:
                    original = held["mutants_dict"]["_mutmut_orig"]
                    function = original.__name__.partition("__mutmut_")[0]
                    self._ways[f"{original.__module__}.{function}"] = way, held["mutants_dict"]
                    way.cell_contents = original

    def put_on(self, mutant: str) -> None:
        set_mutant_under_test(mutant)
        if found := self._ways.get(_function_of(mutant)):
            way, mutants = found
            way.cell_contents = mutants[mutant.rpartition(".")[2]]


@dataclass(slots=True)
class Runs:
    """Mutants that run now, at most ``at_once`` of them, and what became of the others."""

    items: dict[str, pytest.Item]
    reach: dict[str, Reach]
    at_once: int
    budget_s: float
    lines_of: Callable[[str], frozenset[int]]
    done: Callable[[str, int], None]
    _running: dict[int, tuple[str, str, Sequence[str]]] = field(default_factory=dict)
    _reaching: dict[str, list[str]] = field(default_factory=dict)
    _kills: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _asked: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    _switch: Switch = field(default_factory=Switch)

    def all_of(self, mutants: Iterable[str]) -> None:
        """Run each mutant against the tests that reach its function."""
        gc.freeze()
        self._needs_no_mutant()
        for mutant in mutants:
            tests = self._tests_for(mutant)
            if not tests:
                self.done(mutant, NOT_REACHED)
                continue
            while len(self._running) >= self.at_once:
                self._wait()
            self._start(mutant, tests)
        while self._running:
            self._wait()

    def _needs_no_mutant(self) -> None:
        """Run tests with no mutant on: a fork in which they fail would call everything killed."""
        told, self.done = self.done, _survives
        quickest = sorted(self.reach, key=lambda test: self.reach[test].cpu_s)
        self._start("no mutant", quickest[: len(quickest) // 2])
        self._wait()
        self.done = told

    def _tests_for(self, mutant: str) -> list[str]:
        """Return the tests to run, first what is likeliest to notice for the time that it takes.

        Those that run the changed line; where that cannot be told, those that run its function.
        Likely is what noticed its like; else what bears its name, and the quickest of each file.
        """
        function = _function_of(mutant)
        lines = self.lines_of(mutant)
        of_function = self._reaching.get(function)
        if of_function is None:
            of_function = [test for test, reach in self.reach.items() if function in reach.lines]
            of_function.sort(key=lambda test: self.reach[test].cpu_s)
            self._reaching[function] = of_function
        tests = [test for test in of_function if self.reach[test].touches(function, lines)]
        tests = tests or of_function.copy()
        named, before = "/test_" + function.split(".")[-2], Counter[str]()
        worth = {}
        for test in tests:
            of_file, cpu_s = test.partition("::")[0], self.reach[test].cpu_s + EACH_S
            before[of_file] += 1
            likely = (2 if named in test else 1) / before[of_file]
            asked, kills = self._asked[function][test], self._kills[function][test]
            worth[test] = (kills + likely) / (asked + 1) / cpu_s
        tests.sort(key=lambda test: -worth[test])
        spent = accumulate(self.reach[test].cpu_s for test in tests)
        return [test for test, cpu_s in zip(tests, spent, strict=True) if cpu_s <= self.budget_s]

    def _start(self, mutant: str, tests: Sequence[str]) -> None:
        # Both halves of the fork close it, each in its own time.
        told = tempfile.NamedTemporaryFile("w", delete=False, encoding="utf-8")  # noqa: SIM115  outlives this block
        pid = os.fork()
        if pid:
            told.close()
            self._running[pid] = mutant, told.name, tests
            return
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        self._switch.put_on(mutant)
        for item, following in _in_turn([self.items[test] for test in tests]):
            limit_s = max(LEAST_LIMIT_S, 10 * self.reach[item.nodeid].cpu_s)
            signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if item.session.testsfailed:
                told.write(item.nodeid)
                told.flush()
                os._exit(KILLED)
        os._exit(SURVIVED)

    def _wait(self) -> None:
        pid, status = os.wait()
        mutant, told, tests = self._running.pop(pid)
        killer = Path(told).read_text(encoding="utf-8")
        Path(told).unlink()
        function = _function_of(mutant)
        if killer:
            self._kills[function][killer] += 1
            tests = tests[: tests.index(killer) + 1]
        self._asked[function].update(tests)
        code = os.waitstatus_to_exitcode(status)
        if code not in (SURVIVED, KILLED):
            code = TIMED_OUT if code == -signal.SIGVTALRM else KILLED
        self.done(mutant, code)


def _survives(_mutant: str, code: int) -> None:
    if code != SURVIVED:
        pytest.exit("tests fail in a fork without any mutant", returncode=1)


def _function_of(mutant: str) -> str:
    return mutant.partition("__mutmut_")[0]


def _in_turn(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    yield from zip(items, [*items[1:], None], strict=True)
