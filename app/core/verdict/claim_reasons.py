# SPDX-License-Identifier: Apache-2.0
"""Words for the reasons of gates with controls or a p-value, and of assays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.reason_text import ReasonText

CLAIM_REASONS: Final[Mapping[Reason, ReasonText]] = {
    Reason.NON_INFERIOR_TO_BOTH_CONTROLS: ReasonText(
        "reviewer",
        "The candidate is not worse than either control by as much as the margin.",
        "The exact rank-sum test holds against the control and against its return, in every "
        "completion of what was not observed. Absence of a difference was not assumed.",
    ),
    Reason.SUPERIOR_TO_BOTH_CONTROLS: ReasonText(
        "reviewer",
        "The candidate is better than both controls by more than the margin.",
        "The exact rank-sum test holds against the control and against its return, in every "
        "completion of what was not observed.",
    ),
    Reason.EQUIVALENT_TO_BOTH_CONTROLS: ReasonText(
        "reviewer",
        "The candidate differs from neither control by as much as the margin, either way.",
        "Both one-sided tests hold against the control and against its return, in every completion "
        "of what was not observed.",
    ),
    Reason.WORSE_THAN_BOTH_CONTROLS: ReasonText(
        "maintainer",
        "The candidate is beyond the margin against both controls.",
        "Even in the most favourable completion the opposite of the claim is established against "
        "the control and against its return, so a drift between them does not explain it. Cause: "
        "not established.",
    ),
    Reason.DIFFERENT_FROM_BOTH_CONTROLS: ReasonText(
        "maintainer",
        "The candidate differs from both controls by more than the margin.",
        "Even in the most favourable completion a difference beyond the margin is established "
        "against both controls. Cause: not established.",
    ),
    Reason.NON_INFERIOR_IN_BLOCKS: ReasonText(
        "reviewer",
        "Block by block the candidate is not worse than its control by as much as the margin.",
        "The exact sign-flip test over all subsets of blocks holds in every completion. Each "
        "candidate slot lies between control slots, so a slow drift cannot make this claim.",
    ),
    Reason.SUPERIOR_IN_BLOCKS: ReasonText(
        "reviewer",
        "Block by block the candidate is better than its control by more than the margin.",
        "The exact sign-flip test over all subsets of blocks holds in every completion.",
    ),
    Reason.EQUIVALENT_IN_BLOCKS: ReasonText(
        "reviewer",
        "Block by block the candidate differs from its control by less than the margin.",
        "Both sign-flip tests over all subsets of blocks hold in every completion.",
    ),
    Reason.WORSE_IN_BLOCKS: ReasonText(
        "maintainer",
        "Block by block the candidate is beyond the margin against its control.",
        "Even in the most favourable completion the opposite of the claim is established. Cause: "
        "not established.",
    ),
    Reason.DIFFERENT_IN_BLOCKS: ReasonText(
        "maintainer",
        "Block by block the candidate differs from its control by more than the margin.",
        "Even in the most favourable completion a difference beyond the margin is established. "
        "Cause: not established.",
    ),
    Reason.CLAIM_ESTABLISHED: ReasonText(
        "reviewer",
        "The share that the gate claims is established at its confidence.",
        "The exact binomial test holds with every open unit counted against the claim. It is a "
        "claim about the process, from independent units.",
    ),
    Reason.CLAIM_REFUTED: ReasonText(
        "maintainer",
        "The opposite of the share that the gate claims is established.",
        "The exact binomial test refutes the claim even with every open unit counted for it. "
        "Cause: not established.",
    ),
    Reason.WITHIN_ENVELOPE: ReasonText(
        "reviewer",
        "Every observed value of the candidate is within the margin of every one of its controls.",
        "The least favourable pair of observed values lies inside the locked margin, and the "
        "controls lie near enough to one another. It is a claim about exactly these units; no "
        "chance was computed.",
    ),
    Reason.BEYOND_ENVELOPE: ReasonText(
        "maintainer",
        "Every observed value of the candidate is worse than every one of its controls by more "
        "than the margin.",
        "Even the most favourable pair of observed values lies outside the locked margin, although "
        "the controls lie near enough to one another. Cause: not established.",
    ),
    Reason.OUTPUT_AMOUNTS_DIFFER: ReasonText(
        "maintainer",
        "A lane gave other amounts of output in the arms that are compared, or none was reported.",
        "A shorter answer is finished sooner, so times and rates of unequal amounts are no "
        "comparison and no PASS is given. Lock the output length of contended cells. A FAIL "
        "stands.",
    ),
    Reason.CONTROLS_STABLE: ReasonText(
        "nobody",
        "The control and its return differ by less than the drift margin.",
        "Both one-sided rank-sum tests between the controls hold in every completion.",
    ),
    Reason.ASSAY_SENSITIVE: ReasonText(
        "nobody",
        "The control showed what it was expected to show, or its cell was seen to contend.",
        "The protocol was seen to tell the difference that it is about, in this very study.",
    ),
    Reason.BASELINE_SPREAD: ReasonText(
        "maintainer",
        "The controls differ among themselves by as much as the candidate may.",
        "Not even the unchanged system could be shown to lie within the margin of itself. Keep the "
        "control, find the variation, or declare a wider margin in a new version.",
    ),
    Reason.EFFECT_NEAR_MARGIN: ReasonText(
        "maintainer",
        "The effect lies too near the margin to be told from it with the planned units.",
        "Neither the claim nor its opposite is established, and no completion of what was not "
        "observed would change that. Nothing is added to a study afterwards.",
    ),
    Reason.CONTROL_MISSING: ReasonText(
        "runner",
        "No slot of the control was measured.",
        "A comparison without its control says nothing, whatever the candidate shows.",
    ),
    Reason.RETURN_CONTROL_MISSING: ReasonText(
        "runner",
        "No slot of the return control was measured.",
        "With one control a slow drift of the environment looks like the candidate. The claim "
        "needs the control before and after.",
    ),
    Reason.CONTROL_DRIFT: ReasonText(
        "maintainer",
        "The control and its return differ by more than the drift margin.",
        "The environment moved further than the question asks about, so no PASS is given. A FAIL "
        "against both controls would stand.",
    ),
    Reason.CONTROL_DRIFT_POSSIBLE: ReasonText(
        "maintainer",
        "In some completion the control and its return differ by more than the drift margin.",
        "What was not observed of the controls may hide a drift. Less information never gives a "
        "stronger verdict, so no PASS is given.",
    ),
    Reason.NO_ASSAY_SENSITIVITY: ReasonText(
        "maintainer",
        "Nothing in this study shows that the test could have seen a failure.",
        "A control that was expected to fail did not, or the control's own cell did not contend by "
        "the locked factor, or the protocol names neither although it claims to be no worse under "
        "contention. Without that everything is as good as its control, so a PASS of the candidate "
        "is no evidence. A FAIL stands.",
    ),
    Reason.FAIL_NOT_AFTER_HOLM: ReasonText(
        "maintainer",
        "The gate by itself would fail, and not after the correction for all gates of the scope.",
        "Where many comparisons are made some fail by chance. Holm's correction over all "
        "comparison gates of the scope leaves this one undecided.",
    ),
}
"""Every reason that only a gate with controls or a p-value can have, and its words."""
