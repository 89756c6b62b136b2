# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""What a protocol is refused for: its references, arms and conduct; and what it is warned of."""

from typing import Any

import msgspec
import pytest

from app.core.protocol.lint import lint
from app.core.protocol.patch import put
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import document
from tests.gates import bound, gate
from tests.lints import Change, changed, found


def test_good_document_is_only_warned_of_having_no_positive_control() -> None:
    (finding,) = lint(document())
    assert (finding.code, finding.severity) == ("W_NO_ASSAY_CONTROL", "warning")


def test_expectation_that_no_assay_reads_is_refused() -> None:
    unread = {("E_NO_ASSAY", "/gates/2/expect")}
    expecting = changed(lambda d: d["gates"][2].update(expect="FAIL"))
    assert {(each.code, each.pointer) for each in lint(expecting)} == unread
    assert found(changed(lambda d: d["gates"][2].update(expect="PASS"))) == unread
    known_bad = document(arms=("A", "B", "A2"))
    value = msgspec.to_builtins(known_bad)
    value["arms"].append({"id": "P", "role": "positive_control", "settings": {}})
    value["order"].append("P")
    assert {
        (each.code, each.pointer) for each in lint(msgspec.convert(value, ProtocolDocument))
    } == {("E_NO_ASSAY", "/arms/3/role")}


def test_assay_reads_what_is_expected_of_its_own_arm_and_nothing_else() -> None:
    good = msgspec.to_builtins(document())["gates"]
    shows = bound(arm="A", id="shows", expect="FAIL")
    assay = gate("assay", "A", role="validity", expect="FAIL")

    def of(*gates: Any) -> set[tuple[str, str]]:
        return found(document(gates=[*good, *gates]))

    assert of(shows, assay) == set()
    assert of(assay) == {("E_CANNOT_PASS", "/gates/4")}
    nothing = {("E_CANNOT_PASS", "/gates/5"), ("E_NO_ASSAY", "/gates/4/expect")}
    for other in (
        {**shows, "expect": "PASS"},
        {**shows, "role": "exploratory"},
        bound(arm="A2", id="shows", expect="FAIL"),
    ):
        assert of(other, assay) == nothing


def test_errors_come_first() -> None:
    findings = lint(changed(lambda d: d.update(order=["A", "B"])))
    assert [each.severity for each in findings] == ["error", "warning"]
    assert findings[0].change == put("/order", ["A", "B", "A2"])


# ---- references ----


def _twice(value: Any) -> None:
    value["gates"][1]["id"] = value["gates"][0]["id"]


@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        (_twice, "E_DUPLICATE_ID", "/gates"),
        (lambda d: d["arms"].append(d["arms"][0]), "E_DUPLICATE_ID", "/arms"),
        (lambda d: d["cells"].append(d["cells"][0]), "E_DUPLICATE_ID", "/cells"),
        (
            lambda d: d["cells"][0]["streams"].append(d["cells"][0]["streams"][0]),
            "E_DUPLICATE_ID",
            "/cells/0/streams",
        ),
        (lambda d: d["scopes"].append("live_correctness"), "E_DUPLICATE_ID", "/scopes"),
        (lambda d: d["gates"][0].update(scope="cpu"), "E_REFERENCE", "/gates/0/scope"),
        (
            lambda d: d["gates"][0]["population"].update(arm="C"),
            "E_REFERENCE",
            "/gates/0/population/arm",
        ),
        (
            lambda d: d["gates"][0]["population"].update(cell="C9"),
            "E_SCOPE_UNDECLARED_CELL",
            "/gates/0/population/cell",
        ),
        (
            lambda d: d["gates"][1]["population"].update(stream_role="third"),
            "E_REFERENCE",
            "/gates/1/population/stream_role",
        ),
        (
            lambda d: d["gates"][0]["population"].update(against_role="third"),
            "E_REFERENCE",
            "/gates/0/population/against_role",
        ),
        (
            lambda d: d["cells"][0]["warmup"].update(role="third"),
            "E_REFERENCE",
            "/cells/0/warmup/role",
        ),
        (
            lambda d: d["cells"][0]["streams"][1]["starts"]["after"].update(stream_role="third"),
            "E_REFERENCE",
            "/cells/0/streams/1/starts/after/stream_role",
        ),
        (
            lambda d: d["cells"][0]["preconditions"][0]["left"].update(stream_role="third"),
            "E_REFERENCE",
            "/cells/0/preconditions/0/left/stream_role",
        ),
        (
            lambda d: d["cells"][0]["ends"]["cancels"][0]["after"].update(stream_role="third"),
            "E_REFERENCE",
            "/cells/0/ends/cancels/0/after/stream_role",
        ),
    ],
)
def test_name_that_is_not_declared_is_refused(change: Change, code: str, pointer: str) -> None:
    assert (code, pointer) in found(changed(change))


