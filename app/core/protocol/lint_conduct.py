# SPDX-License-Identifier: Apache-2.0
"""Lint: whose fault what is, what may be repeated, and what is done before measuring."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from app.core.canonical import JsonValue
from app.core.protocol.cells import streams_cells
from app.core.protocol.finding import LintFinding
from app.core.protocol.lint_references import Rule, error, warning
from app.core.protocol.patch import Patch, append, put, remove
from app.core.statement.protocol_document import FaultRow, Precondition, ProtocolDocument

_BLAMELESS: Final = ("sut", "unknown")
_NOT_BY_SERVER: Final = frozenset(("name_resolution", "cancelled_by_person", "interrupted"))
_OWN_STATUS: Final = frozenset((401, 403, 404, 405))
"""What a warm-up gets for a wrong URL, method or key; a server that runs gives any other.

Once a slot measures, the harness has found the right place: then the server answers so.
"""


def fault_table(document: ProtocolDocument) -> Iterator[LintFinding]:
    """No row gives somebody else a fault that the server can cause."""
    for index, row in enumerate(document.fault_table):
        pointer = f"/fault_table/{index}"
        if row.http_status is not UNSET and row.http_status.first > row.http_status.last:
            detail = "The range ends before it begins."
            place, status = f"{pointer}/http_status", row.http_status
            change = put(place, {"first": status.last, "last": status.first})
            yield error("E_REFERENCE", place, detail, change=change)
        if row.fault not in _BLAMELESS and not _harmless(row):
            detail = (
                "A server can cause these facts (resets, timeouts, its TLS, exits, or a status "
                "other than a warm-up's 401, 403, 404 and 405), so they are its fault or unknown."
            )
            change = _laundered(row, pointer)
            yield error("E_FAULT_LAUNDERS", f"{pointer}/fault", detail, change=change)
    if all(row.fault != "sut" for row in document.fault_table):
        detail = (
            "No fact is the server's fault, so nothing it does would ever FAIL a slot: the table "
            "says nothing."
        )
        own: JsonValue = {
            "phase": "any",
            "http_status": {"first": 500, "last": 599},
            "fault": "sut",
        }
        change = append("/fault_table", own)
        yield error("E_NO_FAULT_TABLE", "/fault_table", detail, change=change)


def retries(document: ProtocolDocument) -> Iterator[LintFinding]:
    """Nobody retries what the server did, and whether anything is retried is said once."""
    retry = document.retry
    if bool(retry.max_per_slot) != bool(retry.only):
        detail = "A retry is allowed after nothing, or listed and not allowed: it says neither."
        formula = f"max_per_slot {retry.max_per_slot}, {len(retry.only)} codes"
        change = put("/retry", {"max_per_slot": 0, "only": []})
        yield error("E_NO_RETRY_POLICY", "/retry", detail, formula, change)
    for index, code in enumerate(document.retry.only):
        if code.http_status not in _OWN_STATUS:
            detail = "Only a warm-up refused with 401, 403, 404 or 405 may be tried again."
            pointer = f"/retry/only/{index}/http_status"
            yield error("E_FAULT_LAUNDERS", pointer, detail, change=put(pointer, 404))


def warmups(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A cell says whether and how it is warmed up."""
    for index, cell in streams_cells(document):
        if cell.warmup is None or cell.warmup.requests == 0:
            detail = "Nothing is sent before the measured phase, so it may measure the start-up."
            place, role = f"/cells/{index}/warmup", cell.streams[0].role
            change = put(place, {"requests": 1, "role": role, "max_output_tokens": 16})
            yield warning("W_WARMUP_UNDECLARED", place, detail, change=change)


def _laundered(row: FaultRow, pointer: str) -> Patch:
    """Return the patch that speaks of the warm-up alone where that heals, or blames nobody."""
    if row.phase == "any" and _harmless(replace(row, phase="warmup")):
        return put(f"{pointer}/phase", "warmup")
    return put(f"{pointer}/fault", "unknown")


def _harmless(row: FaultRow) -> bool:
    """Tell whether every fact the row matches is one that a server cannot cause."""
    if row.container is not UNSET and row.container in ("restarted", "exited"):
        return False
    if row.error is not UNSET and row.error in _NOT_BY_SERVER:
        return True
    if row.http_status is UNSET or row.error not in (UNSET, "http_error"):
        return False
    if row.phase != "warmup":
        return False
    statuses = range(row.http_status.first, row.http_status.last + 1)
    return _OWN_STATUS.issuperset(statuses)


def preconditions(document: ProtocolDocument) -> Iterator[LintFinding]:
    """A precondition reads when the harness submitted, never what the server then did."""
    for index, cell in streams_cells(document):
        for number, demand in enumerate(cell.preconditions):
            if not _reads_harness(demand):
                detail = (
                    "A slot whose precondition is broken counts against nobody, so one side is "
                    "when a stream was submitted and the other an event of another stream."
                )
                pointer = f"/cells/{index}/preconditions/{number}"
                change = remove(pointer)
                yield error("E_PRECONDITION_READS_SERVER", pointer, detail, change=change)


def _reads_harness(demand: Precondition) -> bool:
    events = (demand.left.event, demand.right.event)
    others = demand.left.stream_role != demand.right.stream_role
    return events == ("submitted", "submitted") or (others and "submitted" in events)


RULES: Final[tuple[Rule, ...]] = (fault_table, retries, warmups, preconditions)
