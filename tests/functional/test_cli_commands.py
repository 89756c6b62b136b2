# SPDX-License-Identifier: Apache-2.0
"""What each command prints, that a second run changes nothing, and that help shows an example."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperCommand, TyperGroup

from app.cli.main import commands
from app.core.digest import sha256_hex
from app.core.signing.envelope import parse_envelope, verify_signature
from app.core.signing.keys import parse_signing_key
from tests.functional import papers
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY, SLOTS, write
from tests.functional.processes import COMMAND, PROJECT, Here, environment_of


def read(out: bytes) -> Any:  # noqa: ANN401 - any answer
    return json.loads(out)


def leaves(group: TyperGroup, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every command's words."""
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from leaves(command, (*words, name))
        elif isinstance(command, TyperCommand):
            yield (*words, name)


def every_command() -> list[tuple[str, ...]]:
    whole = typer.main.get_command(commands)
    assert isinstance(whole, TyperGroup)
    return list(leaves(whole))


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_help_of_every_command_shows_an_example_and_json(words: tuple[str, ...]) -> None:
    ended = Here()(*words, "--help")
    assert ended.code == 0
    told = " ".join(ended.out.decode().split())
    assert "Example: " in told
    assert f"fairtrial {' '.join(words)}" in told.partition("Example: ")[2]
    assert "--json" in told


def test_commands_have_the_names_of_the_design() -> None:
    assert {" ".join(words) for words in every_command()} == {
        *("init", "serve", "demo", "sign", "deviate", "verdict", "bundle", "score"),
        *("completion", "version", "admin migrate", "log show"),
        *("key new", "key request", "key register", "key list", "key retire", "key revoke"),
        *("hold place", "hold clear", "review", "decide"),
        *("protocol lint", "protocol lock", "protocol show", "protocol list"),
        *("policy set", "policy show", "study open", "study status"),
        *("slot reserve", "receipt push", "receipt show"),
    }


def test_version_is_one_word_or_one_document() -> None:
    assert Here().result("version").decode().count("\n") == 1
    assert read(Here().result("version", "--json"))["version"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_of_the_shell(shell: str) -> None:
    script = Here().result("completion", shell).decode()
    assert "_FAIRTRIAL_COMPLETE" in script
    if shell == "bash" and (bash := shutil.which("bash")):
        subprocess.run([bash, "-n"], input=script.encode(), check=True)


def test_migrate_says_which_revision_stands(tmp_path: Path) -> None:
    command = Here({"FAIRTRIAL_DATA_DIR": str(tmp_path / "new")})
    first = read(command.result("admin", "migrate", "--json"))
    assert first["revision"] == first["newest"]
    assert read(command.result("admin", "migrate", "--json")) == first


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


@dataclass(frozen=True, slots=True)
class Opened:
    """A study with nothing in it, on a head of its test's own."""

    digest: str
    head: str
    paper: dict[str, Any]


@pytest.fixture
def study(on_sqlite: Service, tmp_path: Path, request: pytest.FixtureRequest) -> Opened:
    maintainer = on_sqlite.speak("maintainer")
    linted = read(maintainer.result("protocol", "lint", str(papers.PROTOCOL), "--json"))
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]
    maintainer.result("protocol", "lock", str(papers.PROTOCOL), *warnings)
    maintainer.result("policy", "set", write(tmp_path, "policy.json", papers.policy()))
    closes_at = f"{datetime.now(UTC) + timedelta(hours=20):%Y-%m-%dT%H:%M:%SZ}"
    head = sha256_hex(request.node.name.encode())[:40]
    paper = papers.study(on_sqlite.keys["runner"], closes_at, head)
    file = write(tmp_path, "study.json", paper)
    digest = read(maintainer.result("study", "open", file, "--json"))["statement"]
    return Opened(digest, head, paper)


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


def test_slots_of_an_arm_are_reserved_by_its_letter(on_sqlite: Service, study: Opened) -> None:
    arguments = ("slot", "reserve", study.digest, "--arm", "A", "--host", "spark-1")
    runner = on_sqlite.speak("runner")
    first = read(runner.result(*arguments, "--json"))
    assert read(runner.result(*arguments, "--json"))["index"] == first["index"]
    printed = runner.result("study", "status", study.digest).decode()
    assert "planned 6 = open 4 + reserved 2" in printed
    assert "A/C2-mixed/1  RESERVED" in printed
    nothing = runner(*arguments[:3], "--arm", "P", "--host", "spark-1", "--json")
    assert (nothing.code, read(nothing.out)["code"]) == (43, "no-slots")


