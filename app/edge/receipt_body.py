# SPDX-License-Identifier: Apache-2.0
"""Cut a receipt's request body into its envelope and its capture, before anybody is authenticated.

The body is ``{"envelope": {...}, "capture": "<base64 of zstd>"}`` of up to 16 MiB, nearly all of it
one string. The strict reader builds every value as a Python object, which for a hostile 16 MiB is
seconds of work; so a typed decoder finds the two members without building anything, and the strict
reader is shown the body with the capture's text taken out, which must be no larger than any other
statement's. What it refuses (duplicate members, NaN, depth) is refused here as everywhere. An
envelope in its canonical form is taken out too: there is nothing in it that could be refused.

The capture is decoded from base64 and not inflated: that waits for the signature.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from app.core.canonical import parse_strict
from app.core.digest import from_base64
from app.core.errors import Finding, MalformedDocument, SchemaViolation, TooLarge
from app.core.signing.envelope import is_canonical
from app.edge.limits import MAX_ENVELOPE_BYTES


class _Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    envelope: msgspec.Raw
    capture: msgspec.Raw


_DECODER = msgspec.json.Decoder(_Body)


@dataclass(frozen=True, slots=True)
class ReceiptBody:
    """The two parts.

    Attributes:
        envelope: the envelope's JSON text as received.
        capture: the zstd frame as received.
    """

    envelope: bytes
    capture: bytes


def split_receipt(body: bytes) -> ReceiptBody:
    """Return the parts of ``body``.

    Raises:
        MalformedDocument: not strict JSON, or the capture is not in canonical base64.
        SchemaViolation: not exactly the two members.
        TooLarge: more than an envelope stands beside the capture.
    """
    try:
        parts = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        _explain(body)
        raise _shape() from error
    envelope, literal = bytes(parts.envelope), bytes(parts.capture)
    if not (envelope.startswith(b"{") and literal.startswith(b'"')):
        _explain(body)
        raise _shape()
    _refuse_size(len(body) - len(literal))
    if not _is_plain(body, envelope, literal):
        _explain_around(body, envelope, literal)
    try:
        # No character of base64 needs an escape, so the text stands between its quotes as it is.
        capture = from_base64(literal[1:-1].decode())
    except (MalformedDocument, UnicodeDecodeError) as error:
        raise _not_base64() from error
    return ReceiptBody(envelope, capture)


def _is_plain(body: bytes, envelope: bytes, literal: bytes) -> bool:
    """Tell whether nothing stands around the two parts that could be refused or read otherwise."""
    forms = (
        b'{"capture":%b,"envelope":%b}' % (literal, envelope),
        b'{"envelope":%b,"capture":%b}' % (envelope, literal),
    )
    return body in forms and is_canonical(envelope)


def _explain_around(body: bytes, envelope: bytes, literal: bytes) -> None:
    # What is taken out is a member's text, or the same text in another place; then its own is left.
    rest = body.replace(literal, b'""', 1)
    _explain(rest.replace(envelope, b"{}", 1) if is_canonical(envelope) else rest)


def _explain(text: bytes) -> None:
    """Show ``text`` to the strict reader, which raises at what makes it ambiguous."""
    _refuse_size(len(text))
    parse_strict(text)


def _refuse_size(n_bytes: int) -> None:
    if n_bytes > MAX_ENVELOPE_BYTES:
        message = f"Expected at most {MAX_ENVELOPE_BYTES} bytes beside the text of the capture."
        raise TooLarge(message)


def _not_base64() -> MalformedDocument:
    detail = "Expected standard base64 with canonical padding, and no escapes in its text."
    return MalformedDocument(detail, code="base64", pointer="/capture")


def _shape() -> SchemaViolation:
    detail = "Expected an object of exactly envelope (an object) and capture (a string)."
    return SchemaViolation(detail, findings=(Finding("", "properties", detail),))
