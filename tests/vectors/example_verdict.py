# SPDX-License-Identifier: Apache-2.0
"""The examples' verdict: one FAIL, two control slots nobody ran, NOT_QUALIFIED."""

from typing import Final

from tests.vectors.example_declarations import (
    CELL,
    HEAD,
    REPOSITORY,
    Document,
    digest_of,
    head_subject,
    policy_statement,
    protocol_document,
    statement,
)
from tests.vectors.example_people import people_records
from tests.vectors.example_study import (
    SLOT,
    flow,
    receipt_statement,
    reservation_statement,
    study_statement,
)

_STATES: Final = ("PASS", "FAIL", "INCONCLUSIVE", "INVALID", "NOT_RUN")


def _count(**states: int) -> Document:
    return {state: states.get(state, 0) for state in _STATES}


def _judgement(arm: str, role: str, state: str, reason: str) -> Document:
    measured = arm == "B"
    return {
        "gate": f"canary-{arm.lower()}",
        "kind": "canary",
        "role": role,
        "scope": "live_correctness",
        "arm": arm,
        "cell": CELL,
        "state": state,
        "reason": reason,
        "rule": "newcomer.last_content < incumbent.last_content and answer_matched, in all 1",
        "unit": None,
        "limit": None,
        "observed": None,
        "margin": None,
        "counts": {
            "planned": 1,
            "exact": 0,
            "bounded": int(measured),
            "unknown": int(not measured),
        },
        "observations": [
            {
                "slot": f"{arm}/{CELL}/1",
                "stream_role": "newcomer",
                "lane": None,
                "interval": None,
                "basis": "censored" if measured else "unknown",
            }
        ],
    }


def _study_record() -> Document:
    study = study_statement()["predicate"]
    document = protocol_document()
    attempt = {
        "attempt": 1,
        "reservation": digest_of(reservation_statement()),
        "receipts": [digest_of(receipt_statement())],
        "late": [],
        "tainted": [],
        "state": "FAILED",
        "fault": "sut",
        "reasons": ["SERVER_FAULT"],
    }
    missing = {"state": "MISSING", "fault": None, "reasons": ["MISSING"], "attempts": []}
    ran = {"state": "FAILED", "fault": "sut", "reasons": ["SERVER_FAULT"], "attempts": [attempt]}
    flows = {"A": flow(missing=1), "B": flow(failed=1), "A2": flow(missing=1)}
    return {
        "study": digest_of(study_statement()),
        "ordinal": 1,
        "attempt": 1,
        "protocol": {"digest": digest_of(document), "name": document["name"], "version": 1},
        "counting": "counts",
        "tested": HEAD,
        "tests_head": True,
        "state": "CLOSED",
        "sealed": False,
        "tainted": False,
        "closes_at": study["closes_at"],
        "opened_at": "2026-10-01T09:30:00.000000Z",
        "measured": 1,
        "flow": flow(missing=2, failed=1),
        "flows": [{"arm": arm, "cell": CELL, "flow": counts} for arm, counts in flows.items()],
        "scopes": [_scope()],
        "judgements": [
            _judgement("A", "secondary", "NOT_RUN", "NO_MEASURED_SLOT"),
            _judgement("B", "primary", "FAIL", "NOT_BEFORE"),
            _judgement("A2", "secondary", "NOT_RUN", "NO_MEASURED_SLOT"),
        ],
        "slots": [
            {"slot": f"A/{CELL}/1", **missing},
            {"slot": SLOT, **ran},
            {"slot": f"A2/{CELL}/1", **missing},
        ],
        "not_claimed": document["not_claimed"],
        "flags": [],
        "not_published": [],
    }


def _scope() -> Document:
    return {
        "scope": "live_correctness",
        "state": "FAIL",
        "reason": "GATE_FAILED",
        "counts": _count(FAIL=1, NOT_RUN=2),
    }


def verdict_document() -> Document:
    """Return what is established about the example head."""
    claim = policy_statement()["predicate"]["claims"][0]
    study = study_statement()["predicate"]
    digest = digest_of(study_statement())
    return {
        "schema": "urn:fairtrial:verdict-document:v1",
        "repository": REPOSITORY,
        "head": HEAD,
        "claim": claim["name"],
        "question": claim["question"],
        "policy": digest_of(policy_statement()),
        "word": "NOT_QUALIFIED",
        "conflicting": False,
        "reasons": [
            {"code": "SCOPE_FAILED", "scope": "live_correctness", "study": digest, "entry": None},
            {"code": "HOLD_IN_FORCE", "scope": None, "study": None, "entry": 10},
        ],
        "next_action": {
            "person": "mara",
            "role": "named",
            "reason": "HOLD_IN_FORCE",
            "what": "lock the comparison and schedule it",
        },
        "author_action_now": "none",
        "attempt": {"k": 1, "n": 1},
        "change": study["change"],
        **people_records(),
        "base": {
            "commit": study["base"],
            "tracked_branch": None,
            "tip": None,
            "state": "NOT_TRACKED",
        },
        "required": [
            {
                "scope": "live_correctness",
                "protocols": [digest_of(protocol_document())],
                "state": "FAIL",
                "reason": "GATE_FAILED",
                "studies": [digest],
            }
        ],
        "scopes": [_scope()],
        "studies": [_study_record()],
        "as_of": {
            "log_time": "2026-10-01T11:00:00.000000Z",
            "ledger": 5,
            "repository": 3,
            "head": 8,
        },
    }


def verdict_statement() -> Document:
    """Return the ledger's record of the verdict."""
    return statement("verdict", head_subject(), "ledger", {"document": verdict_document()})
