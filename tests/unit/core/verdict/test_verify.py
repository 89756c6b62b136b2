# SPDX-License-Identifier: Apache-2.0
"""Whoever checks a bundle learns what holds, what does not, and whose word is left."""

from dataclasses import replace

import pytest

from app.core.canonical import canonical
from app.core.log.cosignature import Witness, cosign
from app.core.log.note import Note, NoteSigner, parse_note
from app.core.verdict.bundle import write_bundle
from app.core.verdict.verification import VerificationOutcome
from app.core.verdict.verify import Asked
from tests.drafts import HEAD, ORIGIN, REPOSITORY, signing_key
from tests.factories import Story
from tests.unit.core.verdict.bundles import (
    Records,
    data_of,
    kind_of,
    passed,
    records_of,
    resigned,
    served,
    unknown_record,
)
from tests.unit.core.verdict.checking import checked, decided, states, trusted
from tests.unit.core.verdict.tales import bundled

WITNESSES = tuple(Witness(f"w{n}.example", signing_key(f"w{n}").public) for n in range(3))
AT_S = 1_790_000_000


def test_s16_a_bundle_of_a_trusted_ledger_verifies_and_gives_the_served_bytes() -> None:
    story = passed()
    found = checked(write_bundle(bundled(story)), trusted(story))
    assert decided(found) == (VerificationOutcome.VERIFIED, "")
    assert found.documents == served(story)
    assert set(states(found).values()) == {"ok", "not-asked"}


def test_s16_without_trust_everything_is_checked_and_the_bundle_vouches_for_itself() -> None:
    found = checked(write_bundle(bundled(passed())))
    assert decided(found) == (VerificationOutcome.UNTRUSTED, "untrusted")
    assert [name for name, state in states(found).items() if state == "failed"] == ["trust"]
    assert found.first_failure is not None
    assert "vouches for itself" in found.first_failure.detail
    assert found.documents


@pytest.mark.parametrize("change", ["genesis", "log"])
def test_s16_a_forged_ledger_of_the_same_origin_is_another_s_signature(change: str) -> None:
    story = passed()
    other = NoteSigner(ORIGIN, signing_key("forger")).verifier
    trust = trusted(story, **({"log": other} if change == "log" else {"genesis": "0" * 64}))
    found = checked(write_bundle(bundled(story)), trust)
    assert decided(found) == (VerificationOutcome.BAD_SIGNATURE, "other-ledger")


def test_s16_a_ledger_that_no_trust_names_is_untrusted() -> None:
    story = passed()
    other = NoteSigner("other.example", signing_key("checkpoint")).verifier
    found = checked(write_bundle(bundled(story)), trusted(story, origin="other.example", log=other))
    assert decided(found) == (VerificationOutcome.UNTRUSTED, "untrusted")


@pytest.mark.parametrize("data", [b"", b"\n", b" \n\n"])
def test_s13_nothing_to_verify_does_not_pass(data: bytes) -> None:
    found = checked(data)
    assert decided(found) == (VerificationOutcome.NO_MATCH, "no-match")
    assert found.bundle is None


def test_s13_a_claim_that_no_policy_names_does_not_pass() -> None:
    story = passed()
    data = write_bundle(bundled(story))
    found = checked(data, trusted(story), asked=Asked(claim="default"))
    assert decided(found) == (VerificationOutcome.NO_MATCH, "no-match")
    assert checked(data, trusted(story), asked=Asked(claim="land")).outcome == "verified"


@pytest.mark.parametrize("asked", [Asked(repository="github.com/a/b"), Asked(head="0" * 7)])
def test_s14_a_bundle_about_another_head_does_not_pass(asked: Asked) -> None:
    story = passed()
    found = checked(write_bundle(bundled(story)), trusted(story), asked=asked)
    assert decided(found) == (VerificationOutcome.UNPROVEN, "other-subject")
    for head in (HEAD, HEAD[:7]):
        right = Asked(repository=REPOSITORY, head=head)
        found = checked(write_bundle(bundled(story)), trusted(story), asked=right)
        assert found.outcome == "verified"


def test_l30_a_kind_that_this_reader_does_not_know_does_not_pass() -> None:
    story = passed()
    records = records_of(story)
    at = max(n for n, r in enumerate(records) if r["record"] == "entry") + 1
    entry = unknown_record(story, canonical({"predicateType": "urn:fairtrial:foo:v9"}))
    grew = resigned([*records[:at], entry, *records[at:]], size=story.size + 1)
    found = checked(data_of(grew), trusted(story))
    assert decided(found) == (VerificationOutcome.NO_MATCH, "unknown-statement")


