# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a gate and a capture are any JSON
"""Every gate on reported results over HTTP: at its limit, one beyond, offline and on the page."""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.identity import Scope
from app.core.statement.capture import Capture, ReportedValue
from tests import contended
from tests.api.kinds_world import filled, governed, push, told
from tests.api.world import World
from tests.documents import commit, completeness_gate
from tests.gates import integrity
from tests.results import (
    CELLS,
    CPU,
    DECIDED,
    HELPER,
    LONG,
    checks,
    checks_gate,
    claim,
    claim_gate,
    equality_gate,
    jobs,
    jobs_gate,
    lane,
    named,
    observed,
    parity_gate,
    registry_gate,
    suite,
    with_cells,
)

RESTARTED = observed(counters={"restarts": 1})
FOUND = {"sha256": HELPER["sha256"], "size": HELPER["size"]}


def value(text: str) -> Capture:
    return checks(values=[ReportedValue(name="largest-difference", unit="1", value=text)])


def helper(**changes: Any) -> Capture:
    found = named("helper-v5", artifact=FOUND | changes)
    return checks(named=[found, named("round-trip")])


LIMITS: dict[str, Any] = {
    "skips": (CPU, checks_gate(), checks(), checks(suites=[suite(379, 0, 66)]), "NOT_TESTED"),
    "failures": (CPU, checks_gate(), checks(), checks(suites=[suite(379, 1, 65)]), "CHECK_FAILED"),
    "jobs": (
        LONG,
        jobs_gate(min_validated=249),
        jobs(),
        jobs(lane(), lane(1, 248)),
        "LANE_FELL_SHORT",
    ),
    "registry": (CPU, registry_gate(), helper(), helper(size=4097), "ARTIFACT_DIFFERS"),
    "equality": (CPU, equality_gate(), value("0"), value("0.000000000001"), "BOUND_VIOLATED"),
    "claim": (DECIDED, claim_gate(), claim(), claim("REGRESSION"), "TOOL_DECIDED_FAIL"),
    "label": (DECIDED, claim_gate(), claim(), claim("DESCRIPTIVE"), "NO_GATE_EVALUATED"),
    "tool": (
        DECIDED,
        claim_gate(),
        claim(),
        claim(tool=replace(claim().tool, name="other")),
        "DECISION_NOT_BOUND",
    ),
}
NO_FAIL = {"NOT_TESTED", "NO_GATE_EVALUATED", "DECISION_NOT_BOUND"}


@pytest.mark.parametrize("name", LIMITS)
async def test_gate_at_its_limit_qualifies_and_one_beyond_does_not(world: World, name: str) -> None:
    cell, gate, good, bad, reason = LIMITS[name]
    await governed(world, with_cells(gate, cells=[cell]))
    held = await filled(world, {cell["id"]: good}, head=commit("at the limit"))
    assert (held.word, held.said()[0]) == ("QUALIFIED", "PASS")
    assert held.judgements[0]["rule"] in held.page
    beyond = {"A": good, "B": bad}
    broken = await filled(world, beyond, head=commit("one beyond"))
    assert broken.said()[1] == reason
    assert broken.word == ("HOLD" if reason in NO_FAIL else "NOT_QUALIFIED")
    assert reason in broken.page
    assert TOLD.get(name, reason) in broken.page


TOLD = {
    "failures": "1 failed, 65 skipped",
    "jobs": "248 validated",
    "registry": "sha256 " + str(HELPER["sha256"])[:12] + ", 4,097 bytes",
    "claim": "the tool decided REGRESSION",
}
"""What the page says of the one unit that decides."""


