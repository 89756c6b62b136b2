# SPDX-License-Identifier: Apache-2.0
"""What the doctor finds: that all is well, and each thing that is not, with what to do about it."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.cli.doctor_there import Asking, examine_service
from app.cli.exit_code import ExitCode
from app.runner.client import Client
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import NOWHERE, Ended, Here, read

CHECKS = {
    *("configuration", "ledger keys", "key files", "database", "free space", "your key file"),
    *("service", "clock", "version", "your key"),
}


def levels(ended: Ended) -> dict[str, str]:
    rows = read(ended.out)["checks"]
    assert all(one["todo"] or one["level"] == "ok" for one in rows)
    return {one["check"]: one["level"] for one in rows}


def told(ended: Ended, check: str) -> str:
    (row,) = [one for one in read(ended.out)["checks"] if one["check"] == check]
    return f"{row['told']} {row['todo']}"


def at(service: Service, **changes: str) -> Here:
    """Return the command line on the ledger's own machine."""
    environment = {**service.settings, **service.speak("maintainer").environment, **changes}
    return Here(environment)


def copied(service: Service, folder: Path) -> Path:
    """Return a copy of the ledger's folder that a test may spoil."""
    copy = folder / "ledger"
    shutil.copytree(service.folder, copy)
    return copy


def test_fit_machine_and_service_are_ok(on_sqlite: Service) -> None:
    ended = at(on_sqlite)("doctor", "--json")
    assert ended.code == ExitCode.OK
    assert set(levels(ended)) == CHECKS
    assert set(levels(ended).values()) == {"ok"}
    assert f"maintainer in {REPOSITORY}, held by ada" in told(ended, "your key")
    lines = at(on_sqlite).result("doctor").decode().splitlines()
    assert len(lines) == len(CHECKS)
    assert all(line.startswith("ok    ") for line in lines)


def test_machine_without_a_ledger_misses_none(on_sqlite: Service, tmp_path: Path) -> None:
    elsewhere = {"FAIRTRIAL_DATA_DIR": str(tmp_path), "FAIRTRIAL_URL": on_sqlite.url}
    ended = Here(elsewhere)("doctor", "--json")
    assert ended.code == ExitCode.OK
    assert levels(ended)["ledger"] == "ok"
    assert levels(ended)["your key"] == "warn"


