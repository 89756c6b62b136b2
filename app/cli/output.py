# SPDX-License-Identifier: Apache-2.0
"""The two streams: results go to stdout, everything else to stderr.

With ``--json`` stdout holds exactly one JSON document, whatever happened: the result, or the
problem. Without it, results are lines for people.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence

from app.core.canonical import canonical
from app.core.errors import FairtrialError
from app.runner.failures import Document

JSON_FLAG = "--json"


def say(line: str) -> None:
    """Tell a person how it goes."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def put(data: bytes) -> None:
    """Write a result, byte for byte; a terminal gets the newline that a file must not."""
    sys.stdout.buffer.write(data)
    if sys.stdout.isatty() and not data.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.buffer.flush()


def emit(result: Mapping[str, object], lines: Iterable[str], *, as_json: bool) -> None:
    """Write a result as one JSON document or as lines."""
    text = canonical(result) if as_json else "\n".join(lines).encode()
    sys.stdout.buffer.write(text + b"\n")
    sys.stdout.buffer.flush()


def problem_document(status: int, code: str, title: str, detail: str) -> Document:
    """Return a problem of this side, in the form that the service's have."""
    return {
        "type": f"/problems/{code}",
        "title": title,
        "status": status,
        "detail": detail,
        "code": code,
        "errors": [],
    }


def document_of(error: FairtrialError) -> Document:
    """Return the problem document of an error of the core."""
    # Only a failure needs the table of statuses, and the web framework behind it.
    from app.edge.problems import problem_of

    problem = problem_of(error)
    document = problem_document(problem.status, problem.code, problem.title, problem.detail)
    document["errors"] = [
        {"pointer": one.pointer, "rule": one.rule, "detail": one.detail} for one in problem.findings
    ]
    return document


def fail(problem: Document, *, as_json: bool) -> None:
    """Tell what went wrong: to a person always, on stdout where a program asked for JSON."""
    say(f"fairtrial: {problem.get('title')}: {problem.get('detail')} [{problem.get('code')}]")
    found = problem.get("errors")
    for one in found if isinstance(found, list) else []:
        if isinstance(one, dict):
            say(f"  {one.get('pointer') or '/'} ({one.get('rule')}): {one.get('detail')}")
    if as_json:
        emit(problem, (), as_json=True)


def wants_json(arguments: Sequence[str]) -> bool:
    """Tell whether JSON was asked for, also where the arguments could not be read."""
    return JSON_FLAG in arguments