def test_receipt_is_shown_as_it_was_signed(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    runner = on_sqlite.speak("runner")
    runner.result("slot", "reserve", study.digest, SLOTS[0], "--host", "spark-1")
    receipt = write(tmp_path, "receipt.json", papers.receipt(study.paper, study.digest, SLOTS[0]))
    capture = write(tmp_path, "capture.json", papers.capture(SLOTS[0]))
    pushed = read(runner.result("receipt", "push", receipt, "--capture", capture, "--json"))
    shown = read(runner.result("receipt", "show", pushed["statement"]))
    assert shown["predicate"]["slot"] == SLOTS[0]
    unreserved = write(tmp_path, "other.json", papers.receipt(study.paper, study.digest, SLOTS[-1]))
    ended = runner("receipt", "push", unreserved, "--capture", capture, "--json")
    assert read(ended.out)["code"] == "not-reserved"


def test_capture_with_a_private_address_never_leaves_the_machine(tmp_path: Path) -> None:
    capture = papers.capture(SLOTS[0])
    capture["boot_id"] = "10.1.2.3"
    file = write(tmp_path, "capture.json", capture)
    receipt = write(tmp_path, "receipt.json", {"study": "0" * 64, "slot": SLOTS[0]})
    # No service is asked: nothing listens there.
    ended = Here({"FAIRTRIAL_URL": "http://127.0.0.1:9"})(
        "receipt", "push", receipt, "--capture", file, "--json"
    )
    document = read(ended.out)
    assert ended.code == 7
    assert document["errors"][0]["pointer"] == "/boot_id"
    assert "10.1.2.3" not in ended.out.decode() + ended.err


def test_deviation_ends_a_study(on_sqlite: Service, study: Opened) -> None:
    arguments = ("deviate", study.digest, "--what", "The power went.", "--phase", "before", "--end")
    maintainer = on_sqlite.speak("maintainer")
    first = read(maintainer.result(*arguments, "--json"))
    assert read(maintainer.result(*arguments, "--json"))["index"] == first["index"]
    state = read(maintainer.result("study", "status", study.digest, "--json"))["state"]
    assert state in {"DRAINING", "CLOSED"}


def test_log_is_shown_by_line_and_by_checkpoint(on_sqlite: Service, study: Opened) -> None:
    somebody = on_sqlite.speak()
    entries = read(somebody.result("log", "show", "--json"))["entries"]
    assert [one["index"] for one in entries] == list(range(len(entries)))
    heads = read(somebody.result("log", "show", "--line", "head:", "--json"))["entries"]
    assert study.digest in {one["statement"] for one in heads}
    note = somebody.result("log", "show", "--checkpoint").decode()
    assert note.startswith("ledger.example/functional\n")
    assert read(somebody.result("log", "show", "--checkpoint", "--json"))["checkpoint"] == note


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


def test_slot_that_is_not_planned_ends_with_43_like_all_that_is_unknown(
    on_sqlite: Service, study: Opened
) -> None:
    ended = on_sqlite.speak("runner")(
        "slot", "reserve", study.digest, "B/no-such-cell/1", "--host", "spark-1", "--json"
    )
    assert (ended.code, read(ended.out)["code"]) == (43, "unknown-slot")


def test_score_opens_no_socket(on_sqlite: Service, study: Opened, tmp_path: Path) -> None:
    bundle = tmp_path / "head.jsonl"
    on_sqlite.speak().result("bundle", study.head, "-o", str(bundle))
    script = (
        "import sys\n"
        "def refuse(event, _arguments):\n"
        "    if event.startswith('socket.'): raise SystemExit('opened a socket: ' + event)\n"
        "sys.addaudithook(refuse)\n"
        "from app.cli.main import run\n"
        f"sys.argv = ['fairtrial', 'score', {str(bundle)!r}, '--claim', 'land']\n"
        "run()\n"
    )
    environment = environment_of({"FAIRTRIAL_URL": on_sqlite.url})
    done = subprocess.run(
        [COMMAND[0], "-c", script], cwd=PROJECT, env=environment, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    assert read(done.stdout)["head"] == study.head
    piped = Here()("score", "-", "--claim", "land", stdin=bundle.read_bytes())
    assert piped.out == done.stdout
    assert b"a bundle vouches for itself" in done.stderr


def test_bundle_that_was_changed_is_not_scored(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    data = on_sqlite.speak().result("bundle", study.head, "-o", "-")
    lines = data.splitlines(keepends=True)
    shorter = tmp_path / "shorter.jsonl"
    shorter.write_bytes(b"".join([*lines[:3], *lines[4:]]))
    ended = Here()("score", str(shorter), "--json")
    assert (ended.code, read(ended.out)["code"]) == (42, "line-incomplete")
    last = max(n for n, line in enumerate(lines) if b'"record":"entry"' in line)
    cut = Here()("score", "-", "--json", stdin=b"".join([*lines[:last], *lines[last + 1 :]]))
    assert (cut.code, read(cut.out)["code"]) == (42, "line-incomplete")
    unknown = Here()("score", "-", "--claim", "no-such-claim", "--json", stdin=data)
    assert unknown.code == 43


def test_file_that_is_cut_short_or_no_bundle_at_all_ends_with_45(
    on_sqlite: Service, study: Opened
) -> None:
    whole = on_sqlite.speak().result("bundle", study.head, "-o", "-")
    for data in (whole[:3000], b"no bundle", b"", b"{}\n", b"\xff\xfe\n", b"# A page\n"):
        ended = Here()("score", "-", "--json", stdin=data)
        assert ended.code == 45
        assert read(ended.out)["code"] == "bundle"


def test_exit_code_of_several_claims_must_name_one(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    policy = papers.policy()
    policy["claims"].append({**policy["claims"][0], "name": "default"})
    maintainer.result("policy", "set", write(tmp_path, "policy.json", policy))
    ended = maintainer("verdict", study.head, "--exit-code", "--json")
    assert ended.code == 2
    assert "--claim" in read(ended.out)["detail"]
