# SPDX-License-Identifier: Apache-2.0
"""Bundles of the ledger in memory, whole and taken apart."""

import json
from typing import Any

from app.core.admission.line import line_of
from app.core.canonical import canonical
from app.core.digest import from_base64, sha256_hex, to_base64
from app.core.identity import instant_of
from app.core.log.leaf import Leaf, head_line, parse_leaf
from app.core.signing.envelope import sign, to_json
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.fold import verdict_bytes
from tests.factories import Draft, Story, begun, signing_key
from tests.unit.core.verdict.tales import (
    append_verdicts,
    run_study,
    words,
)

Records = list[dict[str, Any]]


def lines_of(data: bytes) -> Records:
    return [json.loads(line) for line in data.splitlines()]


def data_of(records: Records) -> bytes:
    return b"".join(canonical(record) + b"\n" for record in records)


def passed() -> Story:
    story = begun()
    run_study(story)
    story.close_due()
    append_verdicts(story)
    return story


def served(story: Story) -> dict[str | None, bytes]:
    found: dict[str | None, VerdictDocument] = dict(words(story))
    return {claim: verdict_bytes(document) for claim, document in found.items()}


def kind_of(record: dict[str, Any]) -> str | None:
    return parse_leaf(from_base64(record["leaf"])).kind if record["record"] == "entry" else None


def unknown_record(story: Story, payload: bytes, *, line: str | None = None) -> dict[str, Any]:
    head = story.standing().head
    assert head is not None
    key = signing_key("maintainer")
    leaf = Leaf(
        at=instant_of(story.now_us),
        kind="foo",
        statement=sha256_hex(payload),
        size=len(payload),
        key=key.key_id,
        line=line or head_line(head.repository, head.head),
        seq=head.length,
        prev=head.last_index,
    )
    envelope = json.loads(to_json(sign(payload, [key])))
    return {
        "record": "entry",
        "index": story.size,
        "leaf": to_base64(leaf.to_bytes()),
        "envelope": envelope,
    }


def record_of(
    story: Story, draft: Draft, *, seq: int, prev: int | None, index: int | None = None
) -> dict[str, Any]:
    """Return the record of a statement that no ledger has admitted."""
    leaf = Leaf(
        at=instant_of(story.now_us),
        kind=draft.parsed.kind,
        statement=draft.digest,
        size=len(draft.parsed.payload),
        key=draft.parsed.signer,
        line=line_of(draft.parsed),
        seq=seq,
        prev=prev,
    )
    return {
        "record": "entry",
        "index": story.size if index is None else index,
        "leaf": to_base64(leaf.to_bytes()),
        "envelope": json.loads(draft.json),
    }
