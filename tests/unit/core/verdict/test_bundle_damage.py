# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a bundle is said, and nothing is scored."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import zstandard
from msgspec import structs

from app.core.digest import from_base64
from app.core.errors import IntegrityBroken, MalformedDocument, NotAllowed, NotAuthenticated
from app.core.identity import Role
from app.core.log.leaf import parse_leaf
from app.core.signing.envelope import Signature
from app.core.verdict.bundle import (
    read_bundle,
    score_bundle,
    write_bundle,
)
from tests import documents, facts
from tests.factories import begun
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    lines_of,
    passed,
    record_of,
    resigned,
)
from tests.unit.core.verdict.tales import (
    B,
    bundled,
    run_study,
)


def test_l26_a_bundle_that_leaves_out_any_entry_is_refused_by_line_and_seq() -> None:
    records = lines_of(write_bundle(bundled(passed())))
    entries = [n for n, record in enumerate(records) if record["record"] == "entry"]
    for n in entries:
        leaf = parse_leaf(from_base64(records[n]["leaf"]))
        with pytest.raises(IntegrityBroken) as caught:
            score_bundle(data_of(records[:n] + records[n + 1 :]))
        assert caught.value.code == "line-incomplete", leaf
        assert f"line {leaf.line} " in caught.value.detail
        assert f"seq {leaf.seq} " in caught.value.detail


def test_a_wrong_signature_is_refused() -> None:
    bundle = bundled(passed())
    first, *rest = bundle.entries
    (one, *others) = first.envelope.signatures
    broken = replace(first.envelope, signatures=(Signature(one.keyid, bytes(64)), *others))
    spoiled = replace(bundle, entries=(replace(first, envelope=broken), *rest))
    with pytest.raises(NotAuthenticated) as caught:
        score_bundle(write_bundle(spoiled))
    assert caught.value.code == "bad-signature"


def test_a_statement_signed_by_a_key_that_was_never_granted_is_refused() -> None:
    bundle = bundled(passed())
    kept = [one for one in bundle.entries if one.entry.leaf.kind not in {"key", "verdict"}]
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(write_bundle(replace(bundle, entries=tuple(kept))))
    assert caught.value.code == "line-incomplete"
    assert "line ledger " in caught.value.detail


def test_a_capture_of_a_closed_study_that_is_not_there_is_named() -> None:
    bundle = bundled(passed())
    captures = dict(bundle.captures)
    gone = captures.popitem()[0]
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(write_bundle(replace(bundle, captures=captures)))
    assert (caught.value.code, gone in caught.value.detail) == ("capture-missing", True)


def test_a_sealed_outcome_never_stands_for_a_capture_of_a_closed_study() -> None:
    story = begun()
    run_study(story, {B: facts.starved()})
    records = lines_of(write_bundle(bundled(story)))
    receipts = [r for r in records if kind_of(r) == "receipt"]
    sealed: Records = [
        {
            "record": "sealed",
            "receipt": parse_leaf(from_base64(receipt["leaf"])).statement,
            "state": "COMPLETE",
            "fault": None,
            "reasons": [],
            "measured": True,
            "retryable": False,
        }
        for receipt in receipts
    ]
    first_capture = next(n for n, r in enumerate(records) if r["record"] == "capture")
    with_both = [*records[:first_capture], *sealed, *records[first_capture:]]
    for forged, code in (
        (with_both, "bundle-records"),
        ([*records[:first_capture], *sealed], "capture-missing"),
    ):
        with pytest.raises(IntegrityBroken) as caught:
            score_bundle(data_of(forged))
        assert caught.value.code == code


def test_a_closure_of_a_study_that_is_open_by_the_entries_is_damage() -> None:
    story = passed()
    records = lines_of(write_bundle(bundled(story)))
    receipts = [r for r in records if kind_of(r) == "receipt"]
    sealed: Records = [
        {
            "record": "sealed",
            "receipt": parse_leaf(from_base64(receipts[0]["leaf"])).statement,
            "state": "WARMUP_FAILED",
            "fault": "harness",
            "reasons": [],
            "measured": False,
            "retryable": True,
        }
    ]
    captures = [r for r in records if r["record"] == "capture"]
    data = data_of([r for r in records if r["record"] != "capture"] + sealed + captures[1:])
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data)
    assert caught.value.code == "closure"


@pytest.mark.parametrize(
    "zstd",
    [
        lambda plain: zstandard.ZstdCompressor().compress(plain + b" "),
        lambda plain: zstandard.ZstdCompressor().compress(plain[:-1]),
        lambda plain: zstandard.ZstdCompressor().compress(plain[:-1] + b"]"),
        lambda plain: zstandard.ZstdCompressor().compress(bytes(50_000_000)),
        lambda plain: plain,
        lambda plain: zstandard.ZstdCompressor().compress(plain)[:20],
        lambda plain: zstandard.ZstdCompressor().compress(plain) + b"more",
        lambda plain: zstandard.ZstdCompressor(write_content_size=False).compress(plain + b" "),
    ],
    ids=["longer", "shorter", "other", "bomb", "not-zstd", "cut", "trailing", "unsaid"],
)
def test_a_capture_whose_bytes_are_not_the_receipts_is_refused(
    zstd: Callable[[bytes], bytes],
) -> None:
    bundle = bundled(passed())
    sha256, data = min(bundle.captures.items())
    spoiled = zstd(zstandard.ZstdDecompressor().decompress(data))
    data = write_bundle(replace(bundle, captures={**bundle.captures, sha256: spoiled}))
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data)
    assert caught.value.code == "capture-digest"


