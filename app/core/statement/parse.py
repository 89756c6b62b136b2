# SPDX-License-Identifier: Apache-2.0
"""Bytes become a typed statement, capture or document here and nowhere else.

What is accepted is decided by one typed decode whose re-encode must give the same bytes again: that
checks strict JSON, shape and canonical form at once. Only what this refuses is read a second time,
slowly, to say why: as strict JSON (400), as canonical form, and against the JSON Schema of its kind
(422). The two readings accept the same documents; a differential test holds them together.

The verified bytes are the parsed bytes: callers verify a signature over ``payload`` and hand over
that same object.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn, TypeVar

import msgspec

from app.core.canonical import JsonValue, canonical, parse_canonical, parse_strict
from app.core.digest import sha256_hex
from app.core.errors import Finding, SchemaViolation
from app.core.statement.capture import CAPTURE_SHAPES, Capture
from app.core.statement.capture_findings import capture_findings
from app.core.statement.checks import findings_of
from app.core.statement.encoding import encode
from app.core.statement.header import (
    PREDICATE_PREFIX,
    HeadSubject,
    LedgerRef,
    Shape,
    Statement,
    ThingSubject,
)
from app.core.statement.kinds import SHAPES, Predicate
from app.core.statement.pilot import Pilot
from app.core.statement.place import PlaceSubject
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.schema import CAPTURES, DOCUMENTS
from app.core.statement.verdict import VerdictDocument
from app.core.statement.violations import violations

__all__ = [
    "UNKNOWN_CODES",
    "Parsed",
    "encode",
    "parse_capture",
    "parse_document",
    "parse_statement",
    "parse_verdict_document",
]

UNKNOWN_CODES: Final = frozenset({"unknown-kind", "unknown-document", "unknown-capture"})
"""Codes of documents that another version of this reader may know."""

T = TypeVar("T", bound=Shape)


class _Probe(msgspec.Struct, rename={"predicate_type": "predicateType"}):
    """Just enough of a statement to choose its decoder."""

    predicate_type: str


_PROBE: Final = msgspec.json.Decoder(_Probe)
_DECODERS: Final[dict[str, msgspec.json.Decoder[Any]]] = {
    kind: msgspec.json.Decoder(shape) for kind, shape in SHAPES.items()
}
_CAPTURES: Final[dict[str, msgspec.json.Decoder[Any]]] = {
    schema: msgspec.json.Decoder(shape) for schema, shape in CAPTURE_SHAPES.items()
}
_PROTOCOL_DOCUMENT: Final = msgspec.json.Decoder(ProtocolDocument)
_PILOT: Final = msgspec.json.Decoder(Pilot)
_VERDICT_DOCUMENT: Final = msgspec.json.Decoder(VerdictDocument)


class Parsed(msgspec.Struct, frozen=True, gc=False):
    """A statement that has its kind's shape, with the bytes it was read from.

    Attributes:
        kind: one of the closed list.
        digest: SHA-256 of ``payload``: the statement's identity.
        payload: the bytes that were signed.
        statement: what they say.
    """

    kind: str
    digest: str
    payload: bytes
    statement: Statement[Any, Any, Any]

    @property
    def predicate(self) -> Predicate:
        """What the kind says."""
        predicate: Predicate = self.statement.predicate
        return predicate

    @property
    def subject(self) -> HeadSubject | ThingSubject | PlaceSubject:
        """The one subject."""
        subject: HeadSubject | ThingSubject | PlaceSubject = self.statement.subject[0]
        return subject

    @property
    def signer(self) -> str:
        """Id of the key whose signature decides who spoke."""
        return self.predicate.signer

    @property
    def audience(self) -> LedgerRef:
        """The ledger it was made for."""
        return self.predicate.ledger


def parse_statement(payload: bytes, *, expect: str | None = None) -> Parsed:
    """Read a statement.

    Args:
        payload: the bytes that were, or will be, verified.
        expect: the kind that the caller takes; None: any.

    Raises:
        MalformedDocument: not strict JSON.
        NotCanonical: not in JCS form.
        SchemaViolation: not of its kind's shape; ``unknown-kind``, ``unknown-document``,
            ``unknown-capture`` for what another version may know; ``wrong-kind``.
    """
    kind = _kind_of(payload)
    statement = None if kind is None else _decoded(payload, _DECODERS[kind])
    if kind is None or statement is None:
        _explain(payload)
    if expect not in {None, kind}:
        _refuse("/predicateType", "wrong-kind", f"Expected a statement of kind {expect}.")
    findings = findings_of(statement)
    if findings:
        code = next((f.rule for f in findings if f.rule in UNKNOWN_CODES), None)
        raise SchemaViolation(_summary(kind), code=code, findings=findings)
    return Parsed(kind, sha256_hex(payload), payload, statement)


def parse_capture(data: bytes, *, schema: str | None = None) -> Capture:
    """Read the canonical bytes of a capture.

    Args:
        data: the bytes.
        schema: the one that the receipt names, which must be the capture's own; None: any.

    Raises:
        MalformedDocument: not strict JSON.
        NotCanonical: not in JCS form.
        SchemaViolation: not of the shape it names; ``unknown-capture``: another kind or version;
            ``capture-schema``: not the one that the receipt names.
    """
    offered = _CAPTURES if schema is None else {schema: _CAPTURES[schema]}
    decoded = (_decoded(data, decoder) for decoder in offered.values())
    capture: Capture | None = next((each for each in decoded if each is not None), None)
    if capture is None:
        _explain_capture(data, schema)
    findings = capture_findings(capture)
    if findings:
        raise SchemaViolation(_summary("capture"), findings=findings)
    return capture


def parse_document(data: bytes) -> ProtocolDocument:
    """Read a protocol document in any spelling; its identity is that of its JCS bytes.

    Raises:
        MalformedDocument: not strict JSON.
        SchemaViolation: not of the shape; ``unknown-document``: another version.
    """
    value = parse_strict(data)
    document = _decoded(canonical(value), _PROTOCOL_DOCUMENT)
    if document is not None:
        return document
    findings = _document_findings("protocol-document", value, at="")
    raise SchemaViolation(_summary("protocol document"), findings=findings or _UNEXPLAINED)


def parse_pilot(data: bytes) -> Pilot:
    """Read a pilot in any spelling.

    Raises:
        MalformedDocument: not strict JSON.
        SchemaViolation: not of the shape; ``unknown-document``: another version.
    """
    value = parse_strict(data)
    pilot = _decoded(canonical(value), _PILOT)
    if pilot is not None:
        return pilot
    raise SchemaViolation(
        _summary("pilot"), findings=_document_findings("pilot", value, at="") or _UNEXPLAINED
    )


def parse_verdict_document(data: bytes) -> VerdictDocument:
    """Read the canonical bytes of a verdict document.

    Raises:
        MalformedDocument: not strict JSON.
        NotCanonical: not in JCS form.
        SchemaViolation: not of the shape; ``unknown-document``: another version.
    """
    document = _decoded(data, _VERDICT_DOCUMENT)
    if document is not None:
        return document
    findings = _document_findings("verdict-document", parse_canonical(data), at="")
    raise SchemaViolation(_summary("verdict document"), findings=findings or _UNEXPLAINED)


def _decoded(data: bytes, decoder: msgspec.json.Decoder[T]) -> T | None:
    """Return what ``data`` says if it is the canonical spelling of the decoder's shape."""
    try:
        value = decoder.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    return value if encode(value) == data else None


