# SPDX-License-Identifier: Apache-2.0
"""``fairtrial import``: a report becomes a capture that a ledger takes, or it says why not."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from app.cli.exit_code import ExitCode
from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.statement.parse import parse_capture
from app.importers.elements import MAX_BYTES
from app.importers.registry import ToolName
from tests.functional import papers
from tests.functional.conftest import Service
from tests.functional.papers import write
from tests.functional.processes import Here, read

REPORT = b"""<testsuites><testsuite name="cpu" tests="4" failures="1" skipped="1">
<testcase classname="tests.helpers" name="test_v5"/><testcase name="helper-v1"/>
<testcase classname="tests.helpers" name="test_v3"><failure message="written to"/></testcase>
<testcase classname="tests.helpers" name="test_v7"><skipped/></testcase></testsuite></testsuites>"""


@pytest.fixture
def report(tmp_path: Path) -> str:
    path = tmp_path / "report.xml"
    path.write_bytes(REPORT)
    return str(path)


def import_junit(*arguments: str) -> tuple[str, ...]:
    return ("import", "junit", *arguments, "--suite", "cpu-suite")


def test_capture_goes_to_stdout_in_canonical_form_and_how_to_push_it_to_stderr(
    report: str,
) -> None:
    ended = Here()(*import_junit(report))
    assert ended.code == ExitCode.OK
    capture = parse_capture(ended.out)
    assert canonical(json.loads(ended.out)) == ended.out
    assert capture.schema == "urn:fairtrial:capture:checks:v1"
    assert "fairtrial receipt push receipt.json --capture capture.json" in ended.err
    assert Here()(*import_junit("-"), stdin=REPORT).out == ended.out
    assert Here()(*import_junit(report), "--json").out == ended.out


def test_capture_goes_to_a_file_and_what_is_in_it_is_said(report: str, tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_bytes(b"x" * 3_000_000)
    output = tmp_path / "capture.json"
    arguments = (
        *import_junit(report), "-o", str(output),
        "--named", "helper-v3=tests.helpers::test_v3", "--named", "helper-v9=tests.helpers::gone",
        "--artifact", f"helper-v1={helper}", "--artifact", f"helper-v3={report}",
    )  # fmt: skip
    ended = Here()(*arguments)
    assert ended.out.decode().splitlines() == [
        f"capture  {sha256_hex(output.read_bytes())}",
        "cpu-suite: passed 2, failed 1, not tested 1",
        "helper-v3: failed",
        "helper-v9: not_run",
        "helper-v1: passed",
    ]
    assert f"--capture {output}" in ended.err
    assert "helper-v9: no case of the report gives a result; recorded as not_run." in ended.err
    told = json.loads(Here()(*arguments, "--json").out)
    assert told["sha256"] == sha256_hex(output.read_bytes())
    assert told["size"] == output.stat().st_size
    assert told["suites"] == [{"name": "cpu-suite", "passed": 2, "failed": 1, "skipped": 1}]
    named: list[dict[str, Any]] = json.loads(output.read_bytes())["named"]
    assert {one["id"]: one["artifact"] for one in named} == {
        "helper-v3": {"sha256": sha256_hex(REPORT), "size": len(REPORT)},
        "helper-v9": None,
        "helper-v1": {"sha256": sha256_hex(b"x" * 3_000_000), "size": 3_000_000},
    }


def test_help_lists_the_tools_with_what_they_read() -> None:
    told = " ".join(Here()("import", "--help").out.decode().split())
    for tool in ToolName:
        assert f"{tool}: " in told


def test_unknown_tool_is_told_which_tools_there_are(report: str) -> None:
    ended = Here()("import", "no-such-tool", report, "--suite", "cpu", "--json")
    assert ended.code == ExitCode.USAGE
    assert "'junit'" in json.loads(ended.out)["detail"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--suite", "Not A Name"),
        ("--suite", "cpu", "--named", "helper"),
        ("--suite", "cpu", "--named", "=t::x"),
        ("--suite", "cpu", "--named", "Helper=t::x"),
        ("--suite", "cpu", "--named", "a=t::x", "--named", "a=t::y"),
        ("--suite", "cpu", "--artifact", "a="),
        (),
    ],
)
def test_names_that_no_gate_could_give_end_with_2(report: str, arguments: tuple[str, ...]) -> None:
    ended = Here()("import", "junit", report, *arguments, "--json")
    assert ended.code == ExitCode.USAGE
    assert json.loads(ended.out)["code"] == "usage"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "xml"),
        (b"<testsuites>\x00</testsuites>", "xml"),
        (b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/hostname">]><a>&e;</a>', "xml-doctype"),
        (b'<?xml version="1.0" encoding="utf-7"?><testsuites/>', "xml-encoding"),
        (b'<testsuites a="%b"/>' % (b"a" * 10_000_000), "xml-limits"),
        (b" " * (MAX_BYTES + 2), "xml-limits"),
        (b"<html/>", "not-junit"),
        (REPORT.replace(b'tests="4"', b'tests="5"'), "junit-totals"),
    ],
)
def test_hostile_report_ends_with_7_and_writes_nothing(
    tmp_path: Path, data: bytes, code: str
) -> None:
    path, output = tmp_path / "report.xml", tmp_path / "capture.json"
    path.write_bytes(data)
    ended = Here()(*import_junit(str(path)), "-o", str(output), "--json")
    assert ended.code == ExitCode.REFUSED
    assert json.loads(ended.out)["code"] == code
    assert not output.exists()


def test_file_that_is_not_there_ends_with_3(report: str) -> None:
    assert Here()(*import_junit("no-such.xml")).code == ExitCode.CONFIGURATION
    ended = Here()(*import_junit(report), "--artifact", "helper-v1=no-such-file")
    assert ended.code == ExitCode.CONFIGURATION


def test_name_that_several_cases_bear_ends_with_7(tmp_path: Path) -> None:
    path = tmp_path / "report.xml"
    path.write_bytes(b'<testsuite><testcase name="a"/><testcase name="a"/></testsuite>')
    ended = Here()(*import_junit(str(path)), "--named", "a=::a", "--json")
    assert (ended.code, json.loads(ended.out)["code"]) == (ExitCode.REFUSED, "ambiguous-case")


def test_name_that_must_not_be_published_is_refused(report: str) -> None:
    ended = Here()("import", "junit", report, "--suite", "10.0.0.5", "--json")
    assert (ended.code, json.loads(ended.out)["code"]) == (ExitCode.REFUSED, "not-sanitized")


def test_report_without_a_case_is_said_to_be_no_pass() -> None:
    ended = Here()(*import_junit("-"), stdin=b"<testsuites/>")
    assert ended.code == ExitCode.OK
    assert "nothing was tested, and that is no pass" in ended.err
    assert json.loads(ended.out)["suites"] == [
        {"name": "cpu-suite", "passed": None, "failed": None, "skipped": None}
    ]


CHECKS_SLOT = "A/cpu/1"


def protocol_with_checks() -> dict[str, Any]:
    """Return the usual document with a cell of checks beside its streams."""
    document: dict[str, Any] = json.loads(papers.PROTOCOL.read_bytes())
    cell = {
        "id": "cpu",
        "capture": "checks",
        "repetitions": 1,
        "suites": ["cpu-suite"],
        "named": [],
    }
    return document | {"name": "with-checks", "cells": [*document["cells"], cell]}


def open_study(service: Service, folder: Path) -> dict[str, Any]:
    """Open a study of that protocol; return it with its digest."""
    maintainer = service.speak("maintainer")
    document = protocol_with_checks()
    file = write(folder, "protocol.json", document)
    warnings = read(maintainer.result("protocol", "lint", file, "--json"))["findings"]
    known = [f"--acknowledge={one['code']}" for one in warnings]
    maintainer.result("protocol", "lock", file, *known)
    closes_at = f"{datetime.now(UTC) + timedelta(hours=20):%Y-%m-%dT%H:%M:%SZ}"
    paper = papers.study(service.keys["runner"], closes_at, sha256_hex(b"checks")[:40])
    paper["protocol"] = sha256_hex(canonical(document))
    opened = maintainer.result("study", "open", write(folder, "study.json", paper), "--json")
    return {**paper, "digest": read(opened)["statement"]}


def test_l22_imported_capture_is_pushed_like_any_other_and_what_it_does_not_say_is_no_pass(
    on_sqlite: Service, tmp_path: Path
) -> None:
    paper = open_study(on_sqlite, tmp_path)
    digest = paper.pop("digest")
    runner = on_sqlite.speak("runner")
    runner.result("slot", "reserve", digest, CHECKS_SLOT, "--host", "spark-1")
    report = tmp_path / "report.xml"
    report.write_bytes(b'<testsuite><testcase name="a" status="DESCRIPTIVE"/></testsuite>')
    capture = str(tmp_path / "capture.json")
    runner.result(*import_junit(str(report)), "-o", capture)
    receipt = write(tmp_path, "receipt.json", papers.receipt(paper, digest, CHECKS_SLOT))
    pushed = read(runner.result("receipt", "push", receipt, "--capture", capture, "--json"))
    show = ("receipt", "show", pushed["statement"])
    told = runner.result(*show).decode()
    assert f"slot     {CHECKS_SLOT}, attempt 1, in time" in told
    assert "capture  checks, " in told
    assert "sealed until closure" in told
    runner.result("deviate", digest, "--what", "It ends.", "--phase", "after", "--end")
    closed = read(runner.result(*show, "--json"))
    assert closed["capture_kind"] == "checks"
    assert closed["state"] not in {"COMPLETE", None}
