# SPDX-License-Identifier: Apache-2.0
"""A statement that contradicts itself is refused where it does."""

from collections.abc import Callable

import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import (
    FairtrialError,
)
from app.core.statement.parse import (
    encode,
    parse_statement,
)
from app.core.statement.protocol import ProtocolPredicate
from tests.vectors.example_declarations import (
    Document,
    genesis_statement,
    key_statement,
    policy_statement,
    protocol_document,
    protocol_statement,
)
from tests.vectors.example_study import (
    receipt_statement,
    study_statement,
)
from tests.vectors.make_examples import changed

P = "/predicate"


def refusal(document: Document | bytes, **options: str) -> FairtrialError:
    data = document if isinstance(document, bytes) else canonical(document)
    with pytest.raises(FairtrialError) as refused:
        parse_statement(data, **options)
    return refused.value


def places(error: FairtrialError) -> list[tuple[str, str]]:
    return [(finding.pointer, finding.rule) for finding in error.findings]


KEY = {"/predicate/action": "revoke", f"{P}/reason": "stolen", f"{P}/suspect_from_index": 4}


def with_changes(document: Document, changes: dict[str, object]) -> Document:
    for place, value in changes.items():
        document = changed(document, place, value)
    return document


def test_key_statement_says_what_its_action_needs() -> None:
    revoked = with_changes(key_statement(), KEY)
    assert parse_statement(canonical(revoked)).kind == "key"
    error = refusal(changed(revoked, f"{P}/suspect_from_index", None))
    assert places(error) == [(f"{P}/suspect_from_index", "action")]
    admin = with_changes(key_statement(), {f"{P}/role": "admin", f"{P}/repositories": []})
    assert parse_statement(canonical(admin)).kind == "key"


SELF_CONTRADICTIONS = [
    (genesis_statement, {"/subject/0/name": "another.example"}, ("/subject/0/name", "subject")),
    (
        genesis_statement,
        {f"{P}/recovery_key": genesis_statement()["predicate"]["statement_key"]},
        (P, "distinct"),
    ),
    (key_statement, {f"{P}/key/spki": "A" * 41}, (f"{P}/key/spki", "base64")),
    (policy_statement, {f"{P}/ledger/genesis": None}, (f"{P}/ledger/genesis", "audience")),
    (
        policy_statement,
        {f"{P}/claims/0/required/0/protocols": ["0" * 64, "0" * 64]},
        (f"{P}/claims/0/required/0/protocols/1", "distinct"),
    ),
    (
        receipt_statement,
        {f"{P}/finished_at": "2026-02-30T00:00:00Z"},
        (f"{P}/finished_at", "instant"),
    ),
    (
        study_statement,
        {f"{P}/replay": {"source": "a thread", "not_published": ["head.tree", "head.tree"]}},
        (f"{P}/replay/not_published/1", "distinct"),
    ),
    (study_statement, {f"{P}/repository": "github.com/a/b"}, ("/subject/0/name", "subject")),
]


@pytest.mark.parametrize(("make", "changes", "expected"), SELF_CONTRADICTIONS)
def test_statement_that_contradicts_itself_is_refused(
    make: Callable[[], Document], changes: dict[str, object], expected: tuple[str, str]
) -> None:
    assert places(refusal(with_changes(make(), changes))) == [expected]


def test_ledger_without_a_recovery_key_is_a_ledger() -> None:
    document = changed(genesis_statement(), f"{P}/recovery_key", None)
    assert parse_statement(canonical(document)).audience.genesis is None


def test_receipt_without_client_instants_is_accepted() -> None:
    document = with_changes(
        receipt_statement(), {f"{P}/started_at": None, f"{P}/finished_at": None}
    )
    assert parse_statement(canonical(document)).kind == "receipt"


def test_subject_of_a_lock_follows_from_the_document() -> None:
    parsed = parse_statement(canonical(protocol_statement()))
    assert isinstance(parsed.predicate, ProtocolPredicate)
    assert sha256_hex(encode(parsed.predicate.document)) == sha256_hex(
        canonical(protocol_document())
    )