async def test_parity_within_its_margin_qualifies_and_beyond_does_not(world: World) -> None:
    within = {"kind": "equality", "vs": ["A"], "margin": "0.1"}
    await governed(world, with_cells(parity_gate(comparison=within), cells=[CPU]))
    held = await filled(world, {"A": value("1"), "B": value("1.1")}, head=commit("within"))
    assert (held.word, held.said()) == ("QUALIFIED", ("PASS", "PARITY_HELD"))
    broken = await filled(
        world, {"A": value("1"), "B": value("1.100000000001")}, head=commit("beyond")
    )
    assert (broken.word, broken.said()) == ("NOT_QUALIFIED", ("FAIL", "PARITY_BROKEN"))
    assert "B/cpu/1: about 1.1 against 1 of A/cpu/1" in broken.page
    assert "about 0 outside" in broken.page
    nan = await filled(world, {"A": value("nan"), "B": value("nan")}, head=commit("no number"))
    assert nan.said() == ("FAIL", "PARITY_BROKEN")


def fair() -> list[Any]:
    """Return a gate on the worst of two lanes of the candidate, and that both are complete."""
    role = contended.population("B", unit="stream")
    complete = completeness_gate("B", 2, scope="fairness") | {"population": role}
    return [contended.fairness(limit="30"), complete]


async def test_fairness_is_about_the_worst_lane(world: World) -> None:
    await governed(world, contended.protocol(*fair(), lanes=2), Scope.FAIRNESS)

    def seen(worst: float) -> dict[str, Capture]:
        solo = contended.seen(contended.lane(0, 1))
        both = contended.seen(contended.lane(0, 1), contended.lane(1, worst))
        return {contended.SOLO: solo, contended.CELL: both}

    held = await filled(world, seen(30), head=commit("fair"))
    assert (held.word, held.said()) == ("QUALIFIED", ("PASS", "BOUND_HELD"))
    broken = await filled(world, seen(30.000001), head=commit("unfair"))
    assert (broken.word, broken.said()) == ("NOT_QUALIFIED", ("FAIL", "BOUND_VIOLATED"))
    assert broken.judgements[0]["rule"] in broken.page


async def test_l20_cpu_pass_leaves_fairness_not_run_in_the_claim_and_on_the_page(
    world: World,
) -> None:
    cells = [CPU, contended.cell(contended.CELL, 2, 1)]
    of = contended.protocol(checks_gate(), *fair(), arms=("A", "B"), cells=cells)
    await governed(world, of, Scope.CPU, Scope.FAIRNESS)
    study = await world.open()
    reserved = await world.reserve(study, ["A/cpu/1", "B/cpu/1"])
    for slot in reserved.slots:
        await push(world, study, reserved, slot, checks())
    await world.put(world.make.deviation(study.digest, ends_study=True))
    found = await told(world)
    states = {one["scope"]: one["state"] for one in found.document["required"]}
    assert states == {"cpu": "PASS", "fairness": "NOT_RUN"}
    assert found.word == "HOLD"
    assert "is-qualified" not in found.page
    assert "NO_MEASURED_SLOT" in found.page


@pytest.mark.parametrize("cell", CELLS)
async def test_l20_capture_of_another_kind_is_kept_and_its_slot_invalid(
    world: World, cell: str
) -> None:
    gates = {"checks": checks_gate(), "jobs": jobs_gate(), "claim": claim_gate()}
    other = claim() if cell != "claim" else checks()
    await governed(world, with_cells(gates[cell], cells=[CELLS[cell]]))
    found = await filled(world, {str(CELLS[cell]["id"]): other})
    slots = found.document["studies"][0]["slots"]
    assert {one["state"] for one in slots} == {"INVALID"}
    assert found.said() == ("INVALID", "CAPTURE_OF_OTHER_KIND")
    assert found.word == "HOLD"


async def test_restart_under_checks_leaves_nothing_that_was_reported_green(world: World) -> None:
    made = integrity()
    population = {**made["population"], "cell": "cpu", "stream_role": "any"}
    restarts = {**made, "population": population, "scope": "cpu"}
    of = with_cells(checks_gate(), equality_gate(), registry_gate(), restarts, cells=[CPU])
    await governed(world, of)
    found = await filled(world, {"A": checks(), "B": checks(observations=RESTARTED)})
    assert [one["state"] for one in found.judgements] == [*["INCONCLUSIVE"] * 3, "FAIL"]
    assert found.word == "NOT_QUALIFIED"
