# SPDX-License-Identifier: Apache-2.0
"""Style sheets and images of the pages, each under a name that holds its digest.

A name never gets other bytes, so that caches may keep it for ever and a new version is fetched at
once. The files are read when the process starts; a request cannot name a path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter, Response

from app.core.digest import sha256_hex
from app.core.errors import UnknownThing
from app.edge.caching import IMMUTABLE

_TYPES: Final = {".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
_DIGITS: Final = 16


def _digest_named(path: Path, data: bytes) -> str:
    return f"{path.stem}.{sha256_hex(data)[:_DIGITS]}{path.suffix}"


_READ: Final = {
    path.name: (path, path.read_bytes())
    for path in sorted((Path(__file__).parent / "static").iterdir())
    if path.suffix in _TYPES
}
_NAMES: Final = {name: _digest_named(path, data) for name, (path, data) in _READ.items()}
_FILES: Final = {_NAMES[name]: (path.suffix, data) for name, (path, data) in _READ.items()}

router = APIRouter(include_in_schema=False)


def place_of(name: str) -> str:
    """Return the path under which a file of ``static/`` is served."""
    return f"/static/{_NAMES[name]}"


@router.get("/static/{name}")
async def get_static(name: str) -> Response:
    """Return a file by the name that holds its digest."""
    if name not in _FILES:
        detail = "No file of this name is part of the pages."
        raise UnknownThing(detail, code="unknown-thing")
    suffix, data = _FILES[name]
    policy = {"content-security-policy": "default-src 'none'; sandbox"}
    return Response(data, headers={**IMMUTABLE, **policy}, media_type=_TYPES[suffix])
