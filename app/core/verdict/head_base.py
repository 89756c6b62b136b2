# SPDX-License-Identifier: Apache-2.0
"""What a head stands on, and whether the branch that the policy tracks has moved on since.

Only ``ref`` statements say where a branch is. The base shown is the newest study's; but every study
that is not exploratory must name the tip, so that a further study on another base lifts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from app.core.admission.people import RefState, newest_ref
from app.core.admission.state import PolicyInForce, RepositoryState
from app.core.statement.verdict import Base
from app.core.study.state import StudyState
from app.core.verdict.policies import tracked_branch


def tip_of(repository: RepositoryState, policies: Sequence[PolicyInForce]) -> RefState | None:
    """Return the newest observation of the branch that the policies track; None: none is known."""
    branch = tracked_branch(policies)
    return None if branch is None else newest_ref(repository.refs, branch)


def base_of(
    studies: Sequence[StudyState], policies: Sequence[PolicyInForce], tip: RefState | None
) -> Base:
    """Return what the head stands on, as its studies say, held against ``tip``."""
    branch = tracked_branch(policies)
    now = None if tip is None else tip.predicate.tip
    state = "NOT_TRACKED" if branch is None else _state(studies, now)
    commit = studies[-1].predicate.base if studies else None
    return Base(commit=commit, tracked_branch=branch, tip=now, state=state)


def _state(
    studies: Sequence[StudyState], tip: str | None
) -> Literal["CURRENT", "STALE", "UNKNOWN"]:
    bases = {study.predicate.base for study in studies if not study.predicate.exploratory}
    if tip is None or not bases - {None}:
        return "UNKNOWN"
    if bases - {None, tip}:
        return "STALE"
    return "UNKNOWN" if None in bases else "CURRENT"
