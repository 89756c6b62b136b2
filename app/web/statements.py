# SPDX-License-Identifier: Apache-2.0
"""The writes: one route a kind, one pipeline behind all of them; and statements by digest.

A route decides three things and nothing else: which kind it takes, which media types, and how large
a body may be. Whose key it is, what stands in the statement and whether it may enter are asked
behind it, in that order. The same statement again is 200 with the same index; a new one is 201.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

import msgspec
from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import RedirectResponse

from app.core.digest import to_base64
from app.edge.caching import IMMUTABLE, REVALIDATED
from app.edge.deps import (
    FULL_DIGEST,
    Digest,
    LedgerDep,
    StatementName,
    ledger_of,
    only_known_queries,
)
from app.edge.door import Handler
from app.edge.limits import MAX_ENVELOPE_BYTES, MAX_RECEIPT_BYTES, read_body
from app.edge.media import (
    DSSE,
    ENVELOPES,
    JSON,
    RECEIPT,
    TEXT,
    require_media_type,
    wants_text,
)
from app.edge.problems import declared
from app.edge.receipt_body import split_receipt
from app.service.answers import Appended
from app.service.ledger import Ledger
from app.web.log_models import AppendedStatement, StatementProof

router = APIRouter(prefix="/v1", dependencies=[Depends(only_known_queries)])

WRITES: Final = {
    "key": ("/keys", "Register, retire or revoke a key"),
    "policy": ("/policies", "Set a repository's policy"),
    "protocol": ("/protocols", "Lock a protocol"),
    "study": ("/studies", "Open a study for one exact head"),
    "reservation": ("/reservations", "Reserve slots before running them"),
    "deviation": ("/deviations", "Say what did not go as locked, or end a study"),
    "review": ("/reviews", "Say what a look at one exact head showed"),
    "hold": ("/holds", "Place a hold, or clear one"),
    "decision": ("/decisions", "Record a decision beside the computed word"),
    "ref": ("/refs", "Say where a branch, or a pull request's head, stands"),
}
"""Kind -> path and summary; receipts, which carry their capture, have a route of their own."""

_ENVELOPE: Final[dict[str, Any]] = {
    "type": "object",
    "description": "A DSSE v1.0.2 envelope around an in-toto Statement v1 in JCS form.",
    "required": ["payload", "payloadType", "signatures"],
    "properties": {
        "payload": {"type": "string", "contentEncoding": "base64"},
        "payloadType": {"const": "application/vnd.in-toto+json"},
        "signatures": {
            "type": "array",
            "minItems": 1,
            "maxItems": 8,
            "items": {
                "type": "object",
                "required": ["keyid", "sig"],
                "properties": {
                    "keyid": {"type": "string"},
                    "sig": {"type": "string", "contentEncoding": "base64"},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
_RECEIPT: Final[dict[str, Any]] = {
    "type": "object",
    "required": ["envelope", "capture"],
    "properties": {
        "envelope": _ENVELOPE,
        "capture": {
            "type": "string",
            "contentEncoding": "base64",
            "description": "zstd of the capture's JCS bytes",
        },
    },
    "additionalProperties": False,
}
_NEGOTIATED: Final = {**REVALIDATED, "vary": "accept"}
_MOVED: Final[dict[int | str, dict[str, Any]]] = {307: {"description": "To the full digest"}}
_PLACE: Final = {"description": "Where it stands, with proof", "model": AppendedStatement}
_ANSWERS: Final[dict[int | str, dict[str, Any]]] = {
    200: {**_PLACE, "description": "The same statement stood there already; nothing was written"},
    201: _PLACE,
    **declared(401, 403, 409),
}


def _body(schema: dict[str, Any], *media_types: str) -> dict[str, Any]:
    """Return the OpenAPI part for a body that the framework does not read."""
    content = {media_type: {"schema": schema} for media_type in media_types}
    return {"requestBody": {"required": True, "content": content}}


def _write_of(kind: str) -> Handler:
    async def write(request: Request) -> Response:
        require_media_type(request, ENVELOPES)
        envelope = await read_body(request, limit=MAX_ENVELOPE_BYTES)
        ledger = await ledger_of(request)
        return _answer(await ledger.submit(envelope, kind=kind))

    return write


HANDLERS: Final[dict[str, Handler]] = {}
"""Path -> what answers a write there, for ``app.edge.door``."""

for _kind, (_path, _summary) in WRITES.items():
    HANDLERS[f"{router.prefix}{_path}"] = _write = _write_of(_kind)
    router.add_api_route(
        _path,
        _write,
        methods=["POST"],
        status_code=HTTPStatus.CREATED,
        operation_id=f"append_{_kind}",
        summary=_summary,
        responses=_ANSWERS,
        openapi_extra=_body(_ENVELOPE, DSSE, JSON),
    )


@router.post(
    "/receipts",
    status_code=HTTPStatus.CREATED,
    operation_id="append_receipt",
    responses=_ANSWERS,
    openapi_extra=_body(_RECEIPT, RECEIPT),
)
async def append_receipt(request: Request) -> Response:
    """Push what filled a slot, good or bad, with its capture."""
    require_media_type(request, (RECEIPT,))
    parts = split_receipt(await read_body(request, limit=MAX_RECEIPT_BYTES))
    ledger = await ledger_of(request)
    appended = await ledger.submit(parts.envelope, kind="receipt", capture=parts.capture)
    return _answer(appended)


HANDLERS[f"{router.prefix}/receipts"] = append_receipt


@router.get(
    "/statements/{digest}",
    operation_id="get_statement",
    response_class=Response,
    responses={200: {"content": {DSSE: {"schema": _ENVELOPE}}}, **_MOVED, **declared(409)},
)
async def get_statement(digest: StatementName, ledger: LedgerDep) -> Response:
    """Return a statement in the envelope that is stored."""
    if len(digest) < FULL_DIGEST:
        return await _redirect(ledger, digest)
    found = await ledger.statement(digest)
    return Response(found.envelope, media_type=DSSE, headers=IMMUTABLE)


@router.get(
    "/statements/{digest}/proof",
    operation_id="get_proof",
    response_model=StatementProof,
    responses={200: {"content": {TEXT: {}}}, **_MOVED, **declared(409)},
)
async def get_proof(
    request: Request, response: Response, digest: StatementName, ledger: LedgerDep
) -> StatementProof | Response:
    """Return where a statement stands in the newest tree: JSON, or a C2SP tlog-proof text."""
    if len(digest) < FULL_DIGEST:
        return await _redirect(ledger, digest, "/proof")
    found = await ledger.proof(digest)
    if wants_text(request):
        return Response(found.to_text(), media_type=TEXT, headers=_NEGOTIATED)
    response.headers.update(_NEGOTIATED)
    return StatementProof(
        statement=digest,
        index=found.index,
        leaf=to_base64(found.record),
        size=found.size,
        inclusion_proof=[item.hex() for item in found.proof],
        checkpoint=found.checkpoint,
        tlog_proof=found.to_text().decode(),
    )


@router.get(
    "/captures/{digest}",
    operation_id="get_capture",
    response_class=Response,
    responses={200: {"content": {JSON: {}}}, **declared(403)},
)
async def get_capture(digest: Digest, ledger: LedgerDep) -> Response:
    """Return a capture's JCS bytes, once a study that names it is closed."""
    return Response(await ledger.capture(digest), media_type=JSON, headers=IMMUTABLE)


async def _redirect(ledger: Ledger, prefix: str, rest: str = "") -> Response:
    """Return the way to the full digest, relative: no ``Host`` of a request is copied."""
    digest = await ledger.catalog.resolve_statement(prefix)
    place = f"/v1/statements/{digest}{rest}"
    return RedirectResponse(place, status_code=307, headers=REVALIDATED)


def _answer(appended: Appended) -> Response:
    """Return the members of ``AppendedStatement``; a test holds that they are."""
    leaf = appended.leaf
    body = {
        "statement": appended.digest,
        "kind": appended.kind,
        "index": appended.index,
        "line": leaf.line,
        "seq": leaf.seq,
        "leaf": to_base64(leaf.to_bytes()),
        "size": appended.size,
        "inclusion_proof": [item.hex() for item in appended.proof],
        "checkpoint": appended.checkpoint,
        "effect": appended.effect,
        "challenge": appended.challenge,
    }
    status = HTTPStatus.CREATED if appended.created else HTTPStatus.OK
    headers = {"location": f"/v1/statements/{appended.digest}", "cache-control": "no-store"}
    return Response(msgspec.json.encode(body), status, headers, media_type=JSON)
