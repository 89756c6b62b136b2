# SPDX-License-Identifier: Apache-2.0
"""The examples' study: opened, one slot run, its newcomer starved, ended, closed, judged.

Log positions are written out where a leaf needs them; everything else follows from the documents.
"""

from typing import Any, Final

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.log.leaf import Leaf, TreeHead, challenge_of, head_line
from tests.vectors.example_declarations import (
    BASE,
    CELL,
    HEAD,
    IMAGE,
    REPOSITORY,
    SETTINGS,
    Document,
    digest_of,
    head_subject,
    key_record,
    protocol_document,
    signing_key,
    statement,
)

SLOT: Final = f"B/{CELL}/1"
MODELS: Final = {
    "target": {"repository": "example-org/model", "revision": sha256_hex(b"model")[:40]},
    "draft": None,
}
HARNESS: Final = {"name": "fairtrial-run", "version": "0.1.0", "sha256": sha256_hex(b"harness")}
SETTINGS_DIGEST: Final = sha256_hex(b"example salted settings")


def study_statement() -> Document:
    """Return the opening of the study."""
    pins = {
        arm: {
            "commit": HEAD if arm == "B" else BASE,
            "image": IMAGE,
            "settings": {"MIXED_PREFILL_CHUNK": value},
            "settings_digest": SETTINGS_DIGEST,
            "relation": None if arm == "B" else "the base of the change",
        }
        for arm, value in SETTINGS.items()
    }
    predicate = {
        "repository": REPOSITORY,
        "protocol": digest_of(protocol_document()),
        "ordinal": 1,
        "head": {"commit": HEAD, "tree": None},
        "base": BASE,
        "change": "180",
        "exploratory": False,
        "replay": None,
        "owners": {"maintainer": "mona", "author": "arthur", "runner": "rosa"},
        "arms": pins,
        "models": MODELS,
        "topology": {
            "tensor_parallel": 2,
            "draft_tensor_parallel": None,
            "nodes": 2,
            "hosts": ["spark-1", "spark-2"],
            "gpu_model": "NVIDIA GB10",
        },
        "harness": HARNESS,
        "runners": [key_record("runner")["id"]],
        "closes_at": "2026-10-03T00:00:00Z",
    }
    return statement("study", head_subject(), "maintainer", predicate)


def reservation_statement() -> Document:
    """Return the taking of the candidate's slot."""
    predicate = {
        "study": digest_of(study_statement()),
        "slots": [SLOT],
        "attempt": 1,
        "host": "spark-1",
    }
    return statement("reservation", head_subject(), "runner", predicate)


def reservation_leaf() -> Leaf:
    """Return the record of the reservation, whose hash is the slot's challenge."""
    reservation = canonical(reservation_statement())
    return Leaf(
        at="2026-10-01T10:00:00.000000Z",
        kind="reservation",
        statement=sha256_hex(reservation),
        size=len(reservation),
        key=signing_key("runner").key_id,
        line=head_line(REPOSITORY, HEAD),
        seq=1,
        prev=6,
        nonce=sha256_hex(b"example nonce"),
        after=TreeHead(7, sha256_hex(b"example tree of seven leaves")),
    )


def _stream(role: str, lane: int, **facts: Any) -> Document:  # noqa: ANN401 - any member
    return {
        "role": role,
        "lane": lane,
        "phase": "measured",
        "planned_us": 0,
        "submitted_us": 0,
        "first_generated_us": None,
        "first_answer_us": None,
        "content_gaps_us": [],
        "last_content_us": None,
        "settled_us": None,
        "observed_until_us": 21210000,
        "http_status": 200,
        "finish_reason": None,
        "done_marker": False,
        "usage": None,
        "completion_basis": "none",
        "token_basis": "unknown",
        "prompt_sha256": None,
        "answer_matched": None,
        "answer_parts": None,
        "error_class": None,
        **facts,
    }


def capture() -> Document:
    """Return what the slot showed: the incumbent finished, the newcomer never got a token."""
    incumbent = _stream(
        "incumbent",
        0,
        first_generated_us=430000,
        first_answer_us=430000,
        content_gaps_us=[6856000, 6857000, 6857000],
        last_content_us=21000000,
        settled_us=21010000,
        finish_reason="length",
        done_marker=True,
        usage={"prompt": 64, "completion": 1024, "cached": 0, "reasoning": None},
        completion_basis="finish_reason",
        token_basis="usage",
    )
    newcomer = _stream(
        "newcomer", 1, planned_us=680000, submitted_us=680000, error_class="cancelled_by_rule"
    )
    engine = {"component": "engine", "before": "c-1", "after": "c-1", "exited": False}
    return {
        "schema": "urn:fairtrial:capture:streams:v1",
        "clock": {"kind": "monotonic", "zero": "slot_start", "resolution_us": 1000},
        "boot_id": "boot-1",
        "phases": {"warmup": "complete", "measured": "started"},
        "streams": [incumbent, newcomer],
        "observations": {
            "counters": [{"name": "restarts", "before": 0, "after": 0}],
            "gauges": [
                {
                    "name": "kv-usage",
                    "unit": "bps",
                    "interval_us": 1000000,
                    "samples": 21,
                    "least": 120,
                    "greatest": 3401,
                }
            ],
            "events": [{"name": "newcomer-queued", "at_us": 681000}],
            "identities": [engine],
        },
    }


