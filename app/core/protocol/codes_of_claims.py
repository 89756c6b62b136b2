# SPDX-License-Identifier: Apache-2.0
"""Codes of the lint about claims: comparisons, quantiles, proportions, drift."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.protocol.lint_code import LintCode

OF_CLAIMS: Final[Mapping[str, LintCode]] = {
    "E_ALPHA": LintCode(
        "The chance of a false claim is not between 0 and one half.",
        "0 < alpha < 0.5",
    ),
    "E_BELOW_RESOLUTION": LintCode(
        "The limit or margin is finer than the clock can tell.",
        "limit, |margin| >= 2 x resolution",
    ),
    "E_BRACKET_ONLY": LintCode(
        "Only superiority may pass beside controls that may have drifted.",
        "drift_policy = cap_if_possibly_drifted unless kind = superiority",
    ),
    "E_COMPARISON": LintCode(
        "The comparison is not one that the kind makes.",
        "blocks and drifts: one control; a drift is an equivalence; a share has a limit",
    ),
    "E_FAIL_UNATTAINABLE": LintCode(
        "Not even complete separation would FAIL after the correction over the scope.",
        "smallest p (twice it, of an equivalence) <= 0.8 alpha / comparisons of the scope, or an "
        "absolute bound beside it",
    ),
    "E_INFERENCE": LintCode(
        "The kind is not judged by that inference.",
        "comparison: signflip_blocks, exact_ranksum; drift: exact_ranksum; shares: binomial",
    ),
    "E_MARGIN_SIGN": LintCode(
        "The margin has not the sign of its claim, or leaves nothing of the control.",
        "m > 0; superiority m < 0; |m| < 1 where lower is worse",
    ),
    "E_MEDIAN_ONLY": LintCode(
        "In fairness a middle value stands without a bound on the worst slot.",
        "a location gate has a max (min) of the same metric, arm, cell and role beside it",
    ),
    "E_NO_ANCHOR": LintCode(
        "Accepted margins add up from head to head and nothing ends that.",
        "(1 + m)^k grows: a bound or quantile of the same metric, arm, cell and role",
    ),
    "E_NO_COMPANION_GATE": LintCode(
        "A candidate that slows both cells does not show in their ratio.",
        "against_cell needs a comparison of that cell, metric and role by itself",
    ),
    "E_NO_CONTROL": LintCode(
        "A comparison is with nothing, or with no control.",
        "vs names control or return_control arms",
    ),
    "E_NO_RETURN_CONTROL": LintCode(
        "A bracket has no return to its control, so a drift looks like the candidate.",
        "exact_ranksum: vs = [A, A2]",
    ),
    "E_N_TOO_LARGE": LintCode(
        "More units are planned than exact inference is offered for.",
        "n <= 32",
    ),
    "E_N_UNATTAINABLE": LintCode(
        "Even if every unit agreed, so few could not establish the claim.",
        "blocks 2^-n, bracket 1 / C(2n, n), quantile p^n <= 0.8 alpha / family; required_n <= "
        "planned",
    ),
    "E_PSEUDOREPLICATION": LintCode(
        "Units that share a boot share its luck and are counted as if they did not.",
        "comparison: boot or block; drift: boot; shares: slot or boot, and boot where several "
        "slots share one",
    ),
    "E_SAME_DATA": LintCode(
        "The same data stands on both sides.",
        "arm not in vs; vs names two arms; against_cell is another cell",
    ),
    "E_SAMPLE_COMPARISON": LintCode(
        "What is claimed of a process is claimed of the planned units, or the other way round.",
        "claim = population exactly for comparison, quantile, proportion, drift",
    ),
    "E_WAVES": LintCode(
        "The last boot serves fewer slots than the others and counts as much as they do.",
        "repetitions a multiple of waves, where boots or blocks are counted",
    ),
}