def place(records: Records, kind: str) -> int:
    return next(n for n, record in enumerate(records) if kind_of(record) == kind)


@pytest.mark.parametrize("kind", ["key", "policy", "receipt", "verdict"])
def test_l26_a_bundle_that_leaves_an_entry_out_has_a_gap(kind: str) -> None:
    story = passed()
    records = records_of(story)
    del records[place(records, kind)]
    found = checked(data_of(records), trusted(story))
    assert decided(found) == (VerificationOutcome.UNPROVEN, "line-incomplete")
    assert states(found)["form"] == "ok"
    assert states(found)["entries"] == "not-reached"


def test_s14_a_swapped_proof_is_none() -> None:
    story = passed()
    records = records_of(story)
    one, other = place(records, "receipt"), place(records, "study")
    records[one]["proof"], records[other]["proof"] = records[other]["proof"], records[one]["proof"]
    found = checked(data_of(records), trusted(story))
    assert decided(found) == (VerificationOutcome.UNPROVEN, "inclusion-proof")


def test_what_is_no_bundle_is_damage() -> None:
    for data in (b"no bundle\n", write_bundle(bundled(passed()))[:-9]):
        assert decided(checked(data)) == (VerificationOutcome.DAMAGED, "bundle")


def test_a_signature_that_does_not_verify_is_named_where_it_stands() -> None:
    story = passed()
    for at, name in ((0, "head"), (3, "entries")):
        records = records_of(story)
        signatures = records[at]["envelope"]["signatures"]
        signatures[0]["sig"] = records[5]["envelope"]["signatures"][0]["sig"]
        found = checked(data_of(records), trusted(story))
        assert decided(found) == (VerificationOutcome.BAD_SIGNATURE, "bad-signature")
        assert found.first_failure is not None
        assert (found.first_failure.name, found.bundle is None) == (name, name == "head")


def test_a_capture_that_is_not_there_is_damage() -> None:
    story = passed()
    records = [r for r in records_of(story) if r["record"] != "capture"]
    found = checked(data_of(records), trusted(story))
    assert decided(found) == (VerificationOutcome.DAMAGED, "capture-missing")
    assert states(found)["verdicts"] == "not-reached"


def test_a_key_that_had_ended_vouches_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    story = passed()
    data = write_bundle(bundled(story))
    with monkeypatch.context() as patch:
        patch.setattr("app.core.keyring.keyring.Grant.holds_at", lambda *_: False)
        found = checked(data, trusted(story))
    assert decided(found) == (VerificationOutcome.UNTRUSTED, "key-ended")


# ---- witnesses ----


def cosigned(story: Story, *names: str, spoilt: bool = False) -> bytes:
    bundle = bundled(story)
    note = parse_note(bundle.signed.checkpoint.encode())
    text = note.text.replace(ORIGIN, "other") if spoilt else note.text
    lines = [cosign(text, f"{name}.example", signing_key(name), at_s=AT_S) for name in names]
    full = Note(note.text, (*note.signatures, *lines)).to_bytes().decode()
    return write_bundle(replace(bundle, signed=replace(bundle.signed, checkpoint=full)))


@pytest.mark.parametrize(("quorum", "names"), [(0, ""), (1, "w0"), (2, "w0 w2")])
def test_r16_enough_witnesses_have_cosigned(quorum: int, names: str) -> None:
    story = passed()
    trust = trusted(story, witnesses=WITNESSES, quorum=quorum)
    found = checked(cosigned(story, *names.split()), trust)
    assert found.outcome == "verified"
    assert states(found)["witnesses"] == "ok"


def test_r16_too_few_witnesses_are_too_few() -> None:
    story = passed()
    trust = trusted(story, witnesses=WITNESSES, quorum=2)
    found = checked(cosigned(story, "w0", "stranger"), trust)
    assert decided(found) == (VerificationOutcome.UNTRUSTED, "quorum")


def test_r16_a_witness_s_cosignature_over_something_else_is_a_bad_signature() -> None:
    story = passed()
    trust = trusted(story, witnesses=WITNESSES)
    found = checked(cosigned(story, "w0", spoilt=True), trust)
    assert decided(found) == (VerificationOutcome.BAD_SIGNATURE, "note-signature")
