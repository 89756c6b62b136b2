# SPDX-License-Identifier: Apache-2.0
"""All slots, in order; gates in one line; a document under its name."""

import re
from pathlib import Path

import msgspec
import pytest

from app.core.digest import sha256_hex
from app.core.errors import LintRefused
from app.core.protocol.cells import streams_cells
from app.core.protocol.gate import CanaryGate, CompletenessGate, parse_gates
from app.core.protocol.lint import lint
from app.core.protocol.parse import document_bytes, document_digest
from app.core.protocol.plan import cell_of, plan, planned_slots
from app.core.protocol.wording import rule_text
from app.core.statement.parse import parse_document
from app.core.statement.protocol_document import ProtocolDocument
from tests import contended
from tests.claims import compared, drift, share
from tests.documents import CELL, canary_gate, document
from tests.gates import bound, identity, integrity
from tests.lints import with_

SHIPPED = sorted((Path(__file__).parents[4] / "protocols").glob("*.json"))


def test_plan_runs_arms_in_order_and_repeats_each_cell() -> None:
    slots = [slot.id for slot in plan(document(repetitions=2, order=["A", "A2", "B"]))]
    assert slots == [f"{arm}/{CELL}/{n}" for arm in ("A", "A2", "B") for n in (1, 2)]


def test_cell_is_found_by_its_name() -> None:
    assert cell_of(document(), CELL).id == CELL


def test_number_of_planned_slots_is_that_of_the_plan() -> None:
    of = document(repetitions=7)
    assert planned_slots(of) == len(plan(of)) == 21


def test_gates_are_typed_in_the_documents_order() -> None:
    assert [type(gate) for gate in parse_gates(document())[:2]] == [CanaryGate, CompletenessGate]


def test_gate_that_lacks_what_its_kind_demands_is_refused_by_place() -> None:
    lacking = document(gates=[canary_gate("B"), {**canary_gate("B"), "kind": "review"}])
    with pytest.raises(LintRefused) as refused:
        parse_gates(lacking)
    (finding,) = refused.value.findings
    assert (finding.pointer, finding.rule) == ("/gates/1/rule/accepted", "E_GATE_MEMBER_MISSING")


ORDER = "newcomer.last_content < incumbent.last_content"


def texts(*gates: object) -> list[str]:
    return [rule_text(gate) for gate in parse_gates(document(gates=list(gates)))]


def test_rule_is_said_in_one_line() -> None:
    silent = canary_gate("B")
    del silent["rule"]["and"]
    watched = {**bound("max_content_gap"), "kind": "progress"}
    nineteenth = bound(statistic="kth", k=19)
    assert texts(canary_gate("B"), silent, identity(fields=["image"]), identity()) == [
        f"{ORDER} and the expected answer, in every slot of B/C2-canary",
        f"{ORDER}, in every slot of B/C2-canary",
        "image as pinned, in every slot of B/C2-canary",
        "every identity as pinned, in every slot of B/C2-canary",
    ]
    assert texts(bound(), watched, integrity(), nineteenth) == [
        "max of ttft over newcomer slots of B/C2-canary <= 10000000 us",
        "max of max_content_gap over newcomer slots of B/C2-canary <= 10000000 us",
        "sum of restarts over slots of B/C2-canary <= 0",
        "order statistic 19 (sample) of ttft over newcomer slots of B/C2-canary <= 10000000 us",
    ]
    (_, complete, *_) = (rule_text(gate) for gate in parse_gates(document()))
    assert complete == "count of streams complete by finish_reason in B/C2-canary == 2"


def test_numbers_of_a_rule_stand_as_they_were_locked_and_never_as_fractions() -> None:
    wide = {"comparison__scale": "abs", "comparison__margin": "12.5"}
    absolute = with_(compared(alpha="0.025"), **wide)
    superior = with_(compared("superiority"), comparison__margin="-0.125")
    gates = [compared(), absolute, superior, share(p="0.99", limit="10.5"), drift("0.075")]
    assert [re.findall(r"-?[0-9]+[./][0-9]+", text) for text in texts(*gates)] == [
        ["0.1", "0.05"],
        ["12.5", "0.025"],
        ["0.125", "0.05"],
        ["0.99", "10.5"],
        ["0.075"],
    ]
    (pooled,) = parse_gates(contended.protocol(contended.envelope(spread="0.2")))
    assert "within 0.1 of it" in rule_text(pooled)
    assert "within 0.2 of one another" in rule_text(pooled)


UNSEEN = "W_NO_ASSAY_CONTROL"
UNREAD = "W_USAGE_FALLBACK_MISSING"
COLD = "W_WARMUP_UNDECLARED"
ACCEPTED: dict[str, set[str]] = {
    # Drafts to begin with: nothing to accept.
    "comparison-blocks": set(),
    "inboot-ratio": set(),
    # As the thread ran them.
    "contention-study": {UNSEEN, UNREAD},
    "natural-pressure": {UNSEEN, UNREAD},
    "landing": {UNREAD, "W_MARGIN_UNJUSTIFIED", "W_MONOTONE_ORDER"},
    "dual-capacity": {UNSEEN, COLD},
    "long-prefill-overlap": {UNSEEN, COLD},
}
"""Warnings that whoever locks a shipped protocol accepts; of any other, that it has no assay."""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.name)
def test_shipped_protocol_is_canonical_named_by_its_file_and_lints_clean(path: Path) -> None:
    data = path.read_bytes()
    shipped = parse_document(data)
    assert isinstance(shipped, ProtocolDocument)
    assert document_bytes(shipped) == data
    assert document_digest(shipped) == sha256_hex(data)
    assert path.name == f"{shipped.name}.v{shipped.version}.json"
    assert {each.severity for each in lint(shipped)} <= {"warning"}
    assert {each.code for each in lint(shipped)} == ACCEPTED.get(shipped.name, {UNSEEN})


def test_protocols_are_shipped() -> None:
    assert {"contention-canary.v1.json", "contention-canary-once.v1.json"} <= {
        path.name for path in SHIPPED
    }


def test_shipped_canary_reads_no_usage_and_expects_nothing_that_nobody_judges() -> None:
    path = next(path for path in SHIPPED if path.name == "contention-canary.v1.json")
    shipped = parse_document(path.read_bytes())
    events = {
        side.event
        for _, cell in streams_cells(shipped)
        for demand in cell.preconditions
        for side in (demand.left, demand.right)
    }
    assert events <= {"submitted", "first_content", "last_content"}
    assert all(gate.expect is msgspec.UNSET for gate in shipped.gates)
