# SPDX-License-Identifier: Apache-2.0
"""Every way a command can fail has its exit code, and with --json its problem on stdout."""

import json
import subprocess
from pathlib import Path

import pytest

from app.cli.exit_code import ExitCode, of_error
from app.core.errors import Conflict, IntegrityBroken, NotAuthenticated, SchemaViolation, TooMany
from tests.functional import papers
from tests.functional.conftest import Begin, Service
from tests.functional.papers import HEAD, REPOSITORY, write
from tests.functional.processes import (
    COMMAND,
    NOWHERE,
    PROJECT,
    CommandLine,
    Here,
    environment_of,
    problem,
)


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["verdict"],
        ["verdict", HEAD, "--no-such-option"],
        ["serve", "--port", "x"],
        ["sign", "no-such-kind", "policy.json"],
        ["slot", "reserve", "0" * 64, "--host", "spark-1", "--count", "0"],
    ],
)
def test_arguments_that_cannot_be_read_end_with_2(arguments: list[str]) -> None:
    ended = Here()(*arguments, "--json")
    assert ended.code == ExitCode.USAGE
    assert problem(ended) == "usage"


def test_missing_key_and_repository_end_with_3(tmp_path: Path) -> None:
    policy = write(tmp_path, "policy.json", papers.policy())
    for arguments in (["policy", "set", policy], ["verdict", HEAD], ["policy", "show"]):
        ended = Here()(*arguments, "--json")
        assert ended.code == ExitCode.CONFIGURATION
        assert problem(ended) == "configuration"


def test_repository_without_its_host_ends_with_2_and_the_full_form() -> None:
    for arguments in (["verdict", HEAD], ["policy", "show"], ["bundle", HEAD, "-o", "-"]):
        ended = Here()(*arguments, "--repository", "owner/name", "--json")
        assert ended.code == ExitCode.USAGE
        assert "host/owner/name in lower case, such as" in ended.err


def test_first_thing_said_in_a_repository_may_be_a_review(begin: Begin) -> None:
    service = begin({})
    nothing = service.speak()("policy", "show", "--json")
    assert (nothing.code, problem(nothing)) == (43, "no-policy")
    assert "fairtrial policy set policy.json" in nothing.err
    said = ("review", HEAD, "--scope", "source", "--did", "read it", "--json")
    assert json.loads(service.speak("reviewer").result(*said))["effect"] == "accepted"


def test_repository_in_mixed_case_is_taken_in_lower_case(on_sqlite: Service) -> None:
    upper = ("verdict", HEAD, "--repository", REPOSITORY.upper())
    ended = on_sqlite.speak()(*upper, "--json")
    assert ended.code == on_sqlite.speak()("verdict", HEAD, "--json").code
    assert f"taken as {REPOSITORY}" in ended.err


