# SPDX-License-Identifier: Apache-2.0
"""From a report of another tool to the word on a head: only results that it says count (L22)."""

import pytest

from app.core.statement.capture import Artifact, ChecksCapture
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_capture
from app.importers.checks import Wanted, import_checks
from app.importers.registry import IMPORTERS, ToolName
from tests.api.kinds_world import filled, governed
from tests.api.world import World
from tests.results import CPU, HELPER, checks_gate, registry_gate, with_cells

HELPER_FILE = Artifact(sha256=str(HELPER["sha256"]), size=4096)
NAMED = [Wanted("helper-v5", "t::helper", HELPER_FILE), Wanted("round-trip", "t::trip", None)]


def imported(*cases: str) -> ChecksCapture:
    """Return the capture of a JUnit report of two named cases and some more."""
    report = f"<testsuite>{''.join(cases)}</testsuite>".encode()
    read = IMPORTERS[ToolName.JUNIT].read(report)
    made = import_checks(read, suite="repository", named=NAMED).capture
    capture = parse_capture(encode(made))
    assert isinstance(capture, ChecksCapture)
    return capture


def case(name: str, inside: str = "", **attributes: str) -> str:
    said = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<testcase classname="t" name="{name}"{said}>{inside}</testcase>'


GOOD = (case("helper"), case("trip"), case("skipped", "<skipped/>"))
ONE_SKIP = checks_gate(allowed_skips=1, named=["helper-v5", "round-trip"])
REPORTS = {
    "all as demanded": (GOOD, "QUALIFIED", ["PASS", "PASS"]),
    "a label that is no result": (
        (*GOOD, case("other", status="DESCRIPTIVE")),
        "HOLD",
        ["INCONCLUSIVE", "PASS"],
    ),
    "a label where a name is wanted": (
        (case("helper"), case("trip", status="DESCRIPTIVE")),
        "HOLD",
        ["INCONCLUSIVE", "PASS"],
    ),
    "one skip more": ((*GOOD, case("more", "<skipped/>")), "HOLD", ["INCONCLUSIVE", "PASS"]),
    "the file's check skipped": (
        (case("helper", "<skipped/>"), case("trip")),
        "HOLD",
        ["INCONCLUSIVE", "INCONCLUSIVE"],
    ),
    "the file's check left out": ((case("trip"),), "HOLD", ["INCONCLUSIVE", "INCONCLUSIVE"]),
    "a failure": (
        (*GOOD, case("bad", "<failure/>")),
        "NOT_QUALIFIED",
        ["FAIL", "PASS"],
    ),
    "the file's check failed": (
        (case("helper", "<failure/>"), case("trip")),
        "NOT_QUALIFIED",
        ["FAIL", "FAIL"],
    ),
    "nothing": ((), "HOLD", ["INVALID", "INVALID"]),
}


@pytest.mark.parametrize("name", REPORTS)
async def test_l22_report_is_green_only_by_results_that_it_says(world: World, name: str) -> None:
    cases, word, states = REPORTS[name]
    await governed(world, with_cells(ONE_SKIP, registry_gate(), cells=[CPU]))
    found = await filled(world, {"A": imported(*GOOD), "B": imported(*cases)})
    assert [one["state"] for one in found.judgements] == states
    assert found.word == word
    assert ("is-qualified" in found.page) is (word == "QUALIFIED")
