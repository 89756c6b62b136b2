# SPDX-License-Identifier: Apache-2.0
"""Captures of checks, jobs and other tools' claims on the pages: as facts, and never as a word."""

import re
from typing import Any

import msgspec
import pytest

from app.core.canonical import canonical
from app.core.log.leaf import next_challenge
from app.core.protocol.parse import document_digest
from app.core.statement.capture import Capture
from app.core.statement.parse import parse_capture
from app.core.statement.protocol_document import ProtocolDocument
from app.pages.views.captures import capture_tables
from app.pages.views.table import Table
from tests import documents, facts
from tests.api.world import Opened
from tests.documents import CELL, digest
from tests.pages.reading import Node, row_of, section_after
from tests.pages.scenes import Scenes
from tests.pages.test_escaping import POLYGLOT, assert_inert
from tests.vectors.example_captures import checks_capture, claim_capture, jobs_capture

CHECKS: dict[str, Any] = {
    "id": "checks", "capture": "checks", "repetitions": 1,
    "suites": ["repository", "other-suite"], "named": ["helper-v9"],
}  # fmt: skip
JOBS: dict[str, Any] = {
    "id": "jobs", "capture": "jobs", "repetitions": 1, "lanes": 3,
    "ends": {"slot_deadline_us": 8_000_000_000},
}  # fmt: skip
CLAIM: dict[str, Any] = {
    "id": "claim", "capture": "claim", "repetitions": 1,
    "tool": {"name": "thegrill", "version": "0.2.0"},
}  # fmt: skip


def read_capture(document: dict[str, Any]) -> Capture:
    return parse_capture(canonical(document))


_PLANNED = 12
CAPTIONS = {"checks": "suites", "jobs": "lanes", "claim": "decisions"}
FILLS = {
    "checks": read_capture(checks_capture()),
    "jobs": read_capture(jobs_capture()),
    "claim": read_capture(claim_capture()),
}


def with_every_kind(*more: dict[str, Any]) -> ProtocolDocument:
    document = documents.document()
    cells = [msgspec.to_builtins(document.cells[0]), CHECKS, JOBS, CLAIM, *more]
    made: ProtocolDocument = msgspec.convert(
        msgspec.to_builtins(document) | {"cells": cells}, ProtocolDocument
    )
    return made


async def filled(scenes: Scenes, fills: dict[str, Capture], *, slots: int = _PLANNED) -> Opened:
    """Fill the first slots of a study of every kind of capture, and end it."""
    world = scenes.world
    world.document = with_every_kind()
    await world.begin()
    scenes.on("every kind")
    study = await world.open()
    planned = [one["slot"] for one in await world.slots(study)][:slots]
    reserved = await world.reserve(study, planned)
    for slot in planned:
        capture = fills.get(slot.split("/")[1], facts.capture())
        draft = world.receipt(study, reserved, slot, capture)
        await world.put(draft)
        reserved.challenge = next_challenge(reserved.challenge, draft.digest)
    if slots < _PLANNED:
        await world.put(world.make.deviation(study.digest, ends_study=True))
    return study


def row_in(page: Node, caption: str, *cells: str) -> list[str]:
    """Return the row, in the one table whose caption holds ``caption``."""
    (table,) = [t for t in page.all("table") if caption in t.all("caption")[0].text]
    return row_of(table, *cells)


async def receipt_of(scenes: Scenes, study: Opened, slot: str) -> str:
    (found,) = [one for one in await scenes.world.slots(study) if one["slot"] == slot]
    (receipt,) = found["attempts"][0]["receipts"]
    return f"{scenes.repository_path}/receipts/{receipt}"


async def test_checks_are_shown_by_suite_and_name_and_skips_are_not_tested(
    world_scenes: Scenes,
) -> None:
    study = await filled(world_scenes, FILLS)
    label = "B/checks/1 attempt 1"
    for path in (
        world_scenes.head_path,
        f"{world_scenes.repository_path}/studies/{study.digest}",
        await receipt_of(world_scenes, study, "B/checks/1"),
    ):
        page = await world_scenes.page(path)
        label = "B/checks/1" if "/receipts/" in path else "B/checks/1 attempt 1"
        assert row_in(page, "suites", label, "repository") == [
            label,
            "repository",
            "379",
            "0",
            "65",
        ]
        assert "Not tested (skipped)" in page.text
        artifact = digest("example helper v5")
        row = row_in(page, "results by name", label, "helper-v5-authenticated")
        assert row[2:] == ["passed", artifact, "4,096 bytes"]
        row = row_in(page, "results by name", label, "helper-v7-idempotent")
        assert row[2:] == ["not tested (not run)", "none", "none"]
        assert row_in(page, "results by name", label, "helper-v9")[2] == "planned, and not reported"
        assert row_in(page, "suites", label, "other-suite")[2] == "planned, and not reported"
        assert row_in(page, "numbers", label, "largest-difference")[2:] == ["1", "0.000125"]


