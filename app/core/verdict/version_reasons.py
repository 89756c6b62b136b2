# SPDX-License-Identifier: Apache-2.0
"""Words for why a version of a protocol is EXPLORATORY for older evidence, or is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.reason_text import ReasonText

VERSION_REASONS: Final[Mapping[Reason, ReasonText]] = {
    Reason.FIRST_VERSION: ReasonText(
        "nobody",
        "No version of this protocol was locked before.",
        "There is no older evidence under this name that its gates could have been made for. What "
        "was measured under other protocols on the same head is asked for each head by itself "
        "(GATES_MOVED_AFTER_RESULT).",
    ),
    Reason.LOCKED_BEFORE_ATTEMPTS: ReasonText(
        "nobody",
        "When it was locked no slot had been reserved under an earlier version.",
        "Studies may have been opened, but nobody had taken a slot to run it, so by the log there "
        "was nothing that its gates could have been made for.",
    ),
    Reason.GATES_NOT_MOVED: ReasonText(
        "nobody",
        "It demands of the same evidence what the version before it demanded.",
        "Slots had been reserved under an earlier version when it was locked. No gate was added or "
        "changed, and nothing that decides how a slot is run or read: whoever knew results could "
        "not move a limit by it.",
    ),
    Reason.LOCKED_AFTER_RESERVATION: ReasonText(
        "maintainer",
        "Slots were reserved under an earlier version before it was locked.",
        "Whoever reserved them may have run them and looked, although no receipt had come. The "
        "gates it adds or changes are EXPLORATORY for what was reserved before: shown, never "
        "counted. It scores only attempts that are reserved after its own lock.",
    ),
    Reason.LOCKED_AFTER_RECEIPT: ReasonText(
        "maintainer",
        "Receipts under an earlier version stood in the log before it was locked.",
        "No study of them was judged yet, but runners and the operator can look at what is "
        "sealed. The gates it adds or changes are EXPLORATORY for what was reserved before: "
        "shown, never counted. It scores only attempts that are reserved after its own lock.",
    ),
    Reason.LOCKED_AFTER_JUDGEMENT: ReasonText(
        "maintainer",
        "A study under an earlier version was judged before it was locked.",
        "Everybody could read the result, and no gate of a candidate had failed. The gates it adds "
        "or changes are EXPLORATORY for what was reserved before: shown, never counted. It scores "
        "only attempts that are reserved after its own lock.",
    ),
    Reason.LOCKED_AFTER_FAIL: ReasonText(
        "maintainer",
        "A candidate had failed a gate of an earlier version before it was locked.",
        "The FAIL stands where it was found and nothing here lifts it. The gates it adds or "
        "changes are EXPLORATORY for what was reserved before: shown, never counted. It scores "
        "only attempts that are reserved after its own lock.",
    ),
}
"""Every reason that only a version of a protocol can have, and its words."""
