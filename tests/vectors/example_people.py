# SPDX-License-Identifier: Apache-2.0
"""What people say in the examples: a review, a hold over the change, a decision, where main is."""

from tests.vectors.example_declarations import (
    BASE,
    HEAD,
    REPOSITORY,
    Document,
    digest_of,
    head_subject,
    repository_subject,
    signing_key,
    statement,
)
from tests.vectors.example_study import receipt_statement


def review_statement() -> Document:
    """Return a review of the example head that comments and decides nothing."""
    predicate = {
        "base": BASE,
        "scope": "source",
        "outcome": "comment",
        "did": ["read the focused delta against the recorded base"],
        "did_not": ["tests", "live endpoints", "GPU or service operations"],
        "evidence": [
            {"what": "the candidate's receipt", "sha256": digest_of(receipt_statement())},
        ],
        "relation": {"author": False, "pushed": False, "locked": False, "ran": False},
        "supersedes": None,
    }
    return statement("review", head_subject(), "reviewer", predicate)


def hold_statement() -> Document:
    """Return a hold on one claim over every head of a change."""
    predicate: Document = {
        "repository": REPOSITORY,
        "action": "place",
        "applies_to": {"head": None, "changes": ["180"], "claim": "land"},
        "checked_head": HEAD,
        "why": "The newcomer produced no content before the incumbent finished.",
        "tested": ["one canary on two nodes"],
        "not_tested": ["fairness at other concurrencies"],
        "until": "A locked contention comparison on the exact final head passes its gates.",
        "next_action": {"person": "mara", "what": "lock the comparison and schedule it"},
        "author_action_now": "none",
        "clears": None,
        "supersedes": None,
        "links": [
            {
                "relation": "tracking",
                "change": "283",
                "head": None,
                "statement": None,
                "note": None,
            }
        ],
    }
    return statement("hold", repository_subject(), "reviewer", predicate)


def decision_statement() -> Document:
    """Return a decision that the failing scope is not waited for."""
    predicate: Document = {
        "decided": "waived",
        "claim": "land",
        "scope": "live_correctness",
        "through": None,
        "reason": "The path stays off by default; the follow-up owns the comparison.",
        "expires_at": "2026-12-01T00:00:00Z",
        "links": [],
        "supersedes": None,
    }
    return statement("decision", head_subject(), "maintainer", predicate)


def ref_statement() -> Document:
    """Return where the repository's main branch was seen."""
    predicate = {
        "repository": REPOSITORY,
        "branch": "main",
        "change": None,
        "tip": BASE,
        "source": "the forge's list of branches",
        "supersedes": None,
    }
    return statement("ref", repository_subject(), "maintainer", predicate)


def people_records() -> Document:
    """Return the members of a verdict document that show all of this."""
    hold, review = hold_statement(), review_statement()["predicate"]
    held = hold["predicate"]
    decision = decision_statement()["predicate"]
    named = ("applies_to", "checked_head", "why", "tested", "not_tested", "until", "links")
    return {
        "changes": ["180"],
        "holds": [
            {
                "said": _said(hold, "reviewer", "rita", 10),
                "in_force": True,
                **{name: held[name] for name in (*named, "next_action", "author_action_now")},
                "ended": None,
            }
        ],
        "reviews": [
            {
                "said": _said(review_statement(), "reviewer", "rita", 9),
                **{name: review[name] for name in ("base", "scope", "outcome", "did", "did_not")},
                **{name: review[name] for name in ("evidence", "relation")},
                "independent": True,
                "superseded": False,
            }
        ],
        "decisions": [
            {
                "said": _said(decision_statement(), "maintainer", "mara", 11),
                **{name: decision[name] for name in ("decided", "claim", "scope", "through")},
                **{name: decision[name] for name in ("reason", "expires_at", "links")},
                "superseded": False,
            }
        ],
    }


def _said(document: Document, role: str, holder: str, entry: int) -> Document:
    return {
        "statement": digest_of(document),
        "entry": entry,
        "at": "2026-10-01T11:00:00.000000Z",
        "key": signing_key(role).key_id,
        "holder": holder,
        "role": role,
        "suspect": False,
    }