# ---- arms ----


def test_return_control_with_other_settings_is_refused() -> None:
    findings = lint(changed(lambda d: d["arms"][2]["settings"].update(MIXED_PREFILL_CHUNK="1")))
    (finding,) = (each for each in findings if each.code == "E_CONTROL_NOT_UNCHANGED")
    assert finding.pointer == "/arms/2/settings"
    assert finding.change == put(finding.pointer, {"MIXED_PREFILL_CHUNK": "skip"})


def test_return_control_without_a_control_is_refused() -> None:
    assert ("E_NO_CONTROL", "/arms/2/role") in found(
        changed(lambda d: d["arms"][0].update(role="positive_control"))
    )


def test_document_without_a_candidate_is_refused() -> None:
    assert ("E_NO_CANDIDATE", "/arms") in found(
        changed(lambda d: d["arms"][1].update(role="control"))
    )


def test_difference_that_is_not_declared_or_not_disclosed_is_refused() -> None:
    def differs(value: Any) -> None:
        value["arms"][1]["settings"]["MAX_NUM_SEQS"] = "8"

    assert found(changed(differs)) == {("E_UNDECLARED_DIFFERENCE", "/varies")}
    assert found(changed(lambda d: d.update(disclosed_settings=[]))) == {
        ("E_UNDISCLOSED_SETTING", "/disclosed_settings")
    }


def test_expectation_on_a_candidate_is_refused() -> None:
    assert found(changed(lambda d: d["gates"][0].update(expect="PASS"))) == {
        ("E_EXPECT_ON_CANDIDATE", "/gates/0/expect"),
        ("E_NO_ASSAY", "/gates/0/expect"),
    }


def test_positive_control_without_expectation_is_refused() -> None:
    def known_bad(value: Any) -> None:
        value["arms"][0]["role"] = "positive_control"
        value["arms"][2]["role"] = "control"
        value["gates"][2]["role"] = "primary"

    assert found(changed(known_bad)) == {
        ("E_POSITIVE_CONTROL_UNEXPECTED", "/gates/2/expect"),
        ("E_NO_ASSAY", "/arms/0/role"),
    }


# ---- conduct ----


def status(phase: str, first: int, last: int) -> Any:
    return {
        "phase": phase,
        "http_status": {"first": first, "last": last},
        "fault": "harness",
    }


