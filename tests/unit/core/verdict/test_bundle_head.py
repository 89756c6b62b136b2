# SPDX-License-Identifier: Apache-2.0
"""A tail that is cut off, and what the ledger signs so that it shows."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.canonical import canonical
from app.core.digest import to_base64
from app.core.errors import (
    IntegrityBroken,
    MalformedDocument,
    NotAuthenticated,
)
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.note import NoteSigner
from app.core.signing.envelope import Envelope, sign
from app.core.verdict.bundle import (
    head_at,
    payload_of,
    read_bundle,
    score_bundle,
)
from app.core.verdict.bundle_head import PAYLOAD_TYPE
from tests.drafts import ORIGIN
from tests.factories import Story, begun, signing_key
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    passed,
    records_of,
    refused,
    resigned,
    unknown_record,
    with_leaf,
)
from tests.unit.core.verdict.tales import run_study


def without(records: Records, *kinds: str) -> Records:
    return [record for record in records if kind_of(record) not in kinds]


def test_l26_a_tail_cut_off_at_any_entry_is_refused_by_line_and_seq() -> None:
    """With every record that belongs to what is left."""
    records = records_of(passed())
    entries = [n for n, record in enumerate(records) if record["record"] == "entry"]
    for cut in range(1, len(entries) + 1):
        kept = [r for n, r in enumerate(records) if n not in entries[-cut:]]
        for left in (kept, [r for r in kept if r["record"] not in {"sealed", "capture"}]):
            error = refused(data_of(left))
            assert isinstance(error, IntegrityBroken)
            assert error.code == "line-incomplete"


def test_l26_a_tail_stays_cut_off_whatever_lengths_are_written_beside_it() -> None:
    """Only the ledger can sign a head; another key's, or another payload's signature, is none."""
    story = passed()
    records = without(records_of(story), "closure", "verdict")
    honest = records[0]["envelope"]["signatures"]
    forged = resigned(records)
    forged[0]["envelope"]["signatures"] = honest
    error = refused(data_of(forged))
    assert isinstance(error, NotAuthenticated)
    assert error.code == "bad-signature"
    stranger = signing_key("stranger")
    payload = payload_of(read_bundle(data_of(resigned(records))).head)
    envelope = sign(payload, [stranger], payload_type=PAYLOAD_TYPE)
    forged[0]["envelope"]["signatures"] = [
        {"keyid": one.keyid, "sig": to_base64(one.sig)} for one in envelope.signatures
    ]
    assert refused(data_of(forged)).code == "unknown-key"


def test_more_entries_than_the_ledger_signed_for_are_refused() -> None:
    records = records_of(passed())
    lengths = read_bundle(data_of(records)).head.lengths
    for place in range(3):
        fewer = tuple(n - (place == at) for at, n in enumerate(lengths))
        error = refused(data_of(resigned(records, lengths=fewer)))
        assert (type(error), error.code) == (IntegrityBroken, "bundle-head")


def envelope_record(envelope: Envelope) -> dict[str, Any]:
    return {
        "payload": to_base64(envelope.payload),
        "payloadType": envelope.payload_type,
        "signatures": [
            {"keyid": one.keyid, "sig": to_base64(one.sig)} for one in envelope.signatures
        ],
    }


def with_head(records: Records, envelope: Envelope) -> bytes:
    return data_of([{**records[0], "envelope": envelope_record(envelope)}, *records[1:]])


def test_a_head_signed_as_a_statement_is_refused() -> None:
    """A statement key signs statements too; its signature over one is none over a head."""
    records = records_of(passed())
    payload = payload_of(read_bundle(data_of(records)).head)
    error = refused(with_head(records, sign(payload, [signing_key("ledger")])))
    assert (type(error), error.code) == (IntegrityBroken, "bundle-head")


def test_a_head_with_further_signatures_is_refused() -> None:
    records = records_of(passed())
    payload = payload_of(read_bundle(data_of(records)).head)
    keys = [signing_key("ledger"), signing_key("stranger")]
    error = refused(with_head(records, sign(payload, keys, payload_type=PAYLOAD_TYPE)))
    assert (type(error), error.code) == (IntegrityBroken, "bundle-head")


@pytest.mark.parametrize("payload", [b"no JSON", canonical({"origin": ORIGIN})])
def test_a_head_that_is_none_is_refused(payload: bytes) -> None:
    envelope = sign(payload, [signing_key("ledger")], payload_type=PAYLOAD_TYPE)
    error = refused(with_head(records_of(passed()), envelope))
    assert (type(error), error.code) == (MalformedDocument, "bundle")


def checkpoint(story: Story, *, signer: str = "checkpoint", origin: str = ORIGIN, **to: Any) -> str:  # noqa: ANN401  a size or a root
    tree: dict[str, Any] = {"size": story.size, "root": bytes.fromhex(story.roots[-1]), **to}
    note = NoteSigner(origin, signing_key(signer))
    return sign_checkpoint(Checkpoint(origin, **tree), [note]).decode()


def test_a_checkpoint_of_another_tree_or_by_another_key_is_refused() -> None:
    story = passed()
    records = records_of(story)
    for note in (
        "no note",
        checkpoint(story, signer="ledger"),
        checkpoint(story, origin="other.example"),
        checkpoint(story, size=story.size - 1),
        checkpoint(story, root=bytes(32)),
    ):
        error = refused(data_of([{**records[0], "checkpoint": note}, *records[1:]]))
        assert (type(error), error.code) == (IntegrityBroken, "bundle-checkpoint")
    assert score_bundle(data_of([{**records[0], "checkpoint": checkpoint(story)}, *records[1:]]))


def test_a_bundle_of_no_ledger_or_of_no_head_is_not_written() -> None:
    story = begun()
    for standing in (Story().standing(), replace(story.standing(), head=None)):
        with pytest.raises(IntegrityBroken) as caught:
            head_at(standing, size=1, root="0" * 64, log_time_us=0)
        assert caught.value.code == "bundle-head"


def test_a_bundle_that_begins_with_another_entry_has_no_genesis() -> None:
    """Its leaf would have to be the first of the ledger's line."""
    story = begun()
    records = records_of(story)
    key = next(r for r in records if kind_of(r) == "key")
    first = {**with_leaf(key, seq=0, prev=None), "index": 0}
    others = [r for r in records if kind_of(r) in {"protocol", "policy"}]
    assert refused(data_of(resigned([records[0], first, *others]))).code == "bundle-origin"


def test_an_unknown_genesis_is_no_genesis() -> None:
    story = begun()
    payload = canonical({"predicateType": "urn:fairtrial:genesis:v9"})
    first = {**unknown_record(story, payload, line="ledger"), "index": 0}
    records = records_of(story)
    forged = resigned([records[0], with_leaf(first, seq=0, prev=None)])
    assert refused(data_of(forged)).code == "bundle-origin"


def test_a_study_whose_lock_was_cut_off_is_refused() -> None:
    story = begun(policy=False)
    run_study(story)
    records = records_of(story)
    lock = next(n for n, record in enumerate(records) if kind_of(record) == "protocol")
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(records[:lock] + records[lock + 1 :]))
    assert caught.value.code == "line-incomplete"
    assert "line repo:" in caught.value.detail
    assert "seq 0 " in caught.value.detail
