# SPDX-License-Identifier: Apache-2.0
"""Codes of the lint about single gates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.lint_code import LintCode

OF_GATES: Final[Mapping[str, LintCode]] = {
    "E_AMBIGUOUS_METRIC": LintCode(
        "What is measured is not said: which events of which phase, on which clock, in which unit.",
        "a time has a clock; a name and a unit that captures hold; phase = measured",
    ),
    "E_CANNOT_FAIL": LintCode(
        "No possible outcome breaks the gate, so it asks nothing.",
        "every value of the domain, every order of the events, or everything that a slot can show "
        "is within the rule; max_failed < named results planned, or the slot's time / 1 ms",
    ),
    "E_CANNOT_PASS": LintCode(
        "No possible outcome meets the gate.",
        "no value of the domain is within the limit; times are of a millisecond or more and within "
        "what a slot shows; an assay reads a gate that expects the same; non-inferiority and "
        "equivalence of contended cells have an assay in their scope and cell, superiority there a "
        "positive control; events are asked for with >= or >; min_validated <= slot_deadline_us / "
        "1 ms, accepted <= 100",
    ),
    "E_CONTRADICTORY": LintCode(
        "Two gates on one statistic exclude each other.",
        "<= a and >= b with a < b",
    ),
    "E_DEADLINE_LT_LIMIT": LintCode(
        "A slot ends before its limit could be seen broken.",
        "slot_deadline_us >= limit; for comparisons >= 2 (1 + m) x what a bound allows the "
        "control; reservation and window >= slot_deadline_us",
    ),
    "E_DIRECTION": LintCode(
        "The gate would pass by getting worse.",
        "op and worse point where the metric's direction is better",
    ),
    "E_DOMAIN_DECIDES": LintCode(
        "The declared domain would decide for units that were never measured.",
        "[0, null] for times, rates, tokens and counts; [0, 1] for what is so or not",
    ),
    "E_DROPS_SLOTS": LintCode(
        "The gate looks away from planned units: the best of them, fewer than all, or a middle.",
        "completeness counts every planned unit; the statistic and the summary reach the worst",
    ),
    "E_EXIT_CODE_GATE": LintCode(
        "That a program ended well is no evidence of what the server did.",
        "metric.name is none of exit_code, return_code",
    ),
    "E_GATE_MEMBER_MISSING": LintCode(
        "A member is missing which the kind of gate demands.",
        "what each kind reads is there",
    ),
    "E_HTTP_STATUS_GATE": LintCode(
        "A status of 200 is no evidence of an answer.",
        "metric.name is none of http_status, status_code",
    ),
    "E_INTEGRITY_LIMIT": LintCode(
        "What must not happen may not happen once.",
        "limit = 0",
    ),
    "E_INTERPOLATED_QUANTILE": LintCode(
        "A share of the planned units falls between two of them, and nothing is interpolated.",
        "statistic of a claim about planned units is max, min, median, kth, sum, count, all or any",
    ),
    "E_NO_EXPECTED_ANSWER": LintCode(
        "The gate wants the expected answer and the stream has none.",
        "and: answer_matched needs expected_answer or answer_parts",
    ),
    "E_NO_POPULATION": LintCode(
        "Nothing says what the gate is about.",
        "arm, cell, stream_role, phase and unit are there",
        "shape",
    ),
    "E_NO_UNIT": LintCode(
        "One observation of the gate is something of which a slot has no several.",
        "throughput, counters, gauges and whole slots are counted by slots",
    ),
    "E_ROLE": LintCode(
        "A gate that says whether others mean anything has the role validity.",
        "identity, assay: role = validity",
    ),
    "E_STATISTIC": LintCode(
        "The kind does not read that statistic.",
        "canary: all; claims: what follows from the kind",
    ),
    "E_TAIL_LABEL": LintCode(
        "The gate bears the name of a percentile that it does not claim.",
        "an id with p95 belongs to a quantile gate with p = 0.95",
    ),
    "E_UNIT_NOT_BUILT": LintCode(
        "This version folds no slots into that unit.",
        "unit is one of the kind's",
    ),
    "E_UNUSED_MEMBER": LintCode(
        "A member is written that nobody judges.",
        "every member given is one that the kind reads",
    ),
    "E_VALIDITY_ROLE": LintCode(
        "What the gate measures of the server would count nowhere.",
        "role = validity only for identity and assay",
    ),
}
