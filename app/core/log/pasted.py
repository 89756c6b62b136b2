# SPDX-License-Identifier: Apache-2.0
"""Checkpoints in what somebody pasted: quoted, indented, wrapped, with other text around them.

Being generous costs nothing here. Whatever is put together again is a note that its log has signed,
byte for byte, or it is dropped by whoever verifies it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from app.core.errors import MalformedDocument
from app.core.log.note import Note, parse_note

MAX_PASTED_BYTES: Final = 1 << 20
"""Longest text searched."""

_QUOTES: Final = re.compile(r"^[\s>|*]+")
_SIGNATURE: Final = re.compile(r"^(?:\u2014|\u2013|--?)\s+(\S+)\s+([A-Za-z0-9+/=]+)$")
_BASE64: Final = re.compile(r"^[A-Za-z0-9+/]+={0,2}$")
_SIZE: Final = re.compile(r"^(?:0|[1-9][0-9]{0,18})$")
_ROOT_CHARACTERS: Final = 44


def pasted_checkpoints(data: bytes, *, origin: str) -> tuple[Note, ...]:
    """Return the notes in ``data`` that look like checkpoints of ``origin``; none is verified.

    Raises:
        MalformedDocument: ``pasted``, longer than is read, or no text.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise MalformedDocument(
            "Expected UTF-8 text.", code="pasted", offset=error.start
        ) from error
    if len(data) > MAX_PASTED_BYTES:
        message = f"Expected at most {MAX_PASTED_BYTES} bytes of pasted lines."
        raise MalformedDocument(message, code="pasted")
    lines = [_QUOTES.sub("", line.replace("\u00a0", " ")).strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    starts = [number for number, line in enumerate(lines) if line == origin]
    found = (_note(origin, lines[start + 1 :]) for start in starts)
    return tuple(note for note in found if note is not None)


def _note(origin: str, lines: Sequence[str]) -> Note | None:
    """Put a note together from the lines behind its origin."""
    if not lines or not _SIZE.match(lines[0]):
        return None
    root, used = _joined(lines[1:], _ROOT_CHARACTERS)
    signatures = list(_signatures(lines[1 + used :]))
    if len(root) != _ROOT_CHARACTERS or not signatures:
        return None
    text = "\n".join((origin, lines[0], root, "", *signatures, ""))
    try:
        return parse_note(text.encode())
    except MalformedDocument:
        return None


def _joined(lines: Sequence[str], length: int) -> tuple[str, int]:
    """Join wrapped base64 until it has ``length`` characters; return it and the lines it took."""
    joined = ""
    for used, line in enumerate(lines):
        if len(joined) >= length or not _BASE64.match(line):
            return joined, used
        joined += line
    return joined, len(lines)


def _signatures(lines: Sequence[str]) -> Iterator[str]:
    """Yield signature lines, each with the wrapped rest of its base64."""
    open_line = ""
    for line in lines:
        begun = _SIGNATURE.match(line)
        if begun is not None:
            if open_line:
                yield open_line
            open_line = f"\u2014 {begun[1]} {begun[2]}"
        elif open_line and _BASE64.match(line):
            open_line += line
        else:
            break
    if open_line:
        yield open_line
