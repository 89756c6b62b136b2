# SPDX-License-Identifier: Apache-2.0
"""Texts of what gates on reported results say: checks, jobs, files, another tool, parity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.reason_text import ReasonText

RESULT_REASONS: Final[Mapping[Reason, ReasonText]] = {
    Reason.REVIEWS_ACCEPTED: ReasonText(
        "nobody",
        "As many independent people as the lock asks for accepted this exact head.",
        "People count, not keys, and only those whom nothing ties to the change, to a protocol it "
        "is judged by or to its runs. An acceptance of another head, or one that was taken back, "
        "counts for nothing here.",
    ),
    Reason.CHANGES_REQUESTED: ReasonText(
        "maintainer",
        "An independent reviewer asks for changes on this exact head.",
        "As long as that review stands, no number of acceptances outweighs it. The same person's "
        "next review of this head takes it back; a new commit is another head.",
    ),
    Reason.NO_REVIEW: ReasonText(
        "reviewer",
        "No independent person has accepted this head.",
        "A comment is neither for nor against, and whoever wrote, pushed, locked or ran something "
        "here is not independent. Until somebody else says so there is nothing to judge.",
    ),
    Reason.CHECKS_PASSED: ReasonText(
        "nobody",
        "No more checks failed or were skipped than the lock allows, and each named one passed.",
        "What was skipped was not tested: the count stands beside the gate.",
    ),
    Reason.CHECK_FAILED: ReasonText(
        "maintainer",
        "More checks failed than the lock allows, or a named one did.",
        "A failed check is a result. Why it failed is not established here.",
    ),
    Reason.NOT_TESTED: ReasonText(
        "runner",
        "Something that must be tested was skipped, not run or not reported.",
        "A skipped check has neither passed nor failed. More skips than the lock allows, a named "
        "result that is not there and a suite in which nothing passed or failed decide nothing.",
    ),
    Reason.LANES_HELD: ReasonText(
        "nobody",
        "Every lane lasted as long, with as many validated results, as the lock demands.",
        "Each lane is held against the demand by itself; a good one does not make up for another.",
    ),
    Reason.LANE_FELL_SHORT: ReasonText(
        "maintainer",
        "A lane lasted too short, validated too little or failed too often.",
        "One lane is enough. Where the server failed, a lane without an end has not done its work.",
    ),
    Reason.LANE_UNKNOWN: ReasonText(
        "runner",
        "Of some lane it is not known how long it worked, or what came of it.",
        "A count that nobody took is unknown and never zero; what a lane had counted when it was "
        "last seen is a least value.",
    ),
    Reason.ARTIFACTS_AS_REGISTERED: ReasonText(
        "nobody",
        "Every registered file has its SHA-256 and its length.",
        "The bytes are those that the lock names. What they do is asked elsewhere.",
    ),
    Reason.ARTIFACT_DIFFERS: ReasonText(
        "maintainer",
        "A file is not the one that the lock registers.",
        "Its SHA-256 or its length is another, or the check that read it failed. A file that "
        "nobody reported, or whose check did not run, is unknown instead.",
    ),
    Reason.TOOL_DECIDED_PASS: ReasonText(
        "nobody",
        "The other tool decided PASS, on the digests that the lock names.",
        "It is that tool's claim about its own evidence; this ledger has not judged it again.",
    ),
    Reason.TOOL_DECIDED_FAIL: ReasonText(
        "maintainer",
        "The other tool decided that it fails, on the digests that the lock names.",
        "It is that tool's claim; its reason codes stand in the capture.",
    ),
    Reason.TOOL_UNDECIDED: ReasonText(
        "maintainer",
        "The other tool evaluated its gates and could not decide.",
        "Its own word for that is no pass and no failure here, and nothing else is read from it.",
    ),
    Reason.PARITY_HELD: ReasonText(
        "nobody",
        "The number equals that of the other arm in every repetition.",
        "Equal within the locked margin, where there is one, and exactly where there is none.",
    ),
    Reason.PARITY_BROKEN: ReasonText(
        "maintainer",
        "The number differs from that of the other arm.",
        "What is no number equals nothing. A number that was not recorded is unknown instead.",
    ),
}
