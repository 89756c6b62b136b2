# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate is any JSON
"""A protocol that only people answer: so many independent reviews of the exact head."""

from collections.abc import Sequence
from typing import Any

from app.core.identity import Role, Scope
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import document
from tests.factories import Story, begun

READ = "read"


def review_gate(accepted: int = 1, *, scope: str = "source", **members: Any) -> Any:
    """Return a gate that wants so many acceptances, as JSON."""
    gate = {
        "id": f"reviewed-{scope}",
        "kind": "review",
        "role": "primary",
        "claim": "sample",
        "scope": scope,
        "population": {
            "arm": "B",
            "cell": READ,
            "stream_role": "any",
            "phase": "measured",
            "unit": "head",
        },
        "rule": {"accepted": accepted},
    }
    return gate | members


def review_document(accepted: int = 1, **changes: Any) -> ProtocolDocument:
    """Return a protocol that plans no slot and asks for reviews of the source."""
    given: dict[str, Any] = {
        "name": "source-review",
        "arms": ("B",),
        "scopes": (Scope.SOURCE,),
        "cells": [{"capture": "review", "id": READ}],
        "gates": [review_gate(accepted)],
        "varies": [],
    }
    return document(**(given | changes))


def reviewed_story(accepted: int = 1, *, people: Sequence[str] = ("rita", "remy")) -> Story:
    """Return a story whose only claim asks for reviews, an open study, and some reviewers."""
    story = begun(review_document(accepted), policy=False)
    story.policy(scopes=(Scope.SOURCE,))
    for label in people:
        story.register(label, Role.REVIEWER, holder=label)
    story.open()
    return story
