# SPDX-License-Identifier: Apache-2.0
"""A trust file that says less than it seems to is refused."""

import tomllib
from typing import Any

import pytest

from app.core.errors import MalformedDocument
from app.core.log.cosignature import Witness
from app.core.log.note import NoteVerifier
from app.core.verdict.trust import parse_trust
from tests.drafts import ORIGIN, signing_key

LOG = NoteVerifier(ORIGIN, signing_key("checkpoint").public)
WITNESS = Witness("witness.example/w1", signing_key("witness").public)
TEXT = f"""
[runner]
image = "somebody else's"

[[ledger]]
origin = "{ORIGIN}"
genesis = "{"a" * 64}"
checkpoint_key = "{LOG.to_vkey()}"
quorum = 1

[[ledger.witness]]
key = "{WITNESS.to_vkey()}"
"""


def given() -> dict[str, Any]:
    return tomllib.loads(TEXT)


def test_a_trust_file_names_a_log_and_its_witnesses() -> None:
    (found,) = parse_trust(given())
    assert (found.origin, found.genesis, found.log) == (ORIGIN, "a" * 64, LOG)
    assert (found.witnesses, found.quorum) == ((WITNESS,), 1)


def test_witnesses_may_be_left_out() -> None:
    document = given()
    del document["ledger"][0]["witness"], document["ledger"][0]["quorum"]
    (found,) = parse_trust(document)
    assert (found.witnesses, found.quorum) == ((), 0)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"qourum": 1}, "expected origin"),
        ({"quorum": 2}, "quorum is larger"),
        ({"quorum": -1}, "expected origin"),
        ({"genesis": "a"}, "expected origin"),
        ({"checkpoint_key": "no key"}, "expected verifier keys"),
        ({"witness": [{"key": LOG.to_vkey()}]}, "expected verifier keys"),
        ({"witness": [{"key": WITNESS.to_vkey()}] * 2}, "each witness once"),
        ({"origin": "other.example"}, "must be the origin"),
    ],
)
def test_s16_a_trust_file_of_another_form_is_refused(change: dict[str, Any], expected: str) -> None:
    document = given()
    document["ledger"][0] |= change
    with pytest.raises(MalformedDocument) as caught:
        parse_trust(document)
    assert caught.value.code == "trust"
    assert expected in caught.value.detail


@pytest.mark.parametrize("ledgers", [[], [given()["ledger"][0]] * 2])
def test_s16_a_trust_file_without_a_ledger_or_with_one_twice_is_refused(
    ledgers: list[dict[str, Any]],
) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_trust({"ledger": ledgers})
    assert caught.value.code == "trust"
    with pytest.raises(MalformedDocument):
        parse_trust({})
