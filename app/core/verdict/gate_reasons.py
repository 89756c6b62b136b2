# SPDX-License-Identifier: Apache-2.0
"""Words for the reasons behind a judgement, and behind the state of a scope."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.claim_reasons import CLAIM_REASONS
from app.core.verdict.reason_text import ReasonText

GATE_REASONS: Final[Mapping[Reason, ReasonText]] = {
    **CLAIM_REASONS,
    Reason.BOUND_HELD: ReasonText(
        "reviewer",
        "The limit holds, whatever the unknown parts of the observations are.",
        "PASS is an established claim about exactly these planned slots: in every completion of "
        "what was not observed the statistic stays inside the locked limit.",
    ),
    Reason.BOUND_VIOLATED: ReasonText(
        "maintainer",
        "The limit is violated, whatever the unknown parts of the observations are.",
        "Even the most favourable completion of what was not observed lies outside the locked "
        "limit. Cause: not established. A protocol shows that a limit was passed, never why.",
    ),
    Reason.BEFORE_WITH_EXPECTED_ANSWER: ReasonText(
        "reviewer",
        "In every planned slot the first event came before the second, with the expected answer.",
        "Both streams were watched long enough to know the order, and the answer is the one the "
        "cell expects. HTTP status is no part of this.",
    ),
    Reason.NOT_BEFORE: ReasonText(
        "maintainer",
        "The first event did not come before the second.",
        "The order that the canary demands did not happen, whatever the HTTP status was; equal "
        "instants are not before. Cause: not established.",
    ),
    Reason.WRONG_ANSWER: ReasonText(
        "maintainer",
        "A stream answered something else than its cell expects.",
        "The answer was recorded and is not the expected one. Cause: not established.",
    ),
    Reason.IDENTITIES_AS_PINNED: ReasonText(
        "nobody",
        "Everything that ran is what the study pins.",
        "Commit, image, models, settings, harness and ranks agree with the pins wherever the gate "
        "asks. Members that the study lists as not published are unknown, not equal.",
    ),
    Reason.ANSWER_UNKNOWN: ReasonText(
        "maintainer",
        "Whether the expected answer came was not recorded.",
        "An unrecorded answer is neither right nor wrong, so the gate cannot decide.",
    ),
    Reason.CENSORED_BEFORE_DECIDING_INSTANT: ReasonText(
        "maintainer",
        "The observation stopped before the instant that would decide.",
        "Somebody stopped looking while both outcomes were still possible. What was seen is kept "
        "as a bound and decides nothing.",
    ),
    Reason.INSUFFICIENT_N: ReasonText(
        "maintainer",
        "Fewer units were observed than the gate requires.",
        "What was observed would pass, but the locked number of observed units is not reached. "
        "Nothing is added to a study afterwards.",
    ),
    Reason.MISSING_UNDECIDED: ReasonText(
        "maintainer",
        "Slots without a capture leave the outcome open.",
        "Some completion of the missing slots would pass and some would not. The denominator is "
        "the planned slots, so the gate stays undecided.",
    ),
    Reason.CENSORING_UNDECIDED: ReasonText(
        "maintainer",
        "Observations that were cut short leave the outcome open.",
        "A stream that was watched until some instant gives a bound. Here some completion of the "
        "bounds would pass and some would not.",
    ),
    Reason.BOUNDS_UNDECIDED: ReasonText(
        "maintainer",
        "Values known only between bounds leave the outcome open.",
        "A missing count with declared bounds is known to lie between them, and the limit lies "
        "between them too.",
    ),
    Reason.RESOLUTION_UNDECIDED: ReasonText(
        "maintainer",
        "The limit lies within the resolution of the clock.",
        "The value is too near the limit for the precision with which it was read.",
    ),
    Reason.FAIL_MASKED: ReasonText(
        "maintainer",
        "What was measured would fail, and slots that were not measured prevent the judgement.",
        "The measured slots alone violate the gate; abandoned, missing or harness-faulted slots "
        "keep it from being FAIL. A later PASS on this head is shown as conflicting: a failure is "
        "not removed by leaving slots empty.",
    ),
    Reason.RETRY_SELECTION: ReasonText(
        "maintainer",
        "Retries are too many or too unequal between arms for a PASS.",
        "Retries choose which boots are measured. Above one slot in five, or unequal between "
        "arms, a PASS is capped at INCONCLUSIVE.",
    ),
    Reason.DEVIATION: ReasonText(
        "maintainer",
        "A deviation from the protocol touches these slots, so the gate cannot pass.",
        "A signed deviation says that something was done otherwise than declared. It caps a PASS "
        "of every gate whose arm and cell it touches at INCONCLUSIVE; a FAIL stands. One that "
        "names slots touches those; one that names none and does not end the study touches all.",
    ),
    Reason.DEGENERATE_DATA: ReasonText(
        "maintainer",
        "A timing metric has one identical value in every control slot.",
        "Times that never differ were hardly measured. The state stands; look at the source of "
        "the metric.",
    ),
    Reason.PRECONDITION_NOT_MET: ReasonText(
        "runner",
        "The load shape did not come about, so the slot says nothing about the server.",
        "The protocol demands an order of submissions without which nothing contends. Without it "
        "the gate is INVALID: no overlap, no evidence.",
    ),
    Reason.LEDGER_UNBALANCED: ReasonText(
        "maintainer",
        "Planned slots are not the sum of the slot states.",
        "The accounting identity of the study does not close, so there is no verdict. This is "
        "damage to the record, not a result.",
    ),
    Reason.NO_VALID_SLOT: ReasonText(
        "runner",
        "There were attempts, and none of them can be scored.",
        "Every attempt is INVALID or abandoned. This says nothing about the server: it is neither "
        "a pass nor a regression.",
    ),
    Reason.VALIDITY_GATE_BROKEN: ReasonText(
        "runner",
        "A validity gate of this cell is broken, so its results are INVALID.",
        "A validity gate states what must be true for the others to mean anything. A FAIL "
        "established by slots that are valid stands.",
    ),
    Reason.NO_MEASURED_SLOT: ReasonText(
        "runner",
        "Nothing was measured: neither a pass nor a regression.",
        "No attempt started its measured phase. The exit status of whatever ran is no evidence. "
        "The attempt stays in the record and keeps its number.",
    ),
    Reason.NO_GATE_EVALUATED: ReasonText(
        "runner",
        "No gate was evaluated.",
        "Empty is never PASS: a scope without a judged gate is NOT_RUN.",
    ),
    Reason.OTHER_COMMIT: ReasonText(
        "runner",
        "The commit that was tested is not this head.",
        "The study is scored and shown as evidence about the commit it tested. For this head the "
        "scope is NOT_RUN, also when the tested commit was never published. A study that pins "
        "this head is needed.",
    ),
    Reason.NO_STUDY: ReasonText(
        "runner",
        "No study on this head speaks about this scope under a protocol the policy accepts.",
        "Nothing is established, neither good nor bad. Open a study for this exact head under a "
        "protocol that the policy lists for the scope.",
    ),
    Reason.STUDY_OPEN: ReasonText(
        "runner",
        "The study is not closed, and its scores are sealed until then.",
        "Captures and everything computed from them stay sealed until every slot is terminal, the "
        "closing time has passed or a deviation has ended the study. Slot states and thin receipts "
        "are public.",
    ),
    Reason.ALL_GATES_PASS: ReasonText(
        "reviewer",
        "Every gate that decides passes.",
        "Primary, secondary, integrity and completeness gates all pass over the declared matrix.",
    ),
    Reason.GATE_FAILED: ReasonText(
        "maintainer",
        "A gate fails.",
        "The worst of the gates is FAIL, and no other gate makes up for it. Cause: not "
        "established.",
    ),
    Reason.GATE_INVALID: ReasonText(
        "runner",
        "A gate has attempts, and none can be scored.",
        "The worst of the gates is INVALID. It says nothing about the server.",
    ),
    Reason.GATE_NOT_RUN: ReasonText(
        "runner",
        "A gate has nothing to judge.",
        "The worst of the gates is NOT_RUN: nothing was measured for it.",
    ),
    Reason.GATE_INCONCLUSIVE: ReasonText(
        "maintainer",
        "A gate was measured and is undecided.",
        "The worst of the gates is INCONCLUSIVE. Absence of a failure is not a PASS.",
    ),
}
"""Every reason of a judgement or a scope, and its words."""