@pytest.mark.parametrize(
    ("row", "launders"),
    [
        (status("any", 500, 599), True),
        (status("warmup", 400, 404), True),
        (
            status("warmup", 401, 405),
            True,
        ),
        (status("warmup", 402, 402), True),
        (status("measured", 400, 400), True),
        (status("measured", 403, 405), True),
        (status("measured", 404, 404), True),
        (status("measured", 404, 404) | {"fault": "identity"}, True),
        (status("any", 401, 401), True),
        (status("warmup", 404, 404) | {"fault": "identity"}, False),
        (
            status("measured", 400, 429),
            True,
        ),
        (
            status("measured", 399, 404),
            True,
        ),
        ({"phase": "any", "error": "connection_reset", "fault": "environment"}, True),
        ({"phase": "any", "error": "timeout", "fault": "harness"}, True),
        ({"phase": "any", "error": "name_resolution", "fault": "environment"}, False),
        ({"phase": "any", "error": "tls", "container": "running", "fault": "harness"}, True),
        ({"phase": "measured", "error": "cancelled_by_rule", "fault": "harness"}, True),
        ({"phase": "measured", "error": "interrupted", "fault": "harness"}, False),
        (
            {"phase": "any", "error": "interrupted", "container": "exited", "fault": "harness"},
            True,
        ),
        (
            {
                "phase": "warmup",
                "http_status": {"first": 404, "last": 404},
                "error": "deadline",
                "fault": "harness",
            },
            True,
        ),
        ({"phase": "warmup", "fault": "harness"}, True),
        ({"phase": "any", "fault": "unknown"}, False),
        ({"phase": "any", "fault": "sut"}, False),
    ],
)
def test_fault_row_that_launders_the_server_is_refused(row: Any, launders: bool) -> None:
    refused = found(changed(lambda d: d["fault_table"].append(row)))
    assert refused == ({("E_FAULT_LAUNDERS", "/fault_table/9/fault")} if launders else set())


def test_status_of_any_phase_is_healed_by_speaking_of_the_warm_up_alone() -> None:
    refused = changed(lambda d: d["fault_table"].append(status("any", 404, 404)))
    (finding,) = (each for each in lint(refused) if each.severity == "error")
    assert finding.change == put("/fault_table/9/phase", "warmup")
    measured = changed(lambda d: d["fault_table"].append(status("measured", 404, 404)))
    (finding,) = (each for each in lint(measured) if each.severity == "error")
    assert finding.change == put("/fault_table/9/fault", "unknown")


def test_range_that_ends_before_it_begins_is_refused() -> None:
    backwards = {"phase": "any", "http_status": {"first": 404, "last": 401}, "fault": "unknown"}
    assert found(changed(lambda d: d["fault_table"].append(backwards))) == {
        ("E_REFERENCE", "/fault_table/9/http_status")
    }


def test_retry_of_what_the_server_did_is_refused() -> None:
    assert found(
        changed(lambda d: d["retry"]["only"].append({"phase": "warmup", "http_status": 503}))
    ) == {("E_FAULT_LAUNDERS", "/retry/only/1/http_status")}
    assert found(
        changed(lambda d: d["retry"]["only"].append({"phase": "warmup", "http_status": 402}))
    ) == {("E_FAULT_LAUNDERS", "/retry/only/1/http_status")}


def test_cell_without_warm_up_is_warned_of() -> None:
    warned = {("W_WARMUP_UNDECLARED", "/cells/0/warmup")}
    assert found(changed(lambda d: d["cells"][0].update(warmup=None))) == warned
    assert found(changed(lambda d: d["cells"][0]["warmup"].update(requests=0))) == warned


def precondition(left: tuple[str, str], right: tuple[str, str]) -> ProtocolDocument:
    (one, its), (other, event) = left, right
    demand = {
        "left": {"stream_role": one, "event": its},
        "op": "<",
        "right": {"stream_role": other, "event": event},
    }
    return changed(lambda d: d["cells"][0]["preconditions"].append(demand))


@pytest.mark.parametrize(
    ("left", "right", "refused"),
    [
        (("newcomer", "last_content"), ("incumbent", "last_content"), True),
        (("newcomer", "submitted"), ("newcomer", "first_content"), True),
        (("newcomer", "submitted"), ("incumbent", "settled"), False),
        (("incumbent", "first_content"), ("newcomer", "submitted"), False),
        (("newcomer", "submitted"), ("incumbent", "submitted"), False),
    ],
)
def test_c05_precondition_on_what_the_server_did_is_refused(
    left: tuple[str, str], right: tuple[str, str], refused: bool
) -> None:
    place = ("E_PRECONDITION_READS_SERVER", "/cells/0/preconditions/2")
    assert found(precondition(left, right)) == ({place} if refused else set())
