# SPDX-License-Identifier: Apache-2.0
"""How keys are made, asked for, given and listed from the command line."""

from pathlib import Path

from app.core.signing.envelope import parse_envelope
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here, read


def test_key_is_requested_by_its_holder_and_registered_once(
    on_sqlite: Service, tmp_path: Path
) -> None:
    mine = tmp_path / "second-runner.pem"
    key = read(Here().result("key", "new", str(mine), "--json"))["key"]
    asked = on_sqlite.speak().result(
        *("key", "request", "--key", str(mine), "--role", "runner", "--holder", "linus"),
        *("--repository", REPOSITORY),
    )
    assert parse_envelope(asked).keyids == (key,)
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
