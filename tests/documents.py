# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""A good protocol document to start from; tests change one member at a time.

It is a small canary: an incumbent decodes, a newcomer joins 250 ms after its first token and must
finish before it, with the expected answer.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from app.core.digest import sha256_hex
from app.core.identity import Scope
from app.core.statement.protocol_document import ProtocolDocument, StreamsCell

CELL = "C2-canary"
SETTING = "MIXED_PREFILL_CHUNK"
VALUES = {"A": "skip", "B": "0", "A2": "skip", "C": "512", "P": "1"}
ROLES = {"A": "control", "A2": "return_control", "P": "positive_control"}
SECOND_US = 1_000_000
DAY_US = 86_400 * SECOND_US
SLOT_DEADLINE_US = 240 * SECOND_US


def digest(label: str) -> str:
    """Return some SHA-256, the same for the same label."""
    return sha256_hex(label.encode())


def commit(label: str) -> str:
    """Return some commit id, the same for the same label."""
    return digest(label)[:40]


def _event(role: str, event: str) -> dict[str, str]:
    return {"stream_role": role, "event": event}


def _population(arm: str, role: str, unit: str) -> dict[str, str]:
    return {"arm": arm, "cell": CELL, "stream_role": role, "phase": "measured", "unit": unit}


def canary_gate(arm: str, *, role: str = "primary", scope: str = "live_correctness") -> Any:
    """Return a canary gate of an arm, as JSON."""
    return {
        "id": f"canary-{arm.lower()}",
        "kind": "canary",
        "role": role,
        "claim": "sample",
        "scope": scope,
        "population": {**_population(arm, "newcomer", "slot"), "against_role": "incumbent"},
        "rule": {
            "left": _event("newcomer", "last_content"),
            "op": "<",
            "right": _event("incumbent", "last_content"),
            "and": "answer_matched",
        },
        "statistic": "all",
        "resolution_us": 1000,
        "on_server_failure": "worst",
    }


def completeness_gate(arm: str, count: int, *, scope: str = "live_correctness") -> Any:
    """Return a gate that wants ``count`` complete streams of an arm, as JSON."""
    return {
        "id": f"complete-{arm.lower()}",
        "kind": "completeness",
        "role": "primary",
        "claim": "sample",
        "scope": scope,
        "population": _population(arm, "any", "stream"),
        "metric": {
            "name": "complete",
            "unit": "1",
            "direction": "higher_is_better",
            "domain": ["0", "1"],
            "accepted_bases": ["finish_reason"],
        },
        "statistic": "count",
        "comparison": {"kind": "equality", "value": str(count)},
        "on_server_failure": "worst",
    }


def _planned(role: str, lane: int, tokens: int, output: int, starts: Any) -> Any:
    return {
        "role": role,
        "lane": lane,
        "prompt_tokens": {"target": tokens, "tolerance": 64},
        "max_output_tokens": output,
        "exact_output": role == "incumbent",
        "expected_answer": "OK" if role == "newcomer" else None,
        "answer_parts": None,
        "starts": starts,
    }


def _cell(repetitions: int) -> Any:
    after = {"after": _event("incumbent", "first_content"), "delay_us": 250_000}
    first, submitted = _event("incumbent", "first_content"), _event("newcomer", "submitted")
    give_up = {"after": _event("incumbent", "settled"), "grace_us": 200_000}
    return {
        "id": CELL,
        "capture": "streams",
        "concurrency": 2,
        "repetitions": repetitions,
        "warmup": {"requests": 1, "role": "incumbent", "max_output_tokens": 16},
        "streams": [
            _planned("incumbent", 0, 64, 1024, {"at": "slot_start"}),
            _planned("newcomer", 1, 8037, 16, after),
        ],
        "preconditions": [
            {"left": submitted, "op": ">=", "right": first},
            {"left": submitted, "op": "<", "right": _event("incumbent", "last_content")},
        ],
        "ends": {
            "slot_deadline_us": SLOT_DEADLINE_US,
            "cancels": [{"stream_role": "newcomer", **give_up}],
            "cancel_is": "deadline",
        },
    }


def streams_cell(locked: ProtocolDocument) -> StreamsCell:
    """Return the first cell of a document that plans streams there."""
    cell = locked.cells[0]
    assert isinstance(cell, StreamsCell)
    return cell


def document(
    *,
    name: str = "small-canary",
    version: int = 1,
    repetitions: int = 1,
    arms: Sequence[str] = ("A", "B", "A2"),
    scopes: Sequence[Scope] = (Scope.LIVE_CORRECTNESS,),
    **changes: Any,
) -> ProtocolDocument:
    """Return a protocol document that lints without errors; ``changes`` are members as JSON."""
    decided = [arm for arm in arms if arm not in ROLES]
    gates = [
        gate
        for scope in scopes
        for arm in decided
        for gate in (
            canary_gate(arm, scope=scope),
            completeness_gate(arm, 2 * repetitions, scope=scope),
        )
    ]
    for number, gate in enumerate(gates):
        gate["id"] += f"-{number}"
    gates += [canary_gate(arm, role="secondary", scope=scopes[0]) for arm in arms if arm in ROLES]
    value = {
        "schema": "urn:fairtrial:protocol-document:v1",
        "name": name,
        "version": version,
        "scopes": list(scopes),
        "question": "Does a short newcomer answer while an incumbent still decodes?",
        "not_claimed": ["throughput", "fairness at other concurrencies"],
        "arms": [
            {"id": arm, "role": ROLES.get(arm, "candidate"), "settings": {SETTING: VALUES[arm]}}
            for arm in arms
        ],
        "varies": [SETTING],
        "disclosed_settings": [SETTING, "MAX_NUM_SEQS"],
        "endpoint_path": "/v1/chat/completions",
        "request_controls": {"stream": "true", "temperature": "0"},
        "workload": {"generator": "canary.v1", "sha256": digest("workload")},
        "cells": [_cell(repetitions)],
        "order": list(arms),
        "gates": gates,
        "fault_table": [
            {"phase": "warmup", "http_status": {"first": 404, "last": 405}, "fault": "harness"},
            {"phase": "warmup", "http_status": {"first": 401, "last": 401}, "fault": "harness"},
            {"phase": "warmup", "http_status": {"first": 403, "last": 403}, "fault": "harness"},
            {"phase": "any", "http_status": {"first": 500, "last": 599}, "fault": "sut"},
            {"phase": "measured", "error": "error_event_in_stream", "fault": "sut"},
            {"phase": "measured", "error": "deadline", "fault": "sut"},
            {"phase": "any", "error": "name_resolution", "fault": "environment"},
            {"phase": "any", "error": "connection_reset", "container": "restarted", "fault": "sut"},
            {"phase": "any", "error": "connection_reset", "container": "exited", "fault": "sut"},
        ],
        "retry": {"max_per_slot": 1, "only": [{"phase": "warmup", "http_status": 404}]},
        "stop_rule": {"on": ["slot_invalid"]},
        "reservation": {"ahead_max": 12, "allowance_us": DAY_US},
        "window": {"max_us": 7 * DAY_US},
        "scoring": 1,
        "max_void_studies": 2,
        "conditions": {
            "topology": {"tensor_parallel": 2, "nodes": 2, "gpu_model": "NVIDIA GB10"},
            "harness": [{"name": "fairtrial-run", "version": "0.1.0"}],
        },
        "binding": ["seeded", "echoed"],
    }
    return msgspec.convert(value | changes, ProtocolDocument)
