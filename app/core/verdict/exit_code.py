# SPDX-License-Identifier: Apache-2.0
"""A verdict document as the exit code of ``--exit-code`` (DESIGN: CLI).

An exit code is for scripts that must not go on; it is no evidence, and nothing here reads one. Only
QUALIFIED is 0. Among HOLDs the first that applies of the table below decides, worst news first.
"""

from __future__ import annotations

from typing import Final

from app.core.reason import Reason
from app.core.statement.verdict import VerdictDocument

QUALIFIED: Final = 0
NOT_QUALIFIED: Final = 10
INCONCLUSIVE: Final = 11
SLOTS_OPEN_OR_MISSING: Final = 12
INVALID: Final = 13
NOTHING_MEASURED: Final = 20
NO_EVIDENCE: Final = 21
OTHER_HEAD: Final = 22
CONFLICTING: Final = 23
HELD: Final = 24
UNKNOWN_STATEMENT: Final = 43

_HELD = frozenset({Reason.HOLD_IN_FORCE, Reason.TAINTED, Reason.GATES_MOVED_AFTER_RESULT})
_OTHER_HEAD = frozenset({Reason.STALE_BASE, Reason.BASE_NOT_TRACKED})
# A replay retells published figures; nothing of it was bound to a challenge, so it is no evidence.
_NO_EVIDENCE = frozenset({Reason.NO_POLICY, Reason.REPLAY})


def exit_code_of(document: VerdictDocument) -> int:
    """Return the one exit code of a verdict."""
    if document.word == "QUALIFIED":
        return QUALIFIED
    return NOT_QUALIFIED if document.word == "NOT_QUALIFIED" else _hold_code(document)


def nothing_measured(document: VerdictDocument) -> bool:
    """Tell whether every study on this head is closed and not one measured phase began."""
    return bool(document.studies) and all(study.measured == 0 for study in document.studies)


def _hold_code(document: VerdictDocument) -> int:
    codes = {reason.code for reason in document.reasons}
    required = document.required
    # An unknown statement may be anything, a hold or a revocation too: no other code is safe.
    table = (
        (UNKNOWN_STATEMENT, Reason.UNKNOWN_STATEMENT in codes),
        (CONFLICTING, document.conflicting),
        (HELD, not codes.isdisjoint(_HELD)),
        (NOTHING_MEASURED, nothing_measured(document)),
        (INVALID, any(scope.state == "INVALID" for scope in required)),
        (SLOTS_OPEN_OR_MISSING, _has_gaps(document)),
        (
            OTHER_HEAD,
            not codes.isdisjoint(_OTHER_HEAD) or _reason_in(document, Reason.OTHER_COMMIT),
        ),
        (NO_EVIDENCE, not codes.isdisjoint(_NO_EVIDENCE) or _reason_in(document, Reason.NO_STUDY)),
    )
    return next((code for code, applies in table if applies), INCONCLUSIVE)


def _reason_in(document: VerdictDocument, code: Reason) -> bool:
    return any(scope.reason == code for scope in document.required)


def _has_gaps(document: VerdictDocument) -> bool:
    """Tell whether a study that could count is not closed, or closed with slots nothing filled."""
    studies = [study for study in document.studies if study.counting in {"counts", "replay"}]
    flows = [study.flow for study in studies]
    gaps = any(flow.open or flow.reserved or flow.missing or flow.abandoned for flow in flows)
    return gaps or any(study.sealed for study in studies)
