# SPDX-License-Identifier: Apache-2.0
"""Kind ``ref``: where a branch, or a pull request's head, stood; the only way a base gets stale."""

from __future__ import annotations

from app.core.identity import ChangeNumber, HeadSha, Repository, Sha256Hex, Text
from app.core.statement.header import Header
from app.core.statement.policy import Branch


class RefPredicate(Header, frozen=True):
    """One observation of a name that moves.

    Attributes:
        repository: whose branch.
        branch: the branch; for a pull request the name its head has on the forge.
        change: the pull request whose head this is; null: a branch of the repository.
        tip: the commit it named.
        source: where that was seen.
        supersedes: statement digest of the observation of this branch before; null: the first. So
            a branch that comes back to an old commit is a new statement, and no two people move it
            at once without one of them noticing.
    """

    repository: Repository
    branch: Branch
    change: ChangeNumber | None
    tip: HeadSha
    source: Text
    supersedes: Sha256Hex | None
