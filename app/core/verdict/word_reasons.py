# SPDX-License-Identifier: Apache-2.0
"""Words for the reasons behind a verdict, in the order in which they decide (DESIGN: the word)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from app.core.reason import Reason
from app.core.verdict.reason_text import ReasonText

WORD_REASONS: Final[Mapping[Reason, ReasonText]] = {
    Reason.UNKNOWN_STATEMENT: ReasonText(
        "maintainer",
        "A statement of a kind or version that this reader does not know stands on these lines.",
        "It may be a hold, a revocation or anything else, so it is never ignored: the word is "
        "HOLD until a reader that knows it computes the verdict. Upgrade the reader.",
    ),
    Reason.NO_POLICY: ReasonText(
        "maintainer",
        "The repository has no policy, so nothing says what would qualify a head.",
        "A policy names the claims, the scopes each requires and the protocols that may satisfy "
        "them. Without one there is no word but HOLD, whatever the studies show.",
    ),
    Reason.SCOPE_FAILED: ReasonText(
        "maintainer",
        "A required scope fails in a study that counts.",
        "Nothing later lifts this on this head: every study counts and the worst wins. The "
        "maintainer decides what follows. Cause: not established.",
    ),
    Reason.CONFLICTING: ReasonText(
        "maintainer",
        "One study that counts passes a required scope which another fails, or would fail.",
        "Running again until it passes does not qualify a head. Both studies stand side by side "
        "and the PASS lifts nothing. A FAIL that empty slots kept from being judged conflicts "
        "with a later PASS in the same way.",
    ),
    Reason.OPEN_STUDY: ReasonText(
        "runner",
        "A study on this head is not closed.",
        "Every study on a head counts, so there is no word before the last one is closed. It "
        "closes when its slots are terminal, at its closing time, or when a deviation ends it.",
    ),
    Reason.GATES_MOVED_AFTER_RESULT: ReasonText(
        "maintainer",
        "A protocol was locked after another study on this head had begun in the same scope.",
        "Limits that were chosen when results could be known are not predeclared for this head. "
        "The study is shown in full; a new commit may qualify under the new protocol, this one "
        "may not.",
    ),
    Reason.BASE_NOT_TRACKED: ReasonText(
        "maintainer",
        "The policy names a branch, and no tip of it is known.",
        "Whether the head still stands on the branch's tip cannot be told without a `ref` "
        "statement. Record the tip, or track no branch.",
    ),
    Reason.STALE_BASE: ReasonText(
        "maintainer",
        "The tracked branch has moved on since the base of this head.",
        "What was measured was measured on another base. A head on the present tip needs its own "
        "studies.",
    ),
    Reason.TAINTED: ReasonText(
        "maintainer",
        "A statement behind this verdict was signed by a key that was revoked as suspect.",
        "The signatures verify, but they may be from wrong hands. The statements stay; what they "
        "say cannot qualify a head.",
    ),
    Reason.HOLD_IN_FORCE: ReasonText(
        "maintainer",
        "A hold is in force.",
        "Somebody has signed why this head may not advance. A hold lowers the word and never "
        "raises it; it says who acts next.",
    ),
    Reason.REPLAY: ReasonText(
        "runner",
        "A study here retells a public source; a replay cannot qualify a head.",
        "The figures are as published: nothing bound them to a challenge before they were taken, "
        "and what was not published is unknown. What the study shows is shown in full, and the "
        "head stays on HOLD.",
    ),
    Reason.SCOPE_NOT_PASS: ReasonText(
        "runner",
        "A required scope is not established.",
        "PASS is needed in every required scope; INVALID, NOT_RUN and INCONCLUSIVE are not PASS, "
        "and none of them is a failure. Who acts follows from the state: the runner where nothing "
        "could be scored, the maintainer where something is undecided.",
    ),
    Reason.ALL_SCOPES_PASS: ReasonText(
        "reviewer",
        "Every required scope passes on this exact head, and nothing stands against it.",
        "This word is about this head and this claim, under the protocols that the policy lists. "
        "It says nothing about another commit, another setting or what the protocols do not "
        "claim.",
    ),
}
"""Every reason of a verdict's word, and its words."""