def test_settings_that_cannot_be_used_end_with_3() -> None:
    ended = Here({"FAIRTRIAL_DATABASE_URL": "mysql://somewhere"})("serve", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    migrated = Here({"FAIRTRIAL_DATABASE_URL": "mysql://secret@somewhere"})(
        "admin", "migrate", "--json"
    )
    assert migrated.code == ExitCode.CONFIGURATION
    assert "secret" not in migrated.err + migrated.out.decode()


def test_key_file_that_others_may_read_is_refused(tmp_path: Path) -> None:
    key = tmp_path / "open.pem"
    Here().result("key", "new", str(key))
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    policy = write(tmp_path, "policy.json", papers.policy())
    ended = Here({"FAIRTRIAL_KEY": str(key)})("policy", "set", policy, "--url", NOWHERE, "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert "chmod 600" in ended.err


def test_key_file_is_never_written_over(tmp_path: Path) -> None:
    key = tmp_path / "one.pem"
    Here().result("key", "new", str(key), "--algorithm", "ecdsa-p256")
    before = key.read_bytes()
    assert Here()("key", "new", str(key), "--json").code == ExitCode.CONFIGURATION
    assert key.read_bytes() == before


def test_file_that_is_not_there_ends_with_3() -> None:
    ended = Here()("protocol", "lint", "no-such-file.json", "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert problem(ended) == "file"


@pytest.mark.parametrize("text", ['{"a":1,"a":2}', '{"a":NaN}', "[1]", "", '{"a":1e999}'])
def test_file_that_is_not_strict_json_ends_with_7(text: str) -> None:
    ended = Here()("protocol", "lint", "-", "--json", stdin=text.encode())
    assert ended.code == ExitCode.REFUSED
    problem(ended)


def test_protocol_that_cannot_be_judged_is_not_lockable(tmp_path: Path) -> None:
    document = json.loads(papers.PROTOCOL.read_bytes())
    document["gates"] = [gate for gate in document["gates"] if gate["kind"] != "completeness"]
    ended = Here()("protocol", "lint", write(tmp_path, "p.json", document), "--json")
    assert ended.code == ExitCode.REFUSED
    report = json.loads(ended.out)
    assert not report["lockable"]
    assert "E_NO_COMPLETENESS_GATE" in {one["code"] for one in report["findings"]}


def test_key_without_the_role_ends_with_4(on_sqlite: Service, tmp_path: Path) -> None:
    policy = write(tmp_path, "policy.json", papers.policy())
    ended = on_sqlite.speak("runner")("policy", "set", policy, "--json")
    assert ended.code == ExitCode.NOT_PERMITTED
    assert problem(ended) == "role"


def test_unknown_key_ends_with_4(on_sqlite: Service, tmp_path: Path) -> None:
    key = tmp_path / "stranger.pem"
    Here().result("key", "new", str(key))
    policy = write(tmp_path, "policy.json", papers.policy())
    ended = on_sqlite.speak()("policy", "set", policy, "--key", str(key), "--json")
    assert ended.code == ExitCode.NOT_PERMITTED


def test_l03_locked_protocol_that_was_edited_ends_with_6(
    on_sqlite: Service, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    linted = json.loads(maintainer.result("protocol", "lint", str(papers.PROTOCOL), "--json"))
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]
    maintainer.result("protocol", "lock", str(papers.PROTOCOL), *warnings)
    edited = json.loads(papers.PROTOCOL.read_bytes())
    edited["question"] = "Something else?"
    file = write(tmp_path, "edited.json", edited)
    ended = maintainer("protocol", "lock", file, *warnings, "--json")
    assert ended.code == ExitCode.CONFLICT
    assert problem(ended) == "locked"


def test_what_the_ledger_refuses_by_its_shape_ends_with_7(
    on_sqlite: Service, tmp_path: Path
) -> None:
    policy = papers.policy()
    policy["claims"][0]["name"] = "Not a slug"
    file = write(tmp_path, "policy.json", policy)
    ended = on_sqlite.speak("maintainer")("policy", "set", file, "--json")
    assert ended.code == ExitCode.REFUSED
    document = json.loads(ended.out)
    assert document["errors"][0]["pointer"] == "/predicate/claims/0/name"
    assert "Not a slug" not in ended.out.decode()


def test_write_about_an_unknown_study_ends_with_43(on_sqlite: Service) -> None:
    ended = on_sqlite.speak("runner")(
        "slot", "reserve", "0" * 64, papers.SLOTS[0], "--host", "spark-1", "--json"
    )
    # The study is looked up first, and nothing matches.
    assert ended.code == ExitCode.NOTHING_MATCHED


def test_read_that_matches_nothing_is_never_0(on_sqlite: Service) -> None:
    for arguments in (
        ["protocol", "show", "0" * 64],
        ["study", "status", "0" * 64],
        ["receipt", "show", "0" * 64],
        ["verdict", "abcdef0", "--repository", REPOSITORY],
    ):
        ended = on_sqlite.speak()(*arguments, "--json")
        assert ended.code == ExitCode.NOTHING_MATCHED
        problem(ended)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Conflict("x"), ExitCode.CONFLICT),
        (SchemaViolation("x"), ExitCode.REFUSED),
        (NotAuthenticated("x"), ExitCode.NOT_PERMITTED),
        (TooMany("x"), ExitCode.RATE_LIMITED),
        (IntegrityBroken("x"), ExitCode.DAMAGE),
        (IntegrityBroken("x", code="line-incomplete"), ExitCode.PROOF),
    ],
)
def test_errors_of_this_side_have_the_codes_of_the_other(error: Conflict, code: ExitCode) -> None:
    assert of_error(error) == code


def test_existing_ledger_is_not_begun_again(on_sqlite: Service) -> None:
    before = {path: path.read_bytes() for path in (on_sqlite.folder / "keys").iterdir()}
    ended = Here(on_sqlite.settings)(
        *("init", "--origin", "other.example/log", "--holder", "eve"),
        *("--repository", REPOSITORY, "--json"),
    )
    assert ended.code == ExitCode.CONFLICT
    assert {path: path.read_bytes() for path in (on_sqlite.folder / "keys").iterdir()} == before


def test_what_nobody_foresaw_ends_with_1_and_tells_no_message() -> None:
    script = (
        "import sys\n"
        "from app.cli import main, logs\n"
        "def broken(*_a, **_k): raise ZeroDivisionError('secret words')\n"
        "logs.connect = broken\n"
        "sys.argv = ['fairtrial', 'log', 'show', '--json']\n"
        "main.run()\n"
    )
    done = subprocess.run(
        [COMMAND[0], "-c", script],
        cwd=PROJECT,
        env=environment_of({}),
        capture_output=True,
        check=False,
    )
    assert done.returncode == ExitCode.UNEXPECTED
    assert json.loads(done.stdout)["code"] == "internal-error"
    assert b"secret words" not in done.stdout + done.stderr


def test_stdout_is_empty_when_a_command_fails_without_json() -> None:
    ended = CommandLine()("protocol", "lint", "no-such-file.json")
    assert ended.code == ExitCode.CONFIGURATION
    assert ended.out == b""
    assert ended.err
