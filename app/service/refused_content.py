# SPDX-License-Identifier: Apache-2.0
"""Content that was refused, and the slot it may have been meant for.

The record of a refusal must not become the way by which refused content is published. It holds
codes, and a pointer made of member names that the schemas themselves use; the digest of what was
refused only where the sanitizer finds nothing in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

from app.core.canonical import JsonValue, parse_strict
from app.core.digest import sha256_hex
from app.core.errors import FairtrialError, NotSanitized, SchemaViolation
from app.core.statement.kinds import predicate_type
from app.core.statement.sanitize import refuse_unsanitary
from app.core.statement.schema import CAPTURES, schema_of

_HEAD_NAME: Final = "git+https://"
_TOKEN: Final = re.compile(r"/([^/]*)")
_UPPER: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MAX_TOKENS: Final = 16

_Checked = TypeVar("_Checked")


@dataclass(frozen=True, slots=True)
class SlotClaim:
    """A slot as a refused receipt names it; nothing of it is believed yet."""

    signers: frozenset[str]
    signer: str
    repository: str
    head: str
    study: str
    reservation: str
    slot: str
    attempt: int
    challenge: str


@dataclass(frozen=True, slots=True)
class Refused:
    """What a refusal may say.

    Attributes:
        content: SHA-256 of what was refused; None where it must not even be guessed at.
    """

    claim: SlotClaim
    code: str
    rule: str
    pointer: str
    content: str | None


class ContentRefused(Exception):
    """Content was refused, perhaps for a slot that its sender holds.

    Attributes:
        error: what the sender is told.
        refused: what the log may be told.
    """

    def __init__(self, error: FairtrialError, refused: Refused) -> None:
        super().__init__(error.detail)
        self.error = error
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Content:
    """A statement or a capture while it is checked.

    Attributes:
        statement: payload of the receipt it belongs to.
        data: the bytes that are checked.
        signers: keys that signed the payload.
    """

    statement: bytes
    data: bytes
    signers: frozenset[str]

    def checked(self, check: Callable[[bytes], _Checked]) -> _Checked:
        """Return what ``check`` makes of the data.

        Raises:
            FairtrialError: it refuses.
            ContentRefused: schema or sanitizer refuse, and a receipt names the slot.
        """
        try:
            return check(self.data)
        except (SchemaViolation, NotSanitized) as error:
            claim = claim_of(self.statement, self.signers)
            if claim is None:
                raise
            raise ContentRefused(error, _refused(claim, error, self.data)) from error


def claim_of(payload: bytes, signers: frozenset[str]) -> SlotClaim | None:
    """Return the slot that ``payload`` names, read leniently: it may be the refused content."""
    try:
        statement = parse_strict(payload)
    except FairtrialError:
        return None
    if _text(statement, "predicateType") != predicate_type("receipt"):
        return None
    subject, predicate = _at(statement, "subject", 0), _at(statement, "predicate")
    attempt = _at(predicate, "attempt")
    claim = SlotClaim(
        signers=signers,
        signer=_text(predicate, "signer"),
        repository=_text(subject, "name").removeprefix(_HEAD_NAME),
        head=_text(subject, "digest", "gitCommit"),
        study=_text(predicate, "study"),
        reservation=_text(predicate, "reservation"),
        slot=_text(predicate, "slot"),
        attempt=attempt if isinstance(attempt, int) else 0,
        challenge=_text(predicate, "challenge"),
    )
    return claim if claim.signer in signers else None


def _refused(claim: SlotClaim, error: FairtrialError, data: bytes) -> Refused:
    finding = error.findings[0] if error.findings else None
    content = None if _is_unsanitary(data) else sha256_hex(data)
    return Refused(
        claim=claim,
        code=error.code,
        rule=_slug(finding.rule if finding else error.code),
        pointer=_published_pointer(finding.pointer if finding else ""),
        content=content,
    )


def _is_unsanitary(data: bytes) -> bool:
    try:
        refuse_unsanitary(data)
    except FairtrialError:
        return True
    return False


def _slug(rule: str) -> str:
    """Write a schema keyword (``maxItems``) the way the ledger writes names."""
    name = _UPPER.sub("-", rule).lower()
    return name if _SLUG.fullmatch(name) else "shape"


def _published_pointer(pointer: str) -> str:
    """Cut a pointer before the first name that is not of our own making."""
    kept: list[str] = []
    for token in _TOKEN.findall(pointer)[:_MAX_TOKENS]:
        if not (token.isdecimal() and token.isascii()) and token not in _member_names():
            break
        kept.append(f"/{token}")
    return "".join(kept)


@cache
def _member_names() -> frozenset[str]:
    schemas = map(schema_of, ("receipt", *CAPTURES.values()))
    return frozenset(name for schema in schemas for name in _properties(schema))


def _properties(schema: object) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from schema.get("properties", {})
        for value in schema.values():
            yield from _properties(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _properties(value)


def _at(value: JsonValue, *path: str | int) -> JsonValue:
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and len(value) > step:
            value = value[step]
        else:
            return None
    return value


def _text(value: JsonValue, *path: str | int) -> str:
    found = _at(value, *path)
    return found if isinstance(found, str) else ""
