# SPDX-License-Identifier: Apache-2.0
"""Protocols, policies and signed files: what is declared, shown and sent as it stands."""

from pathlib import Path

from app.core.digest import sha256_hex
from app.core.signing.envelope import parse_envelope, verify_signature
from app.core.signing.keys import parse_signing_key
from tests.functional import papers
from tests.functional.conftest import Opened, Service
from tests.functional.papers import write
from tests.functional.processes import Here, read


def test_protocol_and_policy_are_shown_as_they_stand(on_sqlite: Service, study: Opened) -> None:
    del study  # what it stands on is locked
    somebody = on_sqlite.speak()
    shown = somebody.result("protocol", "show", papers.DIGEST)
    assert sha256_hex(shown) == papers.DIGEST
    assert papers.DIGEST in somebody.result("protocol", "list").decode()
    policy = read(somebody.result("policy", "show", "--json"))
    assert policy["predicate"]["claims"][0]["name"] == papers.CLAIM
    assert "tracked branch: none" in somebody.result("policy", "show").decode()


def test_policy_that_says_something_new_supersedes_the_last(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    del study
    maintainer = on_sqlite.speak("maintainer")
    before = read(maintainer.result("policy", "show", "--json"))["statement"]
    changed = papers.policy()
    changed["claims"][0]["question"] = "May this land, again?"
    maintainer.result("policy", "set", write(tmp_path, "policy.json", changed))
    after = read(maintainer.result("policy", "show", "--json"))
    assert after["predicate"]["supersedes"] == before


def test_whole_statement_is_signed_offline_and_envelopes_get_more_signatures(
    on_sqlite: Service, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    policy = {**papers.policy(), "supersedes": None}
    signed = maintainer.result("sign", "policy", write(tmp_path, "predicate.json", policy))
    envelope = parse_envelope(signed)
    key = parse_signing_key(Path(on_sqlite.key_file("maintainer")).read_bytes())
    verify_signature(envelope, key.key_id, key.public)
    statement = tmp_path / "statement.json"
    statement.write_bytes(envelope.payload)
    offline = Here(
        {"FAIRTRIAL_KEY": on_sqlite.key_file("maintainer"), "FAIRTRIAL_URL": "http://127.0.0.1:9"}
    )
    assert offline.result("sign", "policy", str(statement)) == signed
    assert offline("sign", "study", str(statement), "--json").code == 7
    file = tmp_path / "envelope.json"
    file.write_bytes(signed)
    assert offline.result("sign", "policy", str(file)) == signed
    other = Here(
        {"FAIRTRIAL_KEY": on_sqlite.key_file("admin"), "FAIRTRIAL_URL": "http://127.0.0.1:9"}
    )
    both = parse_envelope(other.result("sign", "policy", str(file)))
    assert both.keyids == (on_sqlite.keys["maintainer"], on_sqlite.keys["admin"])


def test_policy_without_what_it_supersedes_is_signed_like_policy_set_would(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    policy = papers.policy()
    policy["claims"][0]["question"] = "Signed first, sent later?"
    file = write(tmp_path, "policy.json", policy)
    envelope = tmp_path / "envelope.json"
    envelope.write_bytes(maintainer.result("sign", "policy", file))
    sent = read(maintainer.result("policy", "set", str(envelope), "--json"))
    assert read(maintainer.result("policy", "set", file, "--json"))["index"] == sent["index"]