def _kind_of(payload: bytes) -> str | None:
    """Return the kind a statement names, if it is one of version 1 of the closed list."""
    try:
        named = _PROBE.decode(payload).predicate_type
    except (msgspec.MsgspecError, RecursionError):
        return None
    return _kind_named(named)


def _kind_named(predicate_type: str) -> str | None:
    kind = predicate_type.removeprefix(PREDICATE_PREFIX).removesuffix(":v1")
    whole = f"{PREDICATE_PREFIX}{kind}:v1" == predicate_type
    return kind if whole and kind in SHAPES else None


def _explain(payload: bytes) -> NoReturn:
    """Say why a statement was not accepted."""
    value = parse_canonical(payload)
    named = value.get("predicateType") if isinstance(value, dict) else None
    expected = f"Expected {PREDICATE_PREFIX}<kind>:v1 with a kind of {', '.join(SHAPES)}."
    if not isinstance(named, str):
        raise SchemaViolation(expected, findings=(Finding("/predicateType", "type", expected),))
    kind = _kind_named(named)
    if kind is None:
        _refuse("/predicateType", "unknown-kind", expected)
    findings = violations(kind, value)
    if not findings and kind in DOCUMENTS:
        document: Any = value
        place = "/predicate/document"
        findings = _document_findings(DOCUMENTS[kind], document["predicate"]["document"], at=place)
    raise SchemaViolation(_summary(kind), findings=findings or _UNEXPLAINED)


def _explain_capture(data: bytes, schema: str | None) -> NoReturn:
    """Say why a capture was not accepted."""
    value = parse_canonical(data)
    named = value.get("schema") if isinstance(value, dict) else None
    if isinstance(named, str) and named not in CAPTURES:
        _refuse("/schema", "unknown-capture", f"This version reads {', '.join(CAPTURES)}.")
    if isinstance(named, str) and schema not in {None, named}:
        _refuse("/schema", "capture-schema", "Expected the schema that the receipt names.")
    name = CAPTURES[named if isinstance(named, str) else schema or next(iter(CAPTURES))]
    raise SchemaViolation(_summary("capture"), findings=violations(name, value) or _UNEXPLAINED)


def _document_findings(name: str, document: JsonValue, *, at: str) -> tuple[Finding, ...]:
    named = document.get("schema") if isinstance(document, dict) else None
    if isinstance(named, str) and named != f"urn:fairtrial:{name}:v1":
        detail = f"This version reads urn:fairtrial:{name}:v1."
        _refuse(f"{at}/schema", "unknown-document", detail)
    return violations(name, document, at=at)


def _summary(what: str) -> str:
    return f"The {what} has not the shape its schema demands; the findings say where."


_UNEXPLAINED: Final = (Finding("", "shape", "Expected the shape of its schema."),)


def _refuse(pointer: str, code: str, detail: str) -> NoReturn:
    raise SchemaViolation(detail, code=code, findings=(Finding(pointer, code, detail),))
