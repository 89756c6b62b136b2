# SPDX-License-Identifier: Apache-2.0
"""Which policies speak about a head, which claims they make, and what each claim demands.

A policy is in force from its index until another supersedes it. For a head all policies count that
were in force since its first study was opened: dropping a scope after it failed, or listing an
easier protocol, lowers nothing that stood before. So each policy's demand stands on its own: a
scope that two policies require under different protocols needs a study under each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.core.admission.state import HeadState, PolicyInForce, RepositoryState
from app.core.identity import Scope, Sha256Hex
from app.core.statement.policy import Claim


@dataclass(frozen=True, slots=True)
class Requirement:
    """One scope that one policy requires.

    Attributes:
        protocols: document digests of the protocols that may satisfy it.
    """

    scope: Scope
    protocols: frozenset[Sha256Hex]


def policies_about(repository: RepositoryState, head: HeadState) -> tuple[PolicyInForce, ...]:
    """Return the policies in force since the head's first study, oldest first.

    Before there is a study only the policy in force now speaks.
    """
    policies = repository.policies
    if not head.studies:
        return policies[-1:]
    opened = min(study.index for study in head.studies)
    before = [policy for policy in policies if policy.index < opened]
    return (*before[-1:], *(policy for policy in policies if policy.index > opened))


def claims_named(policies: Sequence[PolicyInForce]) -> tuple[str, ...]:
    """Return the names of all claims, those of the newest policy first, each once."""
    names = [claim.name for policy in reversed(policies) for claim in policy.predicate.claims]
    return tuple(dict.fromkeys(names))


def claim_in(policies: Sequence[PolicyInForce], claim: str | None) -> Claim | None:
    """Return the claim as the newest policy that names it puts it."""
    named = _claims(policies, claim)
    return named[-1] if named else None


def demands_of(policies: Sequence[PolicyInForce], claim: str | None) -> tuple[Requirement, ...]:
    """Return everything ``claim`` demands, each demand once, scopes in their fixed order."""
    found = {
        Requirement(required.scope, frozenset(required.protocols))
        for named in _claims(policies, claim)
        for required in named.required
    }
    order = list(Scope)
    return tuple(sorted(found, key=lambda d: (order.index(d.scope), sorted(d.protocols))))


def tracked_branch(policies: Sequence[PolicyInForce]) -> str | None:
    """Return the branch that the newest policy that names one names.

    A policy that stops tracking after the head's first study does not release the head.
    """
    branches = [policy.predicate.tracked_branch for policy in policies]
    named = [branch for branch in branches if branch is not None]
    return named[-1] if named else None


def _claims(policies: Sequence[PolicyInForce], name: str | None) -> list[Claim]:
    return [c for policy in policies for c in policy.predicate.claims if c.name == name]
