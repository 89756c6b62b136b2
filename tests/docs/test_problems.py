# SPDX-License-Identifier: Apache-2.0
"""Each error class and each code: mapped to a status, documented, and answered as documented."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.core import errors
from app.core.errors import FairtrialError, Finding
from app.edge.problems import STATUS, TITLES, problem_of
from tests.api.fake_ledger import FakeLedger, app_around

PROJECT = Path(__file__).resolve().parents[2]
PAGE = (PROJECT / "docs" / "problems.md").read_text(encoding="utf-8")
CLASSES = sorted(
    (
        one
        for _, one in inspect.getmembers(errors, inspect.isclass)
        if issubclass(one, FairtrialError)
    ),
    key=lambda one: one.__name__,
)
SERVED = ("core", "service", "edge", "web", "importers")


def made(error: type[FairtrialError]) -> FairtrialError:
    if error is errors.MalformedDocument:
        return errors.MalformedDocument("seen, expected, do", pointer="/a/0")
    return error("seen, expected, do", findings=(Finding("/a/0", "rule", "expected"),))


@pytest.mark.parametrize("error", CLASSES)
def test_each_error_class_has_a_row_of_its_own(error: type[FairtrialError]) -> None:
    assert error in STATUS
    assert error in TITLES


@pytest.mark.parametrize("error", CLASSES)
def test_each_error_class_is_documented_with_its_status(error: type[FairtrialError]) -> None:
    assert re.search(rf"^\| `{error.__name__}` \| {STATUS[error]} \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("error", CLASSES)
async def test_each_error_class_is_answered_as_documented(error: type[FairtrialError]) -> None:
    fake = FakeLedger()
    fake.error = made(error)
    transport = httpx.ASGITransport(app=app_around(fake))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        answer = await client.post("/v1/keys", json={})
    assert answer.status_code == STATUS[error]
    assert answer.headers["content-type"] == "application/problem+json"
    document = answer.json()
    assert document["type"] == f"/problems/{error.default_code}"
    assert document["status"] == STATUS[error]
    assert document["title"] == TITLES[error]
    assert document["detail"] == "seen, expected, do"
    assert [one["pointer"] for one in document["errors"]] == ["/a/0"]
    assert ("retry-after" in answer.headers) == (answer.status_code in {429, 503})
    assert ("www-authenticate" in answer.headers) == (answer.status_code == 401)


def test_class_without_a_row_takes_its_nearest_parents() -> None:
    class Narrower(errors.NotSanitized):
        default_code = "narrower"

    assert problem_of(Narrower("no")).status == 422
    assert problem_of(Narrower("no")).title == TITLES[errors.NotSanitized]


def _constant(named: ast.expr | None, path: Path) -> Iterator[tuple[str, str]]:
    if isinstance(named, ast.Constant) and isinstance(named.value, str):
        yield named.value, str(path.relative_to(PROJECT))


def _codes() -> Iterator[tuple[str, str]]:
    for folder in SERVED:
        for path in sorted((PROJECT / "app" / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                yield from _constant(_named_by(node), path)


def _named_by(node: ast.AST) -> ast.expr | None:
    """Return the expression that stands where a node gives a problem its code."""
    match node:
        case ast.keyword(arg="code", value=named):
            return named
        case ast.AnnAssign(target=ast.Name(id="default_code"), value=named):
            return named
        case ast.Assign(targets=[ast.Name(id="default_code")], value=named):
            return named
        case ast.Call(func=ast.Name(id="RequestRefused"), args=[_, named, *_]):
            return named
        case ast.Call(func=ast.Name(id="refuse"), args=[named, _, _]):
            return named
        case ast.Call(func=ast.Name(id="_refuse"), args=[named, _]):
            return named
        case ast.Call(func=ast.Attribute(attr="_refuse"), args=[_, named, _]):
            return named
        case _:
            return None


def test_each_code_that_can_be_served_is_documented() -> None:
    documented = set(re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.MULTILINE))
    missing = {code: place for code, place in _codes() if code not in documented}
    assert not missing


def test_no_code_is_documented_that_nothing_raises() -> None:
    source = "\n".join(
        path.read_text(encoding="utf-8")
        for folder in SERVED
        for path in (PROJECT / "app" / folder).rglob("*.py")
    )
    documented = re.findall(r"^\| `([a-z0-9-]+)` \|", PAGE, re.MULTILINE)
    from_framework = {"not-found", "method-not-allowed"}
    stale = [
        code
        for code in documented
        if f'"{code}"' not in source
        and f'"{code.removeprefix("unknown-")}"' not in source
        and code not in from_framework
    ]
    assert not stale
    assert len(documented) == len(set(documented))
