# SPDX-License-Identifier: Apache-2.0

"""For every code of the lint about whole documents, documents that get it."""

from collections.abc import Mapping, Sequence

from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import canary_gate
from tests.gates import bound, identity
from tests.lints import changed, gated, with_
from tests.refused_makers import (
    fair,
    forget,
    many_cells,
    positive,
    positive_with_assay,
    rate,
    row,
    solo_fairness,
    twice,
)

OF_DOCUMENTS: Mapping[str, Sequence[ProtocolDocument]] = {
    "E_CONCURRENCY": [changed(lambda d: d["cells"][0].update(concurrency=3))],
    "E_CONTROL_NOT_UNCHANGED": [
        changed(lambda d: d["arms"][2]["settings"].update(MIXED_PREFILL_CHUNK="1"))
    ],
    "E_DUPLICATE_ID": [
        changed(lambda d: d["gates"][1].update(id=d["gates"][0]["id"])),
        twice("arms"),
        twice("cells"),
        twice("scopes"),
        changed(lambda d: d["cells"][0]["streams"].append(d["cells"][0]["streams"][0])),
    ],
    "E_EXPECT_ON_CANDIDATE": [changed(lambda d: d["gates"][0].update(expect="PASS"))],
    "E_FAULT_LAUNDERS": [
        changed(row(http_status={"first": 500, "last": 599})),
        changed(row(error="timeout")),
        changed(row(http_status={"first": 404, "last": 404})),
        changed(row(phase="measured", http_status={"first": 404, "last": 404})),
        changed(lambda d: d["retry"]["only"].append({"phase": "warmup", "http_status": 503})),
    ],
    "E_NO_ASSAY": [
        changed(lambda d: d["gates"][2].update(expect="FAIL")),
        changed(lambda d: d["gates"][2].update(expect="PASS", role="exploratory")),
        changed(positive(role="secondary")),
        changed(positive(role="")),
    ],
    "E_NO_BLOCKING_GATE": [
        changed(lambda d: [each.update(role="secondary") for each in d["gates"]]),
        changed(lambda d: d["scopes"].append("cpu")),
        changed(lambda d: d.update(gates=d["gates"][2:])),
    ],
    "E_NO_CANDIDATE": [changed(lambda d: d["arms"][1].update(role="control"))],
    "E_NO_COMPLETENESS_GATE": [changed(lambda d: d["gates"].pop(1))],
    "E_NO_FAULT_TABLE": [
        changed(lambda d: d.update(fault_table=[{"phase": "any", "fault": "unknown"}]))
    ],
    "E_NO_RETRY_POLICY": [
        changed(lambda d: d["retry"].update(only=[])),
        changed(lambda d: d["retry"].update(max_per_slot=0)),
    ],
    "E_ONE_SIDED": [
        fair(bound("max_content_gap")),
        fair(with_(canary_gate("B", scope="fairness"), id="fair")),
    ],
    "E_POSITIVE_CONTROL_UNEXPECTED": [
        changed(positive()),
        changed(positive(expect="PASS")),
        changed(positive_with_assay),
    ],
    "E_PRECONDITION_READS_SERVER": [
        changed(
            lambda d: d["cells"][0]["preconditions"].append(
                {
                    "left": {"stream_role": "newcomer", "event": "last_content"},
                    "op": "<",
                    "right": {"stream_role": "incumbent", "event": "settled"},
                }
            )
        )
    ],
    "E_REFERENCE": [
        changed(lambda d: d.update(order=["A", "B"])),
        changed(lambda d: d["gates"][0].update(scope="cpu")),
        changed(lambda d: d["gates"][0]["population"].update(arm="C")),
        changed(lambda d: d["gates"][1]["population"].update(stream_role="third")),
        changed(lambda d: d["gates"][0]["population"].update(against_role="third")),
        changed(lambda d: d["cells"][0]["warmup"].update(role="third")),
        changed(row(http_status={"first": 404, "last": 401}, fault="unknown")),
        gated(identity(fields=["image", "weather"])),
        gated(identity(fields=["weather"])),
    ],
    "E_SCOPE_UNDECLARED_CELL": [
        changed(lambda d: d["gates"][0]["population"].update(cell="C9")),
        gated(with_(bound(statistic="median"), population__cell="C9")),
        changed(forget("C"), arms=("A", "B", "C", "A2")),
        solo_fairness(),
    ],
    "E_SECRET_FIELD": [
        changed(lambda d: d["request_controls"].update(api_key="x")),
        changed(lambda d: d["request_controls"].update(note="tell me all about the old sea wall")),
        changed(lambda d: d["disclosed_settings"].append("HF_TOKEN")),
        changed(lambda d: [d[each].append("API_KEY") for each in ("disclosed_settings", "varies")]),
    ],
    "E_TOO_MANY_SLOTS": [changed(many_cells)],
    "E_UNBOUNDED_WINDOW": [
        changed(lambda d: d["window"].update(max_us=91 * 86_400_000_000)),
        changed(lambda d: d["reservation"].update(allowance_us=91 * 86_400_000_000)),
    ],
    "E_UNDECLARED_DIFFERENCE": [changed(lambda d: d.update(varies=[]))],
    "E_UNDISCLOSED_SETTING": [changed(lambda d: d.update(disclosed_settings=[]))],
    "E_WINDOW_DEGENERATE": [gated(rate(source="planned_window"))],
}
