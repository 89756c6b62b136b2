# SPDX-License-Identifier: Apache-2.0
"""A signed draft as a block of text that survives a thread: quoted, wrapped again, and pasted back.

Between two marker lines stands the base64 of the compressed envelope, in groups of 32 characters,
each followed by 4 of check. White space and the ``>`` of a quotation are no part of it, wherever
they fall, so that a reader may find any line breaks; what was changed, lost or doubled shows in the
first group that does not fit its check, and is named by its line. The checks find accidents;
whether anybody meant a change is for the signatures to say.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Final, NamedTuple

from app.core.canonical import canonical, parse_strict
from app.core.digest import from_base64, sha256, to_base64
from app.core.errors import MalformedDocument
from app.core.signing.envelope import PAYLOAD_TYPE, Envelope, parse_envelope

BEGIN: Final = "-----BEGIN FAIRTRIAL KEY REQUEST-----"
END: Final = "-----END FAIRTRIAL KEY REQUEST-----"
GROUP: Final = 32
CHECK: Final = 4
MAX_BYTES: Final = 256 * 1024
"""What an envelope may have, which is what the ledger takes."""

_LEFT_OUT: Final = frozenset(">\u00a0\u200b\ufeff")
"""Beside white space: marks of a quotation, and what mail and forges put between words."""


class _Seen(NamedTuple):
    """Text without what is left out, and the line that each character stood on."""

    text: str
    lines: list[int]


def armoured(envelope: Envelope) -> str:
    """Return the block, its last line without a newline."""
    whole = canonical({"payload": envelope.payload.decode(), "signatures": _signatures(envelope)})
    text = to_base64(zlib.compress(whole, 9))
    groups = [text[i : i + GROUP] for i in range(0, len(text), GROUP)]
    checked = [group + _check(number, group) for number, group in enumerate(groups)]
    lines = [" ".join(checked[i : i + 2]) for i in range(0, len(checked), 2)]
    return "\n".join([BEGIN, *lines, END])


def read_armoured(text: str) -> Envelope:
    """Read a block out of any text around it; nothing in it is verified yet.

    Raises:
        MalformedDocument: ``armour``, there is no block, or one that was changed, and where; or
            what ``parse_envelope`` refuses.
    """
    seen = _seen(text)
    begin, end = BEGIN.replace(" ", ""), END.replace(" ", "")
    start = seen.text.find(begin)
    stop = seen.text.find(end, start)
    if start < 0 or stop < 0:
        detail = f"Expected a block between {BEGIN} and {END}; one of the two lines is not there."
        raise MalformedDocument(detail, code="armour")
    body = _Seen(seen.text[start + len(begin) : stop], seen.lines[start + len(begin) : stop + 1])
    return _envelope(_inflated("".join(_groups(body))))


def _seen(text: str) -> _Seen:
    kept = [
        (character, number)
        for number, line in enumerate(text.splitlines(), start=1)
        for character in line
        if not character.isspace() and character not in _LEFT_OUT
    ]
    return _Seen("".join(one for one, _ in kept), [number for _, number in kept])


def _groups(body: _Seen) -> Iterator[str]:
    step = GROUP + CHECK
    for number, place in enumerate(range(0, len(body.text), step)):
        whole = body.text[place : place + step]
        group, check = whole[:-CHECK], whole[-CHECK:]
        if check != _check(number, group):
            detail = (
                f"The block was changed in group {number + 1}, on line {body.lines[place]} of what "
                "was read; copy it again."
            )
            raise MalformedDocument(detail, code="armour")
        yield group


def _check(number: int, group: str) -> str:
    return to_base64(sha256(b"%d %b" % (number, group.encode())))[:CHECK]


def _signatures(envelope: Envelope) -> list[dict[str, str]]:
    return [{"keyid": one.keyid, "sig": to_base64(one.sig)} for one in envelope.signatures]


def _inflated(text: str) -> bytes:
    inflate = zlib.decompressobj()
    try:
        whole = inflate.decompress(from_base64(text), MAX_BYTES)
    except (zlib.error, MalformedDocument) as error:
        raise _unreadable() from error
    if not inflate.eof:
        raise _unreadable()
    return whole


def _envelope(whole: bytes) -> Envelope:
    """Return the envelope, read by the core's own reader."""
    document = parse_strict(whole)
    payload = document.get("payload") if isinstance(document, dict) else None
    if not isinstance(document, dict) or not isinstance(payload, str):
        raise _unreadable()
    return parse_envelope(
        canonical(
            {
                "payload": to_base64(payload.encode()),
                "payloadType": PAYLOAD_TYPE,
                "signatures": document.get("signatures"),
            }
        )
    )


def _unreadable() -> MalformedDocument:
    detail = "The block ends too early or holds no request; copy it whole, markers included."
    return MalformedDocument(detail, code="armour")


def read_request(data: bytes) -> Envelope:
    """Read a request as it was pasted: a block, or the envelope's JSON.

    Raises:
        MalformedDocument: neither.
    """
    if data.lstrip().startswith(b"{"):
        return parse_envelope(canonical(parse_strict(data)))
    return read_armoured(data.decode("utf-8", "replace"))