def test_a_capture_that_no_receipt_names_is_refused() -> None:
    bundle = bundled(passed())
    captures = {**bundle.captures, "f" * 64: next(iter(bundle.captures.values()))}
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(write_bundle(replace(bundle, captures=captures)))
    assert caught.value.code == "capture-digest"


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("origin", "other.example"),
        ("log_time", "2026-01-01T00:00:00.000000Z"),
        ("size", 2),
        ("head", documents.commit("other head")),
        ("repository", "github.com/other/recipe"),
    ],
)
def test_a_bundle_that_says_something_else_than_its_ledger_signed_is_refused(
    member: str, value: object
) -> None:
    records = lines_of(write_bundle(bundled(passed())))
    records[0][member] = value
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(records))
    assert caught.value.code == "bundle-head"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"origin": "other.example"}, "bundle-origin"),
        ({"genesis": "0" * 64}, "bundle-origin"),
        ({"log_time_us": 1_780_000_000_000_000}, "bundle-log-time"),
        ({"log_time_us": 1_890_000_000_000_000}, "bundle-log-time"),
        ({"size": 2}, "line-foreign"),
        ({"head": documents.commit("other head")}, "line-foreign"),
        ({"repository": "github.com/other/recipe"}, "line-foreign"),
    ],
)
def test_a_bundle_of_something_else_is_refused_although_the_ledger_signed_it(
    changes: dict[str, Any], code: str
) -> None:
    records = lines_of(write_bundle(bundled(passed())))
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(resigned(records, **changes)))
    assert caught.value.code == code


def test_an_empty_bundle_has_no_genesis() -> None:
    records = lines_of(write_bundle(bundled(begun())))
    for empty in (records[:1], resigned(records[:1])):
        with pytest.raises(IntegrityBroken) as caught:
            score_bundle(data_of(empty))
        assert caught.value.code == "line-incomplete"
        assert "line ledger " in caught.value.detail
        assert "seq 0 " in caught.value.detail


def test_entries_out_of_order_are_refused() -> None:
    records = lines_of(write_bundle(bundled(begun())))
    records[1], records[2] = records[2], records[1]
    with pytest.raises(IntegrityBroken):
        read_bundle(data_of(records))


def test_a_statement_on_another_line_than_its_own_is_refused() -> None:
    bundle = bundled(begun())
    last = bundle.entries[-1]
    assert last.entry.leaf.line.startswith("repo:")
    keys = [one for one in bundle.entries if one.entry.leaf.line == "ledger"]
    leaf = structs.replace(last.entry.leaf, line="ledger", seq=len(keys), prev=keys[-1].entry.index)
    moved = replace(last, entry=structs.replace(last.entry, leaf=leaf))
    data = write_bundle(replace(bundle, entries=(*bundle.entries[:-1], moved)))
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(resigned(lines_of(data))))
    assert caught.value.code == "line-foreign"


@pytest.mark.parametrize(
    "change",
    [
        lambda records: b"",
        lambda records: data_of(records)[:-1],
        lambda records: data_of(records[1:]),
        lambda records: data_of([*records, records[0]]),
        lambda records: data_of([records[0], *records]),
        lambda records: data_of([records[0], records[-1], *records[1:-1]]),
        lambda records: data_of([*records, records[-1]]),
        lambda records: data_of(records) + b"\n",
        lambda records: data_of(records) + b"{}\n",
        lambda records: data_of(records) + b'{"record":"rumour"}\n',
        lambda records: data_of([{**records[0], "version": 2}, *records[1:]]),
        lambda records: data_of([{**records[0], "note": "x"}, *records[1:]]),
        lambda records: data_of(records).replace(b'"record":', b'"record": ', 1),
        lambda records: data_of([records[0], {**records[1], "leaf": "****"}, *records[2:]]),
        lambda records: data_of([*records[:-1], {**records[-1], "zstd": "****"}]),
        lambda records: b"\xff\xfe\n",
    ],
)
def test_what_is_no_bundle_is_refused(change: Callable[[Records], bytes]) -> None:
    records = lines_of(write_bundle(bundled(passed())))
    with pytest.raises(MalformedDocument) as caught:
        score_bundle(change(records))
    assert caught.value.code == "bundle"


def test_a_changed_payload_is_not_the_one_its_leaf_names() -> None:
    records = lines_of(write_bundle(bundled(passed())))
    first, second = records[1]["envelope"], records[2]["envelope"]
    records[1]["envelope"], records[2]["envelope"] = second, first
    with pytest.raises(IntegrityBroken) as caught:
        score_bundle(data_of(records))
    assert caught.value.code == "entry"


def test_a_line_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write_bundle(bundled(begun()))
    monkeypatch.setattr("app.core.verdict.bundle_file.MAX_LINE_BYTES", 10)
    with pytest.raises(MalformedDocument):
        read_bundle(data)


def test_a_statement_behind_the_end_of_its_keys_grant_is_refused() -> None:
    """No ledger admits it; a forged bundle might hold it."""
    story = begun()
    checkpoint = story.checkpoint()
    ended: dict[str, Any] = {"action": "revoke", "reason": "lost", "suspect_from_index": story.size}
    revoke = story.make.key("maintainer", Role.MAINTAINER, checkpoint=checkpoint, **ended)
    ledger, repository = story.standing().ledger, story.standing().repository
    records = lines_of(write_bundle(bundled(story)))
    records.append(record_of(story, revoke, seq=ledger.length, prev=ledger.last_index))
    records.append(
        record_of(
            story,
            story.make.policy(protocols=["1" * 64]),
            seq=repository.length,
            prev=repository.last_index,
            index=story.size + 1,
        )
    )
    grown = resigned(records, size=story.size + 2)
    with pytest.raises(NotAllowed) as caught:
        score_bundle(data_of(grown))
    assert caught.value.code == "key-ended"