async def test_jobs_are_shown_lane_by_lane_and_what_was_not_recorded_says_so(
    world_scenes: Scenes,
) -> None:
    study = await filled(world_scenes, FILLS)
    page = await world_scenes.page(await receipt_of(world_scenes, study, "B/jobs/1"))
    assert "Duration (h:min:s)" in page.text
    assert row_in(page, "lanes", "B/jobs/1", "0")[2:] == [
        "2:00:00 from 0:00:00 to 2:00:00", "96", "96", "0", "41 s", "compressions 3",
    ]  # fmt: skip
    assert row_in(page, "lanes", "B/jobs/1", "1")[2:] == [
        "no end seen from 0:00:01, watched until 2:00:00", "91", "not recorded", "not recorded",
        "not recorded", "not recorded",
    ]  # fmt: skip
    assert row_in(page, "lanes", "B/jobs/1", "2")[2] == "planned, and not in it"
    assert "read beside the work" in page.text


async def test_claim_of_another_tool_is_shown_as_a_claim_with_its_digests(
    world_scenes: Scenes,
) -> None:
    study = await filled(world_scenes, FILLS)
    page = await world_scenes.page(await receipt_of(world_scenes, study, "B/claim/1"))
    row = row_in(page, "decisions", "B/claim/1")
    assert row[1:4] == ["thegrill 0.2.0", "INCONCLUSIVE a claim", "reference_spread_exceeded"]
    assert row[4:] == [digest(f"example {one}") for one in ("policy", "collector", "workload")]
    assert "a claim, counted only where a locked gate names its digests" in page.text


async def test_l22_nothing_that_a_capture_says_is_set_in_the_colour_of_a_word(
    world_scenes: Scenes,
) -> None:
    claim = read_capture(claim_capture() | {"decision": "QUALIFIED", "reason_codes": ["exit_0"]})
    await filled(world_scenes, FILLS | {"claim": claim, CELL: facts.starved()})
    page = await world_scenes.page()
    assert "QUALIFIED a claim" in row_in(page, "decisions", "B/claim/1")[2]
    assert not [one for one in page.all() if "is-qualified" in one.classes]
    assert row_in(page, "suites", "B/checks/1 attempt 1", "repository")[2] == "379"
    for caption in ("suites", "results by name", "decisions"):
        (table,) = [t for t in page.all("table") if caption in t.all("caption")[0].text]
        assert not [one for one in table.all() if "state" in one.classes]


async def test_slot_without_a_receipt_stands_in_the_table_of_its_kind(
    world_scenes: Scenes,
) -> None:
    await filled(world_scenes, FILLS, slots=5)
    page = await world_scenes.page()
    for kind in ("checks", "jobs", "claim"):
        assert row_in(page, CAPTIONS[kind], f"A2/{kind}/1 MISSING, no receipt")[1] == "no value"


async def test_capture_of_another_kind_than_planned_is_named_and_not_taken_for_it(
    world_scenes: Scenes,
) -> None:
    study = await filled(world_scenes, {**FILLS, "checks": FILLS["claim"]})
    page = await world_scenes.page()
    row = row_in(page, "suites", "B/checks/1 attempt 1 a capture of another kind")
    assert row[0].endswith("urn:fairtrial:capture:claim:v1")
    assert row[1] == "no value"
    shown = await world_scenes.page(await receipt_of(world_scenes, study, "B/checks/1"))
    assert "thegrill" in section_after(shown, "Capture")


async def test_captures_of_an_open_study_are_sealed_on_every_page(world_scenes: Scenes) -> None:
    world = world_scenes.world
    world.document = with_every_kind()
    await world.begin()
    world_scenes.on("open and of every kind")
    study = await world.open()
    reserved = await world.reserve(study, ["A/checks/1"])
    draft = world.receipt(study, reserved, "A/checks/1", FILLS["checks"])
    await world.put(draft)
    for path in (
        world_scenes.head_path,
        f"{world_scenes.repository_path}/studies/{study.digest}",
        f"{world_scenes.repository_path}/receipts/{draft.digest}",
    ):
        text = (await world_scenes.page(path)).text
        assert re.search(r"\b379\b", text) is None  # digests are full of numbers
        assert "Sealed until" in text


async def test_w01_free_text_of_a_claim_stays_text(world_scenes: Scenes) -> None:
    hostile = claim_capture() | {"tool": {"name": "thegrill", "version": POLYGLOT}}
    study = await filled(world_scenes, FILLS | {"claim": read_capture(hostile)})
    for path in (world_scenes.head_path, await receipt_of(world_scenes, study, "B/claim/1")):
        page = await world_scenes.page(path)
        assert_inert(page)
        assert POLYGLOT in page.text


