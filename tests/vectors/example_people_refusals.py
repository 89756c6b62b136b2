# SPDX-License-Identifier: Apache-2.0
"""What is wrong in each refused statement of a person, as in ``example_refusals``."""

from typing import Final

from tests.vectors.example_declarations import HEAD
from tests.vectors.example_refusals import REMOVED, VIOLATION, Case, P

_COMMIT: Final = "/subject/0/digest/gitCommit"
_THROUGH: Final = {"change": None, "head": None, "claim": "land"}
_LINK: Final = {
    "relation": "evidence",
    "change": "1",
    "head": HEAD,
    "statement": None,
    "note": None,
}

PEOPLE: Final[tuple[Case, ...]] = (
    ("hold", "no-owner", f"{P}/next_action", None, VIOLATION, f"{P}/next_action"),
    ("hold", "no-condition", f"{P}/until", None, VIOLATION, f"{P}/until"),
    ("hold", "placed-and-clears", f"{P}/clears", "0" * 64, VIOLATION, f"{P}/clears"),
    ("hold", "cleared-of-nothing", f"{P}/action", "clear", VIOLATION, f"{P}/until"),
    ("hold", "head-in-no-subject", f"{P}/applies_to/head", HEAD, VIOLATION, "/subject/0/digest"),
    ("hold", "no-digest", "/subject/0/digest", {}, VIOLATION, "/subject/0/digest"),
    (
        "hold",
        "change-twice",
        f"{P}/applies_to/changes",
        ["180", "180"],
        VIOLATION,
        f"{P}/applies_to/changes/1",
    ),
    ("hold", "link-to-two-things", f"{P}/links", [_LINK], VIOLATION, f"{P}/links/0"),
    ("hold", "bidi-text", f"{P}/why", "clear\u202e", VIOLATION, f"{P}/why"),
    ("review", "did-nothing", f"{P}/did", [], VIOLATION, f"{P}/did"),
    ("review", "unknown-outcome", f"{P}/outcome", "approved", VIOLATION, f"{P}/outcome"),
    ("review", "relation-left-out", f"{P}/relation/ran", REMOVED, VIOLATION, f"{P}/relation"),
    ("review", "branch-as-head", "/subject/0/digest/gitCommit", "main", VIOLATION, _COMMIT),
    ("decision", "word", f"{P}/decided", "qualified", VIOLATION, f"{P}/decided"),
    ("decision", "landed-nowhere", f"{P}/through", _THROUGH, VIOLATION, f"{P}/through"),
    ("decision", "waives-nothing", f"{P}/scope", None, VIOLATION, f"{P}/scope"),
    ("decision", "no-day", f"{P}/expires_at", "2026-02-30T00:00:00Z", VIOLATION, f"{P}/expires_at"),
    ("ref", "short-tip", f"{P}/tip", "0123abc", VIOLATION, f"{P}/tip"),
    ("ref", "other-repository", f"{P}/repository", "h.example/o/n", VIOLATION, "/subject/0/name"),
    ("ref", "branch-of-options", f"{P}/branch", "--upload-pack", VIOLATION, f"{P}/branch"),
)
