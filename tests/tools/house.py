# SPDX-License-Identifier: Apache-2.0
"""The house rules that ruff cannot say, each a function from one file to what is wrong with it.

`tests/docs/test_house.py` applies them to every file of the repository, and plants one violation of
each to see that it is found.
"""

import ast
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

LICENSE_LINE = "SPDX-License-Identifier: Apache-2.0"
LICENSED_SUFFIXES = frozenset({".py", ".sql", ".sh", ".yml", ".yaml", ".conf", ".mako"})
LICENSED_NAMES = frozenset({"Makefile", "Dockerfile"})
# A name that fits everything collects everything.
DRAWERS = frozenset({"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"})
# Where this checkout lies: a path of the machine, which is nobody else's business.
CHECKOUT = Path(__file__).resolve().parents[2]
LOCKED = re.compile(r"(?:^|/)(?:requirements[^/]*|[^/]*\.lock|pip\.conf|\.npmrc|uv\.toml)$")
INDEX = re.compile(r"://|--(?:extra-)?index-url|--find-links|^registry\s*=")
# The composition root is the last that may catch everything: it makes an answer of it.
MAY_CATCH_EVERYTHING = "app/main.py"
MAY_COMMIT = "app/storage/"


def license_line(name: str, text: str) -> Iterator[str]:
    """Each file of code names its license in its first two lines."""
    path = Path(name)
    concerned = path.suffix in LICENSED_SUFFIXES or path.name in LICENSED_NAMES
    if concerned and LICENSE_LINE not in "\n".join(text.splitlines()[:2]):
        yield "no SPDX line at the top"


def module_docstring(name: str, text: str) -> Iterator[str]:
    """Each module says what it decides."""
    if name.endswith(".py") and not ast.get_docstring(ast.parse(text)):
        yield "no module docstring"


def named_for_one_subject(name: str, _text: str) -> Iterator[str]:
    """No module is a drawer."""
    if name.endswith(".py") and DRAWERS & {Path(name).stem, *Path(name).parent.parts}:
        yield "a name that fits everything: name it for its one subject"


def catches_no_everything(name: str, text: str) -> Iterator[str]:
    """An error that nobody named is a bug and must surface."""
    if not _is_of_the_service(name) or name == MAY_CATCH_EVERYTHING:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ExceptHandler) and _catches_everything(node):
            yield f"line {node.lineno}: catches everything"


def commits_in_storage_only(name: str, text: str) -> Iterator[str]:
    """A statement becomes durable in one place."""
    if not _is_of_the_service(name) or name.startswith(MAY_COMMIT):
        return
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "commit"
        ):
            yield f"line {node.lineno}: commit() outside app/storage"


def names_no_machine(_name: str, text: str) -> Iterator[str]:
    """No file says where the checkout lay when it was written."""
    for number, line in enumerate(text.splitlines(), start=1):
        if f"{CHECKOUT}/" in line:
            yield f"line {number}: a path of this machine"


def locks_name_no_index(name: str, text: str) -> Iterator[str]:
    """Locked files give hashes; where packages come from is each machine's own setting."""
    if not LOCKED.search(name):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if INDEX.search(line):
            yield f"line {number}: the address of a package index"


RULES: tuple[Callable[[str, str], Iterator[str]], ...] = (
    license_line,
    module_docstring,
    named_for_one_subject,
    catches_no_everything,
    commits_in_storage_only,
    names_no_machine,
    locks_name_no_index,
)


def findings(name: str, text: str) -> list[str]:
    """Return everything that is wrong with one file, by the project's own path of it."""
    return [f"{name}: {finding}" for rule in RULES for finding in rule(name, text)]


def tracked_files(project: Path) -> list[Path]:
    """Return the files git tracks or would, or every file where this is not a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode != 0:
        hidden = {".venv", "var", "__pycache__"}
        return [
            path
            for path in project.rglob("*")
            if path.is_file() and not hidden & set(path.relative_to(project).parts)
        ]
    names = sorted({name for name in listed.stdout.split("\0") if name})
    return [project / name for name in names if (project / name).is_file()]


def _is_of_the_service(name: str) -> bool:
    return name.startswith("app/") and name.endswith(".py")


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    named = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(
        one is None or (isinstance(one, ast.Name) and one.id in {"Exception", "BaseException"})
        for one in named
    )
