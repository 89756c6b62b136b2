# SPDX-License-Identifier: Apache-2.0
"""Codes of the lint about whole documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.lint_code import LintCode

OF_DOCUMENTS: Final[Mapping[str, LintCode]] = {
    "E_CAPTURE_KIND": LintCode(
        "A gate reads another kind of capture than its cell plans.",
        "checks read checks, jobs read jobs, streams read streams; none stands in for another",
    ),
    "E_CONCURRENCY": LintCode(
        "A cell's concurrency is not the number of its streams.",
        "concurrency = number of streams",
    ),
    "E_CONTROL_NOT_UNCHANGED": LintCode(
        "A return control is not its control again.",
        "equal settings at the lock; equal commit, image, settings and digest at study opening",
    ),
    "E_DUPLICATE_ID": LintCode(
        "A name stands for two things.",
        "ids of arms, cells, gates, scopes and lanes of a cell are distinct",
    ),
    "E_EXPECT_ON_CANDIDATE": LintCode(
        "Something is expected of the arm that is asked about.",
        "expect stands on controls only",
    ),
    "E_FAULT_LAUNDERS": LintCode(
        "A fact that the server can cause is made somebody else's fault, or may be tried again.",
        "harness, environment, identity: 401, 403, 404, 405 of a warm-up, name_resolution, "
        "cancelled_by_person, interrupted",
    ),
    "E_NO_ASSAY": LintCode(
        "What is expected of a control is read by nothing.",
        "an assay gate of the same arm, scope, cell and expectation",
    ),
    "E_NO_BLOCKING_GATE": LintCode(
        "A scope has no primary gate on a candidate, so it cannot PASS.",
        "one primary gate a scope",
    ),
    "E_NO_CANDIDATE": LintCode(
        "No arm is asked about.",
        "one arm has the role candidate",
    ),
    "E_NO_COMPLETENESS_GATE": LintCode(
        "In a live scope nothing blocks when a stream does not finish.",
        "every candidate, cell and role is watched by a completeness gate",
    ),
    "E_NO_FAULT_TABLE": LintCode(
        "Nothing is ever the server's fault.",
        "one row has fault sut",
    ),
    "E_NO_RETRY_POLICY": LintCode(
        "Whether anything is tried again is not said.",
        "max_per_slot = 0 exactly if only is empty",
    ),
    "E_NOTHING_PLANNED": LintCode(
        "Nothing is planned that could be missing.",
        "a cell of checks plans a suite or a named result",
    ),
    "E_ONE_SIDED": LintCode(
        "In fairness one role is gated and the other may pay for it.",
        "every role of a fairness cell has a gate",
    ),
    "E_POSITIVE_CONTROL_UNEXPECTED": LintCode(
        "A positive control is not expected to fail.",
        "primary gates of a positive_control: expect = FAIL",
    ),
    "E_PRECONDITION_READS_SERVER": LintCode(
        "A precondition reads what the server did, so a bad server would count against nobody.",
        "one side is submitted, of another stream",
    ),
    "E_REFERENCE": LintCode(
        "A name is used that is not declared.",
        "arms, cells, roles, scopes and identities are declared",
    ),
    "E_SCOPE_UNDECLARED_CELL": LintCode(
        "A scope is gated in a cell that is not there, not in every cell for every candidate, "
        "or is fairness without contention.",
        "candidates x cells of the scope; fairness: concurrency >= 2",
    ),
    "E_SECRET_FIELD": LintCode(
        "A setting has the name of a credential or of a text, or reads like a prompt.",
        "no credential-like name; fewer than 6 words in a row",
    ),
    "E_TOO_FEW_LANES": LintCode(
        "A ratio of lanes leaves more of them apart than a slot has.",
        "highest + lowest <= lanes of the role",
    ),
    "E_TOO_MANY_SLOTS": LintCode(
        "More slots are planned than one study may have.",
        "arms x repetitions <= 10000",
    ),
    "E_UNBOUNDED_WINDOW": LintCode(
        "A study or a reservation could stay open for ever.",
        "<= 90 days",
    ),
    "E_UNDECLARED_DIFFERENCE": LintCode(
        "Arms differ in a setting that is not declared to vary.",
        "what differs is in varies",
    ),
    "E_UNDISCLOSED_SETTING": LintCode(
        "A setting that makes an arm is not disclosed.",
        "settings and varies are in disclosed_settings",
    ),
    "E_WINDOW_DEGENERATE": LintCode(
        "Fixed work is divided by a window in which it was not offered throughout.",
        "throughput = tokens / (last settlement - first submission)",
    ),
}
