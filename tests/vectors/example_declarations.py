# SPDX-License-Identifier: Apache-2.0
"""What the examples declare before anything runs: a ledger, a key, a policy, a locked protocol.

Together with ``example_study`` this is one small synthetic story, each document filled and all of
them consistent with one another. Keys come from fixed seeds, so that every digest repeats.
"""

from typing import Any, Final

from app.core.canonical import canonical
from app.core.digest import sha256_hex, to_base64
from app.core.log.merkle import leaf_hash
from app.core.signing.keys import SigningKey, ed25519_signing_key

Document = dict[str, Any]

ORIGIN: Final = "ledger.example/examples"
REPOSITORY: Final = "github.com/example-org/two-spark-recipe"
HEAD: Final = sha256_hex(b"example head")[:40]
BASE: Final = sha256_hex(b"example base")[:40]
IMAGE: Final = {"digest": "sha256:" + sha256_hex(b"example image"), "of": "manifest"}
CELL: Final = "C2-canary"
SETTINGS: Final = {"A": "skip", "B": "0", "A2": "skip"}


def signing_key(label: str) -> SigningKey:
    """Return the key that a label stands for in every example."""
    return ed25519_signing_key(bytes.fromhex(sha256_hex(f"example key {label}".encode())))


def key_record(label: str) -> Document:
    """Return a key as statements write it."""
    key = signing_key(label).public
    return {"id": key.key_id, "spki": to_base64(key.der)}


def statement(kind: str, subject: Document, signer: str, predicate: Document) -> Document:
    """Return a statement of one kind by one key."""
    genesis = None if kind == "genesis" else digest_of(genesis_statement())
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [subject],
        "predicateType": f"urn:fairtrial:{kind}:v1",
        "predicate": {
            "ledger": {"origin": ORIGIN, "genesis": genesis},
            "signer": signing_key(signer).key_id,
            "annotations": {},
            **predicate,
        },
    }


def digest_of(document: Document) -> str:
    """Return the SHA-256 of a document's JCS bytes."""
    return sha256_hex(canonical(document))


def _thing(name: str, digest: str) -> Document:
    return {"name": name, "digest": {"sha256": digest}}


def head_subject() -> Document:
    """Return the subject of everything on the example head."""
    return {"name": f"git+https://{REPOSITORY}", "digest": {"gitCommit": HEAD}}


def repository_subject() -> Document:
    """Return the subject of what is about the whole example repository."""
    return _thing(REPOSITORY, sha256_hex(REPOSITORY.encode()))


def genesis_statement() -> Document:
    """Return the first statement of the example ledger."""
    predicate = {
        "checkpoint_key": key_record("checkpoint"),
        "statement_key": key_record("ledger"),
        "recovery_key": key_record("recovery"),
        "admins": [{"holder": "ada", "key": key_record("admin")}],
        "threshold": 1,
        "read_access": "public",
        "continues": None,
    }
    subject = _thing(ORIGIN, sha256_hex(b"example genesis nonce"))
    return statement("genesis", subject, "ledger", predicate)


def key_statement() -> Document:
    """Return the registration of the runner's key."""
    key = key_record("runner")
    predicate = {
        "action": "register",
        "key": key,
        "role": "runner",
        "repositories": [REPOSITORY],
        "holder": "rosa",
        "checkpoint": {"size": 1, "root": leaf_hash(canonical(genesis_leaf())).hex()},
        "reason": None,
        "suspect_from_index": None,
    }
    return statement("key", _thing(f"key/{key['id']}", key["id"]), "admin", predicate)


def genesis_leaf() -> Document:
    """Return the record of the first leaf."""
    genesis = canonical(genesis_statement())
    return {
        "v": 1,
        "at": "2026-10-01T09:00:00.000000Z",
        "kind": "genesis",
        "statement": sha256_hex(genesis),
        "size": len(genesis),
        "key": signing_key("ledger").key_id,
        "line": "ledger",
        "seq": 0,
        "prev": None,
    }


def policy_statement() -> Document:
    """Return a policy with one claim that the canary may satisfy."""
    need = {"scope": "live_correctness", "protocols": [digest_of(protocol_document())]}
    predicate = {
        "repository": REPOSITORY,
        "supersedes": None,
        "tracked_branch": None,
        "claims": [
            {
                "name": "land",
                "question": "May the source land with defaults unchanged?",
                "required": [need],
            }
        ],
        "holds_cleared_by": ["maintainer"],
    }
    return statement("policy", repository_subject(), "maintainer", predicate)


def _canary(arm: str, role: str) -> Document:
    def last_content_of(stream: str) -> Document:
        return {"stream_role": stream, "event": "last_content"}

    return {
        "id": f"canary-{arm.lower()}",
        "kind": "canary",
        "role": role,
        "claim": "sample",
        "scope": "live_correctness",
        "population": {
            "arm": arm,
            "cell": CELL,
            "stream_role": "newcomer",
            "against_role": "incumbent",
            "phase": "measured",
            "unit": "slot",
        },
        "rule": {
            "left": last_content_of("newcomer"),
            "op": "<",
            "right": last_content_of("incumbent"),
            "and": "answer_matched",
        },
        "statistic": "all",
        "required_n": 1,
        "resolution_us": 1000,
        "on_server_failure": "worst",
    }


