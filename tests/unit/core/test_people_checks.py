# SPDX-License-Identifier: Apache-2.0
"""What the statements of people must be in themselves, beyond what their schemas say."""

import pytest

from app.core.canonical import canonical
from app.core.errors import SchemaViolation
from app.core.statement.parse import parse_statement
from tests.vectors.example_declarations import HEAD, Document, head_subject
from tests.vectors.example_people import (
    decision_statement,
    hold_statement,
    ref_statement,
    review_statement,
)
from tests.vectors.make_examples import changed

P = "/predicate"
CLEARS = {
    f"{P}/action": "clear",
    f"{P}/clears": "0" * 64,
    f"{P}/until": None,
    f"{P}/next_action": None,
    f"{P}/author_action_now": None,
}
LANDED = {f"{P}/decided": "landed_through", f"{P}/scope": None, f"{P}/expires_at": None}
NOWHERE = {"change": None, "head": None, "claim": "land"}
TWICE = [{"what": "a", "sha256": "0" * 64}, {"what": "b", "sha256": "0" * 64}]


def told(document: Document, changes: Document) -> Document:
    for place, value in changes.items():
        document = changed(document, place, value)
    return document


def on_head(**about: object) -> Document:
    whole = {"head": HEAD, "changes": [], "claim": None} | about
    return told(hold_statement(), {"/subject/0": head_subject(), f"{P}/applies_to": whole})


@pytest.mark.parametrize(
    "document",
    [
        told(hold_statement(), CLEARS),
        on_head(),
        on_head(claim="land"),
        told(decision_statement(), {**LANDED, f"{P}/through": NOWHERE | {"change": "309"}}),
        told(decision_statement(), {**LANDED, f"{P}/through": NOWHERE | {"head": HEAD}}),
    ],
)
def test_statement_that_agrees_with_itself_is_read(document: Document) -> None:
    assert parse_statement(canonical(document)).payload == canonical(document)


@pytest.mark.parametrize(
    ("document", "pointer", "rule"),
    [
        (on_head(changes=["180"]), f"{P}/applies_to/changes", "applies-to"),
        (
            told(hold_statement(), CLEARS | {f"{P}/supersedes": "1" * 64}),
            f"{P}/supersedes",
            "action",
        ),
        (
            told(hold_statement(), {f"{P}/repository": "h.example/o/n"}),
            "/subject/0/name",
            "subject",
        ),
        (told(on_head(), {f"{P}/repository": "h.example/o/n"}), "/subject/0/name", "subject"),
        (
            told(on_head(), {"/subject/0/digest/gitCommit": "0" * 40}),
            "/subject/0/digest/gitCommit",
            "subject",
        ),
        (
            told(on_head(), {"/subject/0/digest/sha256": "0" * 64}),
            "/subject/0/digest",
            "subject",
        ),
        (
            told(hold_statement(), {"/subject/0/digest/gitCommit": HEAD}),
            "/subject/0/digest",
            "subject",
        ),
        (told(review_statement(), {f"{P}/evidence": TWICE}), f"{P}/evidence/1", "distinct"),
        (
            told(decision_statement(), {**LANDED, f"{P}/through": NOWHERE}),
            f"{P}/through",
            "through",
        ),
        (
            told(decision_statement(), {f"{P}/decided": "declined", f"{P}/scope": None}),
            f"{P}/expires_at",
            "decided",
        ),
        (
            told(ref_statement(), {"/subject/0/digest/sha256": "0" * 64}),
            "/subject/0/digest/sha256",
            "subject",
        ),
    ],
)
def test_statement_that_contradicts_itself_is_refused(
    document: Document, pointer: str, rule: str
) -> None:
    with pytest.raises(SchemaViolation) as refused:
        parse_statement(canonical(document))
    found = refused.value.findings[0]
    assert (found.pointer, found.rule) == (pointer, rule)
