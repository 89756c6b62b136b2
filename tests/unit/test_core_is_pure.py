# SPDX-License-Identifier: Apache-2.0
"""The core imports an allow-list and opens nothing.

A deny-list alone (import-linter's) lets through what nobody thought of: `secrets`, say, or a
library that arrives next year.
"""

import ast
import sys
from pathlib import Path

import grimp
import pytest

CORE = Path(__file__).resolve().parents[2] / "app" / "core"

ALLOWED = frozenset(
    {
        # The standard library's parts that only compute.
        "__future__",
        "abc",
        "binascii",
        "bisect",
        "collections",
        "dataclasses",
        "datetime",
        "decimal",
        "enum",
        "fractions",
        "functools",
        "hashlib",
        "heapq",
        "hmac",
        "ipaddress",
        "itertools",
        "json",
        "math",
        "operator",
        "re",
        "string",
        "struct",
        "types",
        "typing",
        "unicodedata",
        # Libraries that turn bytes into bytes or values.
        "cryptography",
        "jsonschema",
        "jsonschema_rs",
        "msgspec",
        "nacl",
        "pybase64",
        "re2",
        "rfc8785",
        "zstandard",
    }
)
FORBIDDEN_CALLS = frozenset({"__import__", "breakpoint", "eval", "exec", "input", "open", "print"})


def imports_from_outside(package: str, *, inside: str) -> dict[str, set[str]]:
    """Return what each module of `package` imports from outside `inside`."""
    graph = grimp.build_graph(
        inside.partition(".")[0], include_external_packages=True, cache_dir=None
    )
    modules = {package, *graph.find_descendants(package)}
    return {
        module: {
            found
            for found in graph.find_modules_directly_imported_by(module)
            if found != inside and not found.startswith(f"{inside}.")
        }
        for module in modules
    }


def forbidden_calls(source: str) -> list[str]:
    """Return the built-in functions called by name that a pure module has no use for."""
    return [
        node.func.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in FORBIDDEN_CALLS
    ]


def test_core_imports_nothing_outside_the_allow_list() -> None:
    found = imports_from_outside("app.core", inside="app.core")
    assert found
    impure = {module: sorted(names - ALLOWED) for module, names in found.items() if names - ALLOWED}
    assert not impure


def test_core_opens_prints_and_executes_nothing() -> None:
    found = {path.name: forbidden_calls(path.read_text()) for path in CORE.rglob("*.py")}
    assert not {name: calls for name, calls in found.items() if calls}


def test_import_that_nobody_forbade_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "planted" / "core"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").write_text("import secrets\nfrom planted.edge import x\n")
    (package.parent / "edge.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    found = imports_from_outside("planted.core", inside="planted.core")
    sys.modules.pop("planted", None)
    assert found == {"planted.core": {"secrets", "planted.edge"}}


def test_call_that_opens_a_file_is_found() -> None:
    assert forbidden_calls("def f(path):\n    return open(path)\n") == ["open"]