def _completeness() -> Document:
    return {
        "id": "complete-b",
        "kind": "completeness",
        "role": "primary",
        "claim": "sample",
        "scope": "live_correctness",
        "population": {
            "arm": "B",
            "cell": CELL,
            "stream_role": "any",
            "phase": "measured",
            "unit": "stream",
        },
        "metric": {
            "name": "complete",
            "unit": "1",
            "direction": "higher_is_better",
            "domain": ["0", "1"],
            "accepted_bases": ["finish_reason"],
        },
        "statistic": "count",
        "comparison": {"kind": "equality", "value": "2"},
        "required_n": 2,
        "on_server_failure": "worst",
    }


def _stream(role: str, lane: int, tokens: int, output: int, starts: Document) -> Document:
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


def _event(role: str, event: str) -> Document:
    return {"stream_role": role, "event": event}


def protocol_document() -> Document:
    """Return a canary of one repetition: does a newcomer answer while an incumbent decodes?"""
    overlap = {
        "left": _event("newcomer", "submitted"),
        "op": ">=",
        "right": _event("incumbent", "first_content"),
    }
    newcomer = {"after": _event("incumbent", "first_content"), "delay_us": 250000}
    give_up = {
        "stream_role": "newcomer",
        "after": _event("incumbent", "settled"),
        "grace_us": 200000,
    }
    not_served = {"first": 404, "last": 405}
    return {
        "schema": "urn:fairtrial:protocol-document:v1",
        "name": "example-canary",
        "version": 1,
        "scopes": ["live_correctness"],
        "question": "Does a short newcomer answer while an incumbent still decodes?",
        "not_claimed": ["throughput", "fairness at other concurrencies"],
        "arms": [
            {"id": arm, "role": role, "settings": {"MIXED_PREFILL_CHUNK": SETTINGS[arm]}}
            for arm, role in (("A", "control"), ("B", "candidate"), ("A2", "return_control"))
        ],
        "varies": ["MIXED_PREFILL_CHUNK"],
        "disclosed_settings": ["MIXED_PREFILL_CHUNK", "MAX_NUM_BATCHED_TOKENS"],
        "endpoint_path": "/v1/chat/completions",
        "request_controls": {"stream": "true", "temperature": "0"},
        "workload": {"generator": "canary.v1", "sha256": sha256_hex(b"example workload")},
        "cells": [
            {
                "id": CELL,
                "capture": "streams",
                "concurrency": 2,
                "repetitions": 1,
                "warmup": {"requests": 1, "role": "incumbent", "max_output_tokens": 16},
                "streams": [
                    _stream("incumbent", 0, 64, 1024, {"at": "slot_start"}),
                    _stream("newcomer", 1, 8037, 16, newcomer),
                ],
                "preconditions": [overlap],
                "ends": {
                    "slot_deadline_us": 240000000,
                    "cancels": [give_up],
                    "cancel_is": "deadline",
                },
            }
        ],
        "order": ["A", "B", "A2"],
        "gates": [
            _canary("A", "secondary"),
            _canary("B", "primary"),
            _canary("A2", "secondary"),
            _completeness(),
        ],
        "fault_table": [
            {"phase": "warmup", "http_status": not_served, "fault": "harness"},
            {"phase": "any", "http_status": {"first": 500, "last": 599}, "fault": "sut"},
            {"phase": "measured", "error": "deadline", "fault": "sut"},
            {"phase": "any", "error": "connection_reset", "container": "exited", "fault": "sut"},
        ],
        "retry": {"max_per_slot": 1, "only": [{"phase": "warmup", "http_status": 404}]},
        "stop_rule": {"on": ["slot_invalid"]},
        "reservation": {"ahead_max": 3, "allowance_us": 86400000000},
        "window": {"max_us": 172800000000},
        "scoring": 1,
        "max_void_studies": 2,
        "conditions": {
            "topology": {"tensor_parallel": 2, "nodes": 2, "gpu_model": "NVIDIA GB10"},
            "harness": [{"name": "fairtrial-run", "version": "0.1.0"}],
        },
        "binding": ["seeded", "echoed"],
    }


def protocol_statement() -> Document:
    """Return the lock of the example protocol."""
    document = protocol_document()
    predicate = {
        "repository": REPOSITORY,
        "document": document,
        "acknowledged_warnings": ["W_NO_ASSAY_CONTROL"],
        "supersedes": None,
        "reason": None,
    }
    subject = _thing(f"protocol/{document['name']}", digest_of(document))
    return statement("protocol", subject, "maintainer", predicate)
