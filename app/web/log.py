# SPDX-License-Identifier: Apache-2.0
"""The log as published: C2SP tlog-tiles files, and the same entries as JSON pages.

Files under ``/log`` stand where the C2SP pages say, outside ``/v1``: their format is not ours.
Checkpoints are never cached; tiles never change, partial ones included, since a width names its
own content. A proof's sizes stand in its path, never in a query, so that no cache can give one
proof for another.
"""

from __future__ import annotations

import gzip
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Request, Response

from app.core.digest import to_base64
from app.core.errors import MalformedDocument, UnknownThing
from app.core.identity import instant_of
from app.core.log.checkpoint import parse_checkpoint
from app.core.log.note import parse_note
from app.core.log.tile import ENTRIES, parse_tile_path
from app.edge.caching import IMMUTABLE, REVALIDATED
from app.edge.deps import (
    DEFAULT_PAGE,
    CursorQuery,
    IndexPart,
    LedgerDep,
    LimitQuery,
    SizePart,
    link_next,
    only_known_queries,
)
from app.edge.media import BYTES, TEXT, takes_gzip
from app.edge.problems import declared
from app.service.answers import FoundStatement
from app.service.witnessing import WitnessStanding, tally_of
from app.web.log_models import (
    ConsistencyProof,
    InclusionProof,
    LogEntries,
    LogEntry,
    WitnessEntry,
    Witnesses,
)

MICROS = 1_000_000

TilePath = Annotated[
    str,
    Path(
        pattern=r"^(entries|[0-9]{1,2})/(x[0-9]{3}/){0,6}[0-9]{3}([.]p/[0-9]{1,3})?$",
        description="<L>/<N>[.p/<W>], as in C2SP tlog-tiles",
    ),
]

router = APIRouter(dependencies=[Depends(only_known_queries)])


@router.get(
    "/log/checkpoint",
    operation_id="get_checkpoint",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}, **declared()},
)
async def get_checkpoint(ledger: LedgerDep) -> Response:
    """Return the newest signed checkpoint (C2SP tlog-checkpoint)."""
    return Response(await ledger.checkpoint(), media_type=TEXT, headers=REVALIDATED)


@router.get(
    "/log/tile/{path:path}",
    operation_id="get_tile",
    response_class=Response,
    responses={200: {"content": {BYTES: {}}}, **declared()},
)
async def get_tile(request: Request, path: TilePath, ledger: LedgerDep) -> Response:
    """Return a tile of hashes or an entry bundle (C2SP tlog-tiles)."""
    try:
        tile = parse_tile_path(f"tile/{path}")
    except MalformedDocument as error:
        raise UnknownThing(error.detail, code="unknown-tile") from error
    data = await ledger.tile(tile)
    if tile.level != ENTRIES:  # hashes do not get smaller
        return Response(data, media_type=BYTES, headers=IMMUTABLE)
    headers = {**IMMUTABLE, "vary": "accept-encoding"}
    if takes_gzip(request):
        data = gzip.compress(data, compresslevel=6, mtime=0)
        headers["content-encoding"] = "gzip"
    return Response(data, media_type=BYTES, headers=headers)


@router.get(
    "/v1/log/proof/inclusion/{index}/{size}",
    operation_id="get_inclusion_proof",
    responses=declared(),
)
async def get_inclusion(
    response: Response, index: IndexPart, size: SizePart, ledger: LedgerDep
) -> InclusionProof:
    """Return the proof that a leaf stands in the tree of a size."""
    found = await ledger.inclusion(index, size)
    response.headers.update(IMMUTABLE)
    return InclusionProof(
        index=index,
        size=size,
        leaf_hash=found.leaf_hash.hex(),
        root=found.root.hex(),
        proof=[item.hex() for item in found.proof],
    )


@router.get(
    "/v1/log/proof/consistency/{old_size}/{new_size}",
    operation_id="get_consistency_proof",
    responses=declared(),
)
async def get_consistency(
    response: Response, old_size: SizePart, new_size: SizePart, ledger: LedgerDep
) -> ConsistencyProof:
    """Return the proof that the tree of one size is the beginning of the tree of another."""
    found = await ledger.consistency(old_size, new_size)
    response.headers.update(IMMUTABLE)
    return ConsistencyProof(
        old_size=old_size,
        new_size=new_size,
        old_root=found.old_root.hex(),
        new_root=found.new_root.hex(),
        proof=[item.hex() for item in found.proof],
    )


@router.get("/v1/log/entries", operation_id="list_entries", responses=declared())
async def list_entries(
    request: Request,
    response: Response,
    ledger: LedgerDep,
    cursor: CursorQuery = 0,
    limit: LimitQuery = DEFAULT_PAGE,
) -> LogEntries:
    """Return the log's entries in order, a page at a time."""
    found = await ledger.entries(after=cursor - 1, limit=limit)
    if len(found) == limit:
        link_next(request, response, cursor=found[-1].index + 1, limit=limit)
    return LogEntries(entries=[_entry(one) for one in found])


@router.get("/v1/log/witnesses", operation_id="list_witnesses", responses=declared())
async def list_witnesses(ledger: LedgerDep) -> Witnesses:
    """Return which of the witnesses that this ledger names have cosigned it, and how far."""
    size = parse_checkpoint(parse_note(await ledger.checkpoint()).text).size
    found = ledger.witnesses()
    tally = tally_of(found, size)
    first = tally.first_at_s
    return Witnesses(
        size=size,
        named=tally.named,
        cosigned=tally.cosigned,
        first_seen_outside=None if first is None else instant_of(first * MICROS),
        witnesses=[_witness(one) for one in found],
    )


def _witness(one: WitnessStanding) -> WitnessEntry:
    seen = one.cosigned
    return WitnessEntry(
        witness=one.named.witness.to_vkey(),
        size=one.size if seen else None,
        at=instant_of(seen.at_s * MICROS) if seen else None,
        line=seen.line.to_line().rstrip("\n") if seen else None,
    )


def _entry(found: FoundStatement) -> LogEntry:
    return LogEntry(
        index=found.index,
        at=found.leaf.at,
        kind=found.leaf.kind,
        statement=found.leaf.statement,
        key=found.leaf.key,
        line=found.leaf.line,
        seq=found.leaf.seq,
        leaf=to_base64(found.record),
    )
