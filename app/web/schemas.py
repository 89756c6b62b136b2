# SPDX-License-Identifier: Apache-2.0
"""JSON Schemas by the SHA-256 of their bytes; a v1 schema never changes, nor does its place."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from fastapi import APIRouter, Depends, Request, Response

from app.core.digest import sha256_hex
from app.core.errors import UnknownThing
from app.edge.caching import IMMUTABLE
from app.edge.deps import Digest, only_known_queries
from app.edge.problems import declared
from app.web.models import SchemaEntry, Schemas

SCHEMA = "application/schema+json"

router = APIRouter(prefix="/v1/schemas", dependencies=[Depends(only_known_queries)])


class SchemaShelf:
    """The schemas this service follows, by name and by digest."""

    def __init__(self, schemas: Mapping[str, bytes]) -> None:
        """Hold ``schemas``: file name -> bytes as published."""
        self._by_digest = MappingProxyType({sha256_hex(data): data for data in schemas.values()})
        self.entries = tuple(
            SchemaEntry(name=name, digest=sha256_hex(schemas[name])) for name in sorted(schemas)
        )

    def schema(self, digest: str) -> bytes:
        """Return a schema's bytes.

        Raises:
            UnknownThing: ``unknown-schema``.
        """
        if digest not in self._by_digest:
            raise UnknownThing("No schema has this digest.", code="unknown-schema")
        return self._by_digest[digest]


def _shelf(request: Request) -> SchemaShelf:
    shelf: SchemaShelf = request.app.state.schemas
    return shelf


@router.get("", operation_id="list_schemas", responses=declared())
async def list_schemas(request: Request) -> Schemas:
    """Return every schema's name and digest."""
    return Schemas(schemas=list(_shelf(request).entries))


@router.get(
    "/{digest}",
    operation_id="get_schema",
    response_class=Response,
    responses={200: {"content": {SCHEMA: {}}}, **declared()},
)
async def get_schema(request: Request, digest: Digest) -> Response:
    """Return one schema, byte for byte."""
    return Response(_shelf(request).schema(digest), media_type=SCHEMA, headers=IMMUTABLE)
