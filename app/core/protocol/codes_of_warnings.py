# SPDX-License-Identifier: Apache-2.0
"""Codes of the lint that a lock acknowledges instead of being refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.lint_code import LintCode

OF_WARNINGS: Final[Mapping[str, LintCode]] = {
    "W_CACHE_STATE": LintCode(
        "Nothing says whether the times compared are those of a prompt cache.",
        "a setting or request control names a cache",
    ),
    "W_CLOSED_LOOP_TAIL": LintCode(
        "The tail is of streams that are not sent while the server is slow.",
        "p >= 0.9 of streams that start after an event",
    ),
    "W_DEADLINE_LATE": LintCode(
        "A slot may hang far longer than anything that a pilot's control took.",
        "slot_deadline_us <= 100 x the slowest time of a control in the pilot",
        "power",
        by_pilot=True,
    ),
    "W_DEGENERATE_EXPECTED": LintCode(
        "Every control slot will show the same value.",
        "a comparison is of values that can differ",
    ),
    "W_MANY_PRIMARY": LintCode(
        "So many claims must all be established that few good candidates will pass.",
        "more than 3 primary claims a scope; 0.8^k",
    ),
    "W_MARGIN_GT_EFFECT": LintCode(
        "The margin is wider than the effect that is known.",
        "|margin| <= what an assay of the metric must see, or a pilot saw (`--effect GATE=NUMBER`)",
        by_pilot=True,
    ),
    "W_MARGIN_UNJUSTIFIED": LintCode(
        "The margin is narrower than such a design usually decides, or wide without a reason.",
        "m >= 0.2 across restarts, >= 0.1 inside a boot; m <= 1, <= 0.5 where lower is worse; "
        "drift_margin <= m",
    ),
    "W_MEAN_STATISTIC": LintCode(
        "A sum of times or rates is their mean, in which the worst unit hides.",
        "statistic sum of more than one time or rate",
    ),
    "W_MEDIAN_HIDES_INCOMPLETE": LintCode(
        "A middle value passes although streams beyond it never finished.",
        "a completeness gate of the same arm and cell",
    ),
    "W_MONOTONE_ORDER": LintCode(
        "Control, candidate, control guards against a steady drift only.",
        "better while only B runs: 23-37 % pass",
    ),
    "W_NO_ASSAY_CONTROL": LintCode(
        "Nothing shows that the gates can fail.",
        "a positive control, or a gate with expect = FAIL, at the candidate's own limit; equality "
        "is expected of a control too",
    ),
    "W_UNDERPOWERED": LintCode(
        "A candidate as good as its control would often stay undecided.",
        "chance to PASS at no difference >= 0.8",
        "power",
        by_pilot=True,
    ),
    "W_USAGE_FALLBACK_MISSING": LintCode(
        "Where the server reports no usage the value will be unknown.",
        "metric.fallback_bounds is declared",
    ),
    "W_WARMUP_UNDECLARED": LintCode(
        "The measured phase may measure the start-up.",
        "warmup.requests >= 1",
    ),
}