def _rank(number: int) -> Document:
    return {
        "rank": number,
        "host": f"spark-{number + 1}",
        "gpu_model": "NVIDIA GB10",
        "gpu_uuid_digest": sha256_hex(f"example salted uuid {number}".encode()),
        "driver": "580.95.05",
        "commit": HEAD,
        "image": IMAGE,
        "target_revision": MODELS["target"]["revision"] if MODELS["target"] else None,
        "draft_revision": None,
        "settings_digest": SETTINGS_DIGEST,
        "basis": "observed",
    }


def receipt_statement() -> Document:
    """Return the receipt around the capture."""
    data = canonical(capture())
    engine = {
        "role": "engine",
        "name": "vllm",
        "version": "0.11.0",
        "image": IMAGE,
        "timeout_us": None,
        "basis": "observed",
    }
    identities = {
        "arm_commit": HEAD,
        "image": IMAGE,
        "models": MODELS,
        "harness": HARNESS,
        "workload": protocol_document()["workload"],
        "settings": {"MIXED_PREFILL_CHUNK": SETTINGS["B"]},
        "settings_digest": SETTINGS_DIGEST,
        "components": {"before": [engine], "after": [engine]},
        "basis": {
            "arm_commit": "observed",
            "image": "observed",
            "models": "observed",
            "harness": "observed",
            "workload": "observed",
            "settings": "declared",
        },
    }
    predicate = {
        "reservation": digest_of(reservation_statement()),
        "study": digest_of(study_statement()),
        "slot": SLOT,
        "attempt": 1,
        "challenge": challenge_of(reservation_leaf()),
        "binding": "echoed",
        "capture": {
            "sha256": sha256_hex(data),
            "size": len(data),
            "schema": "urn:fairtrial:capture:streams:v1",
        },
        "identities": identities,
        "topology": {
            "tensor_parallel": 2,
            "draft_tensor_parallel": None,
            "nodes": 2,
            "ranks": [_rank(0), _rank(1)],
        },
        "originals": [{"name": "result.json", "sha256": sha256_hex(b"original"), "size": 8}],
        "claims": {"state": "partial"},
        "started_at": "2026-10-01T10:00:01.000000Z",
        "finished_at": "2026-10-01T10:00:22.300000Z",
        "tool": {"name": "fairtrial", "version": "0.1.0"},
    }
    return statement("receipt", head_subject(), "runner", predicate)


def refusal_statement() -> Document:
    """Return what the ledger records of a push whose capture held a credential."""
    predicate = {
        "study": digest_of(study_statement()),
        "reservation": digest_of(reservation_statement()),
        "slot": SLOT,
        "attempt": 1,
        "code": "not-sanitized",
        "rule": "token",
        "pointer": "/predicate/claims/state",
        "content": None,
    }
    return statement("refusal", head_subject(), "ledger", predicate)


def deviation_statement() -> Document:
    """Return the end of the study before its controls ran."""
    predicate = {
        "study": digest_of(study_statement()),
        "slots": [],
        "what": "The second node was needed elsewhere; the controls were not run.",
        "phase": "after",
        "restored": True,
        "ends_study": True,
    }
    return statement("deviation", head_subject(), "runner", predicate)


def flow(**counts: int) -> Document:
    """Return an accounting identity with the given counts, all others zero."""
    states = (
        *("open", "reserved", "missing", "abandoned", "warmup_failed"),
        *("complete", "partial", "failed", "invalid"),
    )
    full = {state: counts.get(state, 0) for state in states}
    return {"planned": sum(full.values()), **full}


def closure_statement() -> Document:
    """Return the ledger's word that the study is closed."""
    predicate = {
        "study": digest_of(study_statement()),
        "reason": "ended",
        "flow": flow(missing=2, failed=1),
        "missing": [f"A/{CELL}/1", f"A2/{CELL}/1"],
        "abandoned": [],
    }
    return statement("closure", head_subject(), "ledger", predicate)
