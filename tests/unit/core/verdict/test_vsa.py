# SPDX-License-Identifier: Apache-2.0
"""A HOLD is neither a pass nor a failure, also where a format has only those two words."""

import json

import pytest
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement
from msgspec.structs import replace as changed

from app.core.digest import sha256_hex
from app.core.errors import Unprocessable
from app.core.verdict.fold import verdict_bytes
from app.core.verdict.vsa import PREDICATE_TYPE, vsa_of
from tests import facts
from tests.drafts import HEAD
from tests.factories import begun
from tests.unit.core.verdict.bundles import passed
from tests.unit.core.verdict.tales import B, run_study, word

VERIFIER = "https://ledger.example/tests"


def test_a_qualified_head_is_a_summary_that_passed_and_others_can_read_it() -> None:
    document = word(passed())
    said = json.loads(vsa_of(document, verifier=VERIFIER))
    (subject,) = said["subject"]
    described = ResourceDescriptor(name=subject["name"], digest=subject["digest"])
    theirs = Statement([described.pb], said["predicateType"], said["predicate"])
    theirs.validate()
    assert (said["predicateType"], said["subject"][0]["digest"]) == (
        PREDICATE_TYPE,
        {"gitCommit": HEAD},
    )
    predicate = said["predicate"]
    assert (predicate["verificationResult"], predicate["verifiedLevels"]) == (
        "PASSED",
        ["FAIRTRIAL_LAND"],
    )
    (attested,) = predicate["inputAttestations"]
    assert attested["digest"]["sha256"] == sha256_hex(verdict_bytes(document))
    assert predicate["policy"]["digest"]["sha256"] == document.policy


def test_a_head_that_is_not_qualified_is_a_summary_that_failed() -> None:
    story = begun()
    run_study(story, {B: facts.starved()})
    story.close_due()
    predicate = json.loads(vsa_of(word(story), verifier=VERIFIER))["predicate"]
    assert (predicate["verificationResult"], predicate["verifiedLevels"]) == ("FAILED", [])


def test_a_hold_has_no_summary() -> None:
    held = word(begun())
    assert held.word == "HOLD"
    good = word(passed())
    for document in (held, changed(good, policy=None), changed(good, claim=None)):
        with pytest.raises(Unprocessable) as caught:
            vsa_of(document, verifier=VERIFIER)
        assert caught.value.code == "no-vsa"
