# SPDX-License-Identifier: Apache-2.0
"""What a check finds wrong with a statement's members, each with its JSON pointer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from app.core.digest import sha256_hex
from app.core.errors import Finding, SchemaViolation
from app.core.identity import micros_of
from app.core.statement.header import HeadSubject, ThingSubject, head_name

Thing: TypeAlias = tuple[str, str]
"""A subject that is no head, as (name, SHA-256)."""


def finding(place: str, rule: str, expected: str) -> Finding:
    """Return what is expected at ``place``, a pointer or a path below the predicate."""
    absolute = place if place.startswith("/") else f"/predicate/{place}".rstrip("/")
    return Finding(absolute, rule, f"Expected {expected}.")


def distinct(place: str, names: Iterable[str]) -> Iterator[Finding]:
    """Find the first name that stands twice."""
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            yield finding(f"{place}/{i}" if place else "", "distinct", "each one once")
            return
        seen.add(name)


def instant(place: str, text: str) -> Iterator[Finding]:
    """Find a day or time that does not exist."""
    try:
        micros_of(text)
    except SchemaViolation:
        yield finding(place, "instant", "a day and a time that exist")


def repository_subject(repository: str) -> Thing:
    """Return the subject of what is about a whole repository: its name and the digest of it."""
    return repository, sha256_hex(repository.encode())


def is_thing(subject: ThingSubject, thing: Thing) -> Iterator[Finding]:
    """Find a subject that is not ``thing``."""
    name, digest = thing
    if subject.name != name:
        yield finding("/subject/0/name", "subject", "the name of what the predicate is about")
    if subject.digest.sha256 != digest:
        yield finding("/subject/0/digest/sha256", "subject", "the digest of what it is about")


def is_head(subject: HeadSubject, repository: str, commit: str) -> Iterator[Finding]:
    """Find a subject that is not this head."""
    if subject.name != head_name(repository):
        yield finding("/subject/0/name", "subject", "git+https:// and the predicate's repository")
    if subject.digest.gitCommit != commit:
        yield finding("/subject/0/digest/gitCommit", "subject", "the predicate's head")