async def test_protocol_says_what_every_kind_of_cell_must_hold(world_scenes: Scenes) -> None:
    world = world_scenes.world
    review = {"id": "review", "capture": "review"}
    world.document = with_every_kind(review)
    await world.begin()
    path = f"{world_scenes.repository_path}/protocols/{document_digest(world.document)}"
    page = await world_scenes.page(path)
    told = {
        row[0]: row[1:] for row in ([c.text for c in r.all("th", "td")] for r in page.all("tr"))
    }
    said = "suites: repository, other-suite; results by name: helper-v9"
    assert told["checks"] == ["checks", "1", said]
    assert told["jobs"] == ["jobs", "1", "lanes: 3, each ended within 2:13:20 (h:min:s)"]
    assert told["claim"] == ["another tool's claim", "1", "a decision of thegrill 0.2.0"]
    assert told["review"] == ["no slot: reviews of the head", "0", "what its gates demand"]
    assert "Cells: load shapes, stream by stream." in page.text


def only(tables: list[Table], caption: str) -> list[list[str]]:
    (found,) = [one for one in tables if caption in one.caption]
    return [[cell.text for cell in row] for row in found.rows]


def cell_of_kind(kind: str) -> Any:  # noqa: ANN401  a cell of any kind
    return next(one for one in with_every_kind().cells if one.id == kind)


@pytest.mark.parametrize(
    ("changes", "said", "note"),
    [
        ({"started_us": None, "ended_us": None}, "never started", "watched until 2:00:00"),
        ({"ended_us": None}, "no end seen", "from 0:00:00, watched until 2:00:00"),
        (
            {"started_us": 7_000_000, "ended_us": 5_500_000},
            "ended before it started",
            "from 0:00:07 to 0:00:05.5",
        ),
        ({"ended_us": 19_017_250_000}, "5:16:57.25", "from 0:00:00 to 5:16:57.25"),
    ],
)
def test_duration_of_a_lane_is_said_as_far_as_it_is_known(
    changes: dict[str, Any], said: str, note: str
) -> None:
    document = jobs_capture()
    document["lanes"] = [document["lanes"][0] | changes]
    tables = capture_tables("slot", cell_of_kind("jobs"), read_capture(document))
    duration = next(one for one in tables if "lanes" in one.caption).rows[0][2]
    assert (duration.text, duration.note) == (said, note)


def test_counts_that_nobody_gave_are_not_recorded() -> None:
    document = checks_capture() | {
        "suites": [{"name": "repository", "passed": None, "failed": None, "skipped": None}],
        "named": [],
        "values": [{"name": "largest", "unit": "1", "value": None}],
    }
    tables = capture_tables("slot", cell_of_kind("claim"), read_capture(document))
    assert only(tables, "suites")[0][2:] == ["not recorded"] * 3
    assert only(tables, "numbers") == [["slot", "largest", "1", "not recorded"]]
    assert len(tables) == 2


def test_what_was_read_beside_the_work_says_what_was_replaced_and_what_was_not_read() -> None:
    document = checks_capture()
    document["observations"] = {
        "counters": [{"name": "oom", "before": 0, "after": None}],
        "identities": [
            {"component": "engine", "before": "c-1", "after": "c-2", "exited": False},
            {"component": "gateway", "before": "g-1", "after": "g-1", "exited": True},
            {"component": "proxy", "before": None, "after": None, "exited": None},
        ],
        "gauges": [
            {"name": "kv", "unit": "bps", "interval_us": 1, "samples": 1200, "least": 0,
             "greatest": None}
        ],
        "events": [{"name": "restart", "at_us": 2_000_000}],
    }  # fmt: skip
    tables = capture_tables("slot", cell_of_kind("checks"), read_capture(document))
    (found,) = [one for one in tables if "beside" in one.caption]
    assert [[(cell.text, cell.note) for cell in row[1:]] for row in found.rows] == [
        [("oom", "counter"), ("0", None), ("not recorded", None)],
        [("engine", "container identity"), ("c-1", None), ("c-2", "replaced; was running")],
        [("gateway", "container identity"), ("g-1", None), ("g-1", "had exited")],
        [
            ("proxy", "container identity"),
            ("not recorded", None),
            ("not recorded", "whether it ran is not recorded"),
        ],
        [
            ("kv", "gauge, bps"),
            ("during the slot", None),
            ("0 to not recorded in 1,200 samples", None),
        ],
        [("restart", "event"), ("during the slot", None), ("at 2 s", None)],
    ]
