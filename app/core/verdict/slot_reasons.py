# SPDX-License-Identifier: Apache-2.0
"""Words for the reasons why a slot is in the state it is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.reason_text import ReasonText

SLOT_REASONS: Final[Mapping[Reason, ReasonText]] = {
    Reason.ARM_COMMIT_MISMATCH: ReasonText(
        "runner",
        "The capture comes from another commit than the study pins for this arm.",
        "Evidence for one commit is never read as evidence for another. The slot is INVALID: kept, "
        "shown and counted in every denominator, and unknown to every gate. Run the pinned commit "
        "in a study that pins it.",
    ),
    Reason.IMAGE_MISMATCH: ReasonText(
        "runner",
        "The container image is not the one the study pins for this arm.",
        "An image is named by digest, because a tag moves. A capture from another image, or one "
        "whose image nobody recorded, says nothing about the pinned one. The slot is INVALID and "
        "stays in the record.",
    ),
    Reason.MODEL_MISMATCH: ReasonText(
        "runner",
        "A model or its revision is not the one the study pins.",
        "The served model and the draft model are both pinned by repository and revision. Another "
        "revision is another system, so the slot is INVALID and stays in the record.",
    ),
    Reason.HARNESS_MISMATCH: ReasonText(
        "runner",
        "The tool that ran the slot is not the one the study pins.",
        "Name, version and the SHA-256 of the tool's bytes must equal the pins: another tool may "
        "measure something else under the same name. The slot is INVALID.",
    ),
    Reason.WORKLOAD_MISMATCH: ReasonText(
        "runner",
        "The prompts come from another workload generator than the protocol names.",
        "The generator is named by its SHA-256. Another workload is another question, so the slot "
        "is INVALID and not an answer to this one.",
    ),
    Reason.SETTINGS_MISMATCH: ReasonText(
        "runner",
        "The deployment's settings are not those pinned for this arm.",
        "Disclosed settings are compared by value, all the others by one salted digest. One "
        "differing setting makes another deployment, and the slot INVALID.",
    ),
    Reason.COMPONENTS_CHANGED: ReasonText(
        "runner",
        "A program between prompt and answer was another after the slot than before it.",
        "Engine, gateway, proxy and client are read before a slot and after it, by name, version, "
        "image and timeout. One that was exchanged meanwhile makes two deployments of one, and the "
        "slot INVALID. What was not read again is not taken for changed.",
    ),
    Reason.CONTROL_CHANGED: ReasonText(
        "runner",
        "The return to control is not the control it should repeat.",
        "A return control tells whether the machine moved while the candidate ran. That needs the "
        "same commit, image, settings and models as the control itself. With a changed control the "
        "slot is INVALID.",
    ),
    Reason.RANK_COUNT_MISMATCH: ReasonText(
        "runner",
        "The number of ranks described is not the tensor-parallel size.",
        "Every rank of the group must be described, or part of what served the requests is "
        "unknown. The slot is INVALID and stays in the record.",
    ),
    Reason.RANK_MISMATCH: ReasonText(
        "runner",
        "The ranks do not agree with one another.",
        "All ranks of one engine run the same commit, image, models and settings. Where they "
        "differ, what was measured is a mixture that nobody pinned, and the slot is INVALID.",
    ),
    Reason.DUPLICATE_GPU: ReasonText(
        "runner",
        "Two ranks name the same GPU.",
        "Each rank of this topology has a GPU of its own. Two ranks with one salted GPU digest "
        "were not served as pinned, or one rank was described twice. The slot is INVALID.",
    ),
    Reason.DUPLICATE_RANK: ReasonText(
        "runner",
        "One rank number is described twice.",
        "Ranks are numbered from zero, each once. A number that stands twice hides a rank that is "
        "not described. The slot is INVALID.",
    ),
    Reason.TENSOR_PARALLEL_MISMATCH: ReasonText(
        "runner",
        "The tensor-parallel size is not the one pinned.",
        "Another tensor-parallel size, of the target or of the draft model, is another deployment "
        "with other contention. The slot is INVALID.",
    ),
    Reason.TOPOLOGY_MISMATCH: ReasonText(
        "runner",
        "The machines are not those the study pins.",
        "Number of nodes, hosts by pseudonym and GPU model must be as pinned. The slot is INVALID "
        "and stays in the record.",
    ),
    Reason.IDENTITY_MISMATCH: ReasonText(
        "runner",
        "What ran is not what was pinned.",
        "An identity gate holds every capture to the study's pins. A mismatch makes the capture "
        "INVALID; it says nothing about the pinned system, neither good nor bad.",
    ),
    Reason.SIGNATURE: ReasonText(
        "maintainer",
        "The signature does not prove who signed.",
        "A statement counts only under the signature of a key that was registered for this at its "
        "place in the log. What cannot be attributed is INVALID.",
    ),
    Reason.CONFLICTING_RECEIPTS: ReasonText(
        "maintainer",
        "Two different receipts were signed for one attempt.",
        "Both are kept. The slot is INVALID, so it helps no gate to pass; for FAIL the hull of "
        "both counts, so a second receipt cannot turn a failure into nothing. The maintainer "
        "decides what the runner's record is worth.",
    ),
    Reason.ACQUIRED_BEFORE_LOCK: ReasonText(
        "runner",
        "The capture is older than the lock of its protocol.",
        "Limits chosen after a result are not limits. A capture from before the lock is kept and "
        "INVALID; run the slot again under the lock.",
    ),
    Reason.CHALLENGE_NOT_USED: ReasonText(
        "runner",
        "The capture is not bound to the challenge of its slot.",
        "The challenge could not be known before the slot was reserved. A capture that does not "
        "carry it may be from any time, so the slot is INVALID.",
    ),
    Reason.CLOCK: ReasonText(
        "runner",
        "The instants of the capture contradict one another.",
        "Events of one stream or lane must follow each other, gaps must add up, and no lane has "
        "more results validated than jobs completed. What cannot all be true measures nothing, and "
        "the slot is INVALID.",
    ),
    Reason.STREAMS_NOT_AS_PLANNED: ReasonText(
        "runner",
        "The streams of the capture are not those the cell plans.",
        "A cell plans its streams by role and lane. One that is missing, doubled or of another "
        "role makes another load shape, and the slot is INVALID.",
    ),
    Reason.LANES_NOT_AS_PLANNED: ReasonText(
        "runner",
        "The lanes of the capture are not those the cell plans.",
        "A cell of long jobs plans so many lanes, numbered from 0. One that is missing or not "
        "planned makes another load, and the slot is INVALID. A lane that never started stands in "
        "the capture with a null.",
    ),
    Reason.CAPTURE_OF_OTHER_KIND: ReasonText(
        "runner",
        "The capture is of another kind than its cell plans.",
        "A cell says what fills its slots: streams, checks, jobs or another tool's decision. None "
        "stands in for another, so the slot is INVALID.",
    ),
    Reason.DECISION_NOT_BOUND: ReasonText(
        "runner",
        "The other tool's decision is not bound to what the lock names.",
        "The lock names the tool and the digests of its policy, its collector and its workload. A "
        "decision that lacks one of them, or names another, was made about something else, and the "
        "slot is INVALID.",
    ),
    Reason.SERVER_FAULT: ReasonText(
        "maintainer",
        "The system under test failed by the locked fault table.",
        "The facts of the capture match a row that stands for the system under test. The slot is "
        "FAILED: its times count as infinite, its progress and rates as zero. Which part of the "
        "system it was is not established.",
    ),
    Reason.HARNESS_FAULT: ReasonText(
        "runner",
        "The harness failed, not the server.",
        "The facts match a row that only the harness can cause, such as a wrong path. The slot "
        "says nothing about the server: it is neither a pass nor a regression.",
    ),
    Reason.ENVIRONMENT_FAULT: ReasonText(
        "runner",
        "The surroundings failed, not the server.",
        "The facts match a row for the environment, such as a name that did not resolve. The slot "
        "says nothing about the server.",
    ),
    Reason.SHORT_OUTPUT: ReasonText(
        "maintainer",
        "A stream came to less output than its cell fixes.",
        "Where the amount is fixed, a shorter stream is not a faster one. The slot is FAILED and "
        "its settlement counts as infinite.",
    ),
    Reason.EVENT_NEVER_CAME: ReasonText(
        "maintainer",
        "An event that another stream waits for never came before the deadline.",
        "A stream is planned to start after the server's own event. When the server never gave it, "
        "the slot is FAILED and not INVALID: a server must not undo its failure by failing early.",
    ),
    Reason.UNFINISHED_STREAM: ReasonText(
        "runner",
        "A stream did not finish, and no locked row says whose fault that is.",
        "The slot is PARTIAL. What was seen until then counts as a bound, in every denominator and "
        "on every plot; what came after is unknown.",
    ),
    Reason.UNFINISHED_LANE: ReasonText(
        "runner",
        "A lane of long jobs has no end, and no locked row says whose fault that is.",
        "The slot is PARTIAL. What the lane counted until then is kept; how long it worked is "
        "unknown.",
    ),
    Reason.CHECKS_NOT_REPORTED: ReasonText(
        "runner",
        "A planned suite or named check was not reported.",
        "The slot is PARTIAL. What nobody reported has neither passed nor failed; it is unknown "
        "and stays in the denominator.",
    ),
    Reason.NO_DECISION: ReasonText(
        "runner",
        "The other tool came to no decision.",
        "The slot is PARTIAL: a tool that printed no decision decided nothing, whatever its exit "
        "status was.",
    ),
    Reason.WARMUP_NOT_COMPLETED: ReasonText(
        "runner",
        "The warm-up did not complete, so nothing was measured.",
        "No measured phase began. The slot is neither a pass nor a regression; where the locked "
        "retry rule lists what happened, one more attempt may be reserved.",
    ),
    Reason.ALL_STREAMS_COMPLETE: ReasonText(
        "nobody",
        "Every planned stream completed.",
        "Each stream reached an end that the protocol accepts. This says that the slot was "
        "measured in full, not that a gate holds.",
    ),
    Reason.ALL_LANES_ENDED: ReasonText(
        "nobody",
        "Every planned lane came to its end.",
        "This says that the slot was measured in full, not that a gate holds.",
    ),
    Reason.ALL_CHECKS_REPORTED: ReasonText(
        "nobody",
        "Every planned suite and named check was reported.",
        "Whether they passed is asked by gates; one that was skipped was reported and not tested.",
    ),
    Reason.DECISION_BOUND: ReasonText(
        "nobody",
        "The other tool's decision is bound to what the lock names.",
        "It is that tool's word about the locked policy, collector and workload. What it decided "
        "is read by gates.",
    ),
    Reason.ABANDONED: ReasonText(
        "runner",
        "The slot was reserved, and no receipt came before its deadline.",
        "Nothing leaves this state: a later receipt is kept, shown as late and never scored. An "
        "abandoned slot stays in every denominator, since a run that was stopped when it looked "
        "bad would otherwise vanish.",
    ),
    Reason.MISSING: ReasonText(
        "runner",
        "The slot was planned and never reserved before the study closed.",
        "It stays in every denominator for ever; its metric is unknown. A new study may fill it, "
        "this one cannot.",
    ),
    Reason.NOT_STARTED: ReasonText(
        "runner",
        "No receipt tells of a measured phase: as far as the ledger knows, none has started.",
        "Whoever holds a reservation pushes the receipt before its deadline; after that the slot "
        "is abandoned. A slot that nobody has reserved by the study's closing time is missing.",
    ),
    Reason.VALUE_NOT_RECORDED: ReasonText(
        "runner",
        "The slot was measured and this value of it was not recorded.",
        "What nobody recorded is unknown, never zero: it stays in the denominator, and the "
        "judgement says what it could be.",
    ),
    Reason.SERVER_REPLACED: ReasonText(
        "maintainer",
        "The server that was measured was not the same one to the end.",
        "An integrity gate found a restart, an exit or another container. What followed was read "
        "of another server, so it is unknown here; requests that failed stay the server's failure.",
    ),
    Reason.NO_RATIO: ReasonText(
        "runner",
        "The two slots of this ratio have none.",
        "They did not run in one boot of the server that both name, or the value below is nothing, "
        "or never came. Failing there must not make a ratio small, so it is unknown.",
    ),
    Reason.LATE: ReasonText(
        "runner",
        "The receipt came after the deadline of its reservation.",
        "It is kept and shown as late, and never scored: whoever may wait can also choose.",
    ),
}
"""Every reason of a slot, and its words."""
