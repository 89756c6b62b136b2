# SPDX-License-Identifier: Apache-2.0
"""How keys are made, asked for, given and listed from the command line."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from app.core.signing.envelope import to_json
from app.runner.armour import BEGIN, armoured, read_request
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here, problem, read


def test_key_is_requested_by_its_holder_and_registered_once(
    on_sqlite: Service, tmp_path: Path
) -> None:
    mine = tmp_path / "second-runner.pem"
    key = read(Here().result("key", "new", str(mine), "--json"))["key"]
    asked = on_sqlite.speak().result(
        *("key", "request", "--key", str(mine), "--role", "runner", "--holder", "linus"),
        *("--repository", REPOSITORY),
    )
    assert read_request(asked).keyids == (key,)
    request = tmp_path / "request.json"
    request.write_bytes(asked)
    admin = on_sqlite.speak("admin")
    first = read(admin.result("key", "register", str(request), "--json"))
    assert read(admin.result("key", "register", str(request), "--json"))["index"] == first["index"]
    later = tmp_path / "later.json"
    later.write_bytes(
        on_sqlite.speak().result(
            *("key", "request", "--key", str(mine), "--role", "runner", "--holder", "linus"),
            *("--repository", REPOSITORY),
        )
    )
    assert read(admin.result("key", "register", str(later), "--json"))["index"] == first["index"]
    listed = read(admin.result("key", "list", "--json"))["keys"]
    assert [one["holder"] for one in listed if one["key"] == key] == ["linus"]
    assert "linus" in admin.result("key", "list").decode()


def test_request_for_another_admin_is_not_signed(on_sqlite: Service, tmp_path: Path) -> None:
    mine = tmp_path / "third.pem"
    Here().result("key", "new", str(mine))
    request = tmp_path / "request.json"
    request.write_bytes(
        on_sqlite.speak().result(
            *("key", "request", "--key", str(mine), "--role", "runner", "--holder", "x"),
            *("--repository", REPOSITORY, "--admin", "0" * 64),
        )
    )
    ended = on_sqlite.speak("admin")("key", "register", str(request), "--json")
    assert read(ended.out)["code"] == "other-admin"


def test_ledger_that_init_made_says_who_governs_it(on_sqlite: Service) -> None:
    listed = read(on_sqlite.speak().result("key", "list", "--json"))["keys"][:4]
    assert [one["role"] for one in listed] == ["admin", "maintainer", "runner", "reviewer"]
    assert {one["holder"] for one in listed} == {"ada"}
    for role in on_sqlite.keys:
        assert Path(on_sqlite.key_file(role)).stat().st_mode & 0o777 == 0o600


def asked_by(service: Service, folder: Path, holder: str, role: str = "runner", *more: str) -> str:
    """Return the request of a new key."""
    file = str(folder / f"{holder}.pem")
    Here().result("key", "new", file)
    where = () if role == "admin" else ("--repository", REPOSITORY)
    named = ("--key", file, "--role", role, "--holder", holder, *where, *more)
    return service.speak().result("key", "request", *named).decode()


def test_request_is_pasted_from_a_thread_that_quoted_and_wrapped_it(
    on_sqlite: Service, tmp_path: Path
) -> None:
    block = asked_by(on_sqlite, tmp_path, "quoted")
    assert block.startswith(BEGIN)
    words = "\n> ".join(block.split())
    pasted = f"On Monday quoted wrote:\n> {words}\n\nFine by me."
    admin = on_sqlite.speak("admin")
    ended = admin("key", "register", "-", "--json", stdin=pasted.encode())
    assert ended.code == 0
    assert f"asks for: runner in {REPOSITORY}, held by quoted, key " in ended.err


def test_request_is_signed_by_one_admin_after_the_other(on_sqlite: Service, tmp_path: Path) -> None:
    admin = on_sqlite.speak("admin")
    second = asked_by(on_sqlite, tmp_path, "second", "admin")
    assert admin("key", "register", "-", stdin=second.encode()).code == 0
    other = Here({"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_KEY": str(tmp_path / "second.pem")})
    block = asked_by(on_sqlite, tmp_path, "third")
    passed_on = other("key", "register", "-", stdin=block.encode())
    assert passed_on.code == 0
    assert "nothing was sent; the admin it names, ada, has yet to sign" in passed_on.err
    assert len(read_request(passed_on.out).signatures) == 2
    sent = admin("key", "register", "-", "--json", stdin=passed_on.out)
    assert read(sent.out)["kind"] == "key"


def test_request_that_was_changed_says_where_and_is_not_signed(
    on_sqlite: Service, tmp_path: Path
) -> None:
    block = asked_by(on_sqlite, tmp_path, "changed")
    admin = on_sqlite.speak("admin")
    lines = block.splitlines()
    lines[2] = lines[2].swapcase()
    ended = admin("key", "register", "-", "--json", stdin="\n".join(lines).encode())
    assert (ended.code, problem(ended)) == (7, "armour")
    assert "on line 3 of what was read" in ended.err
    envelope = read_request(block.encode())
    forged = replace(envelope, payload=envelope.payload.replace(b'"runner"', b'"reviewer"'))
    for pasted in (armoured(forged).encode(), to_json(forged)):
        ended = admin("key", "register", "-", "--json", stdin=pasted)
        assert (ended.code, problem(ended)) == (4, "bad-signature")
        assert f"changed after key {envelope.keyids[0]} signed it" in ended.err
    unsigned = replace(envelope, signatures=(replace(envelope.signatures[0], keyid="0" * 64),))
    ended = admin("key", "register", "-", "--json", stdin=armoured(unsigned).encode())
    assert (ended.code, problem(ended)) == (4, "unsigned")


def test_request_is_signed_by_admins_alone(on_sqlite: Service, tmp_path: Path) -> None:
    block = asked_by(on_sqlite, tmp_path, "alone")
    ended = on_sqlite.speak("maintainer")("key", "register", "-", "--json", stdin=block.encode())
    assert (ended.code, problem(ended)) == (4, "role")


def test_request_expires_by_the_checkpoint_it_names(
    on_sqlite: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = asked_by(on_sqlite, tmp_path, "late")
    asked_by_now = asked_by(on_sqlite, tmp_path, "now")
    admin = on_sqlite.speak("admin")
    assert admin("key", "register", "-", stdin=asked_by_now.encode()).code == 0
    monkeypatch.setattr("app.cli.key_requests.GOOD_FOR", timedelta(microseconds=1))
    ended = admin("key", "register", "-", "--json", stdin=block.encode())
    assert (ended.code, problem(ended)) == (6, "request-expired")


def test_list_shows_what_became_of_every_key(on_sqlite: Service, tmp_path: Path) -> None:
    admin = on_sqlite.speak("admin")
    for holder in ("laid-down", "taken"):
        block = asked_by(on_sqlite, tmp_path, holder)
        assert admin("key", "register", "-", stdin=block.encode()).code == 0
    mine = {"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_KEY": str(tmp_path / "laid-down.pem")}
    Here(mine).result("key", "retire", "--reason", "A new machine.")
    ids = {one["holder"]: one["key"] for one in read(admin.result("key", "list", "--json"))["keys"]}
    admin.result("key", "revoke", ids["taken"], "--reason", "Lost.")
    rows = {one["holder"]: one for one in read(admin.result("key", "list", "--json"))["keys"]}
    assert (rows["laid-down"]["state"], rows["taken"]["state"]) == ("retired", "revoked")
    assert rows["taken"]["ended"] > rows["taken"]["since"]
    assert rows["taken"]["suspect_from"] is None
    assert rows["ada"]["state"] == "in force"
    printed = admin.result("key", "list").decode()
    assert f"runner  taken  revoked at entry {rows['taken']['ended']}  {REPOSITORY}" in printed