def test_settings_that_cannot_be_used_fail_and_are_not_told() -> None:
    ended = Here({"FAIRTRIAL_DATABASE_URL": "mysql://secret@h"})("doctor", "--offline", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert levels(ended) == {"configuration": "fail"}
    assert "secret" not in ended.out.decode() + ended.err


def test_key_files_that_others_may_read_fail(on_sqlite: Service, tmp_path: Path) -> None:
    folder = copied(on_sqlite, tmp_path)
    key = folder / "keys" / "runner.pem"
    for name in ("runner.pem", "statement.pem"):
        (folder / "keys" / name).chmod(0o640)
    here = at(on_sqlite, FAIRTRIAL_DATA_DIR=str(folder), FAIRTRIAL_KEY=str(key))
    ended = here("doctor", "--offline", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    found = levels(ended)
    assert {found[one] for one in ("ledger keys", "key files", "your key file")} == {"fail"}
    assert "runner.pem" in told(ended, "key files")
    assert "chmod" in told(ended, "ledger keys")
    (folder / "keys" / "statement.pem").unlink()
    assert "backup" in told(here("doctor", "--offline", "--json"), "ledger keys")


def test_database_that_is_gone_older_or_none_fails(on_sqlite: Service, tmp_path: Path) -> None:
    folder = copied(on_sqlite, tmp_path)
    here = at(on_sqlite, FAIRTRIAL_DATA_DIR=str(folder))
    with sqlite3.connect(folder / "ledger.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'older'")
    connection.close()
    ended = here("doctor", "--offline", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert "fairtrial admin migrate" in told(ended, "database")
    for path in folder.glob("ledger.db*"):
        path.unlink()
    assert "no such file" in told(here("doctor", "--offline", "--json"), "database")
    (folder / "ledger.db").write_bytes(b"no database" * 100)
    assert "cannot be asked" in told(here("doctor", "--offline", "--json"), "database")


@pytest.mark.parametrize(("free", "level"), [(10**12, "ok"), (10**9, "warn"), (10**7, "fail")])
def test_little_space_is_told_before_there_is_none(
    on_sqlite: Service, monkeypatch: pytest.MonkeyPatch, free: int, level: str
) -> None:
    usage = shutil.disk_usage(on_sqlite.folder)._replace(free=free)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    assert levels(at(on_sqlite)("doctor", "--offline", "--json"))["free space"] == level


def test_service_that_does_not_answer_fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runner.client.FIRST_PAUSE_S", 0.001)
    ended = Here()("doctor", "--url", NOWHERE, "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert levels(ended)["service"] == "fail"
    assert "clock" not in levels(ended)
    bad = Here()("doctor", "--url", "localhost", "--json")
    assert "FAIRTRIAL_URL" in told(bad, "service")


def test_key_that_is_not_registered_ended_or_of_another_repository_fails(
    on_sqlite: Service, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger.pem"
    Here().result("key", "new", str(stranger))
    ended = at(on_sqlite, FAIRTRIAL_KEY=str(stranger))("doctor", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert "fairtrial key request" in told(ended, "your key")
    other = at(on_sqlite)("doctor", "--repository", "git.example/other/place", "--json")
    assert "not in the repository you name" in told(other, "your key")
    block = at(on_sqlite, FAIRTRIAL_KEY=str(stranger)).result(
        *("key", "request", "--role", "reviewer", "--holder", "strange", "--repository", REPOSITORY)
    )
    on_sqlite.speak("admin")("key", "register", "-", stdin=block)
    mine = at(on_sqlite, FAIRTRIAL_KEY=str(stranger))
    assert levels(mine("doctor", "--json"))["your key"] == "ok"
    mine.result("key", "retire", "--reason", "Done.")
    assert "retired" in told(mine("doctor", "--json"), "your key")


@contextmanager
def answered_by(monkeypatch: pytest.MonkeyPatch, answer: httpx.Response) -> Iterator[None]:
    def connect(url: str) -> Client:
        transport = httpx.MockTransport(lambda _request: answer)
        return Client(url, transport=transport, pause=lambda _s: None)

    monkeypatch.setattr("app.cli.doctor_there.connect", connect)
    yield


@pytest.mark.parametrize(
    ("off", "level"), [(0, "ok"), (60, "warn"), (-60, "warn"), (86_400, "fail"), (None, "warn")]
)
def test_clock_that_differs_from_the_services_is_told(
    monkeypatch: pytest.MonkeyPatch, off: int | None, level: str
) -> None:
    headers = {}
    if off is not None:
        moment = datetime.now(UTC) + timedelta(seconds=off)
        headers["date"] = format_datetime(moment, usegmt=True)
    answer = httpx.Response(200, json={"version": "9.9.9"}, headers=headers)
    with answered_by(monkeypatch, answer):
        found = {one.name: one for one in examine_service(Asking("http://o.example", None, None))}
    assert found["clock"].level == level
    assert found["version"].level == "warn"
    assert "9.9.9 there" in found["version"].told


def test_service_that_takes_no_statements_fails_with_its_own_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    problem: dict[str, Any] = {"code": "not-ready", "detail": "A trigger of leaf is missing."}
    with answered_by(monkeypatch, httpx.Response(503, json=problem)):
        (found,) = examine_service(Asking("http://o.example", None, None))
    assert (found.level, found.name) == ("fail", "service")
    assert "A trigger of leaf is missing. [not-ready]" in found.told


def test_doctor_changes_nothing(on_sqlite: Service) -> None:
    def everything() -> dict[str, float]:
        return {str(p): p.stat().st_mtime for p in on_sqlite.folder.rglob("*.pem")}

    before, size = everything(), on_sqlite.speak().result("log", "show")
    at(on_sqlite)("doctor")
    assert (everything(), on_sqlite.speak().result("log", "show")) == (before, size)
