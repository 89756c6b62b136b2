# SPDX-License-Identifier: Apache-2.0
"""Which studies on a head were attempts, and the how-manieth: each may spend less alpha."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from app.core.identity import Scope, Sha256Hex
from app.core.study.state import StudyState


def attempts(studies: Iterable[StudyState]) -> dict[Sha256Hex, int]:
    """Number the studies that reserved a candidate slot, from 1, by their first such entry."""
    first = {study.digest: first_reservation(study, only=candidates(study)) for study in studies}
    begun = sorted((index, digest) for digest, index in first.items() if index is not None)
    return {digest: number for number, (_, digest) in enumerate(begun, start=1)}


def attempts_by_scope(studies: Iterable[StudyState]) -> dict[Sha256Hex, dict[Scope, int]]:
    """Number the attempts of each scope, which decide how much alpha a study may spend."""
    listed = tuple(studies)
    found: dict[Sha256Hex, dict[Scope, int]] = {}
    for scope in Scope:
        speaking = [study for study in listed if scope in study.document.scopes]
        for digest, number in attempts(speaking).items():
            found.setdefault(digest, {})[scope] = number
    return found


def candidates(study: StudyState) -> frozenset[str]:
    """Return the ids of the candidate arms."""
    return frozenset(arm.id for arm in study.document.arms if arm.role == "candidate")


def next_attempts(studies: Iterable[StudyState]) -> Mapping[Scope, int]:
    """Return for each scope the number that a study that begins now would have."""
    begun = attempts_by_scope(studies).values()
    return {scope: 1 + sum(scope in numbers for numbers in begun) for scope in Scope}


def first_reservation(study: StudyState, *, only: frozenset[str] | None = None) -> int | None:
    """Return the index of a study's first reservation, in ``only`` these arms; None: no such."""
    indexes = [
        attempt.reservation_index
        for slot in study.slots.values()
        if only is None or slot.planned.arm in only
        for attempt in slot.attempts
    ]
    return min(indexes, default=None)
