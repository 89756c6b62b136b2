# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a leaf or a head is any value of it
"""Bundles of the ledger in memory, whole and taken apart."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import msgspec
import pytest
from msgspec import structs

import tests.story
from app.core.admission.line import line_of
from app.core.admission.request import Effect
from app.core.canonical import canonical
from app.core.digest import from_base64, sha256_hex, to_base64
from app.core.errors import FairtrialError
from app.core.identity import instant_of
from app.core.log.leaf import Leaf, TreeHead, head_line, parse_leaf
from app.core.signing.envelope import sign, to_json
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.bundle import Bundle, score_bundle, write_bundle
from app.core.verdict.bundle_head import head_of_payload
from app.core.verdict.bundle_records import HeadPayload
from app.core.verdict.fold import verdict_bytes
from tests.factories import Draft, Story, begun, signing_key
from tests.unit.core.verdict.tales import (
    GrownTree,
    append_verdicts,
    bundled,
    grown,
    run_study,
    signed_head,
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
        "proof": [],
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
        "proof": [],
        "envelope": json.loads(draft.json),
    }


def refused(data: bytes) -> FairtrialError:
    """Return why a bundle is not scored."""
    with pytest.raises(FairtrialError) as caught:
        score_bundle(data)
    return caught.value


def records_of(story: Story) -> Records:
    return lines_of(write_bundle(bundled(story)))


def tricked(story: Story, draft: Draft, monkeypatch: pytest.MonkeyPatch) -> None:
    """Append what no ledger would admit."""
    with monkeypatch.context() as patch:
        patch.setattr(tests.story, "admit", lambda *_, **__: Effect.ACCEPTED)
        story.append(draft)


def resigned(records: Records, *, story: Story | None = None, **changes: Any) -> Records:
    """Return records of which the ledger itself has signed the head: who lies then is the ledger.

    ``changes`` are members of the head; lengths, root and proofs are those of the entries, unless
    given; what else stands in the tree is the story's, and reservations name that tree.
    """
    first, *rest = ({**record} for record in records)
    said = json.loads(from_base64(first["envelope"]["payload"]))
    leaves = [parse_leaf(from_base64(r["leaf"])) for r in rest if r["record"] == "entry"]
    read = head_of_payload(msgspec.convert(said, HeadPayload))
    found = Counter(leaf.line for leaf in leaves)
    ledger, repository, head = (found[line] for line in read.lines)
    whole = replace(read, **{"lengths": (ledger, repository, head), **changes})
    known = {step.entry.index: step.entry.leaf.hash() for step in (story.steps if story else ())}
    for record in rest:
        if record["record"] == "entry":
            _plant(record, known)
    tree = grown(known, whole.size)
    signed = signed_head(replace(whole, **{"root": tree.root.hex(), **changes}))
    record = lines_of(write_bundle(Bundle(signed, ())))[0]
    return [record, *(proven(one, tree) for one in rest)]


def _plant(record: dict[str, Any], known: dict[int, bytes]) -> None:
    """Put an entry into the tree; a reservation's leaf names the tree that it then stands on."""
    leaf = parse_leaf(from_base64(record["leaf"]))
    if leaf.after is not None:
        below = grown(known, record["index"])
        leaf = structs.replace(leaf, after=TreeHead(below.size, below.root.hex()))
        record["leaf"] = to_base64(leaf.to_bytes())
    known[record["index"]] = leaf.hash()


def proven(record: dict[str, Any], tree: GrownTree) -> dict[str, Any]:
    """Return an entry's record with its proof in ``tree``; other records as they are."""
    if record["record"] != "entry":
        return record
    return {**record, "proof": [to_base64(item) for item in tree.proof(record["index"])]}


def with_leaf(record: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return an entry's record with members of its leaf changed."""
    leaf = structs.replace(parse_leaf(from_base64(record["leaf"])), **changes)
    return {**record, "leaf": to_base64(leaf.to_bytes())}
