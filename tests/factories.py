# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Where most tests begin: a ledger in memory that has begun, or that has an open study.

story = opened()                        # genesis, keys, a lock, a policy, an open study
story.reserve("B/C2-canary/1")
story.push("B/C2-canary/1", starved())
slot_state(story.study(), ...)
"""

from collections.abc import Sequence
from functools import cache
from typing import Any

from app.core.identity import Role
from app.core.statement.encoding import encode
from app.core.statement.parse import parse_document
from app.core.statement.protocol_document import ProtocolDocument
from tests import documents
from tests.drafts import HEAD, ORIGIN, REPOSITORY, Draft, signing_key
from tests.makers import Maker
from tests.story import START_US, TICK_US, Step, Story

__all__ = [
    "HEAD",
    "ORIGIN",
    "REPOSITORY",
    "START_US",
    "TICK_US",
    "Draft",
    "Maker",
    "Step",
    "Story",
    "begun",
    "opened",
    "signing_key",
]


def begun(
    document: ProtocolDocument | None = None,
    *,
    policy: bool = True,
    runners: Sequence[str] = ("runner",),
) -> Story:
    """Return a story with a genesis, one maintainer, runners, a locked protocol and a policy."""
    locked = documents.document() if document is None else document
    return _begun(encode(locked), tuple(runners), policy=policy).copy()


@cache
def _begun(document: bytes, runners: tuple[str, ...], *, policy: bool) -> Story:
    """Tell such a beginning once: the strict look at each key takes most of a test's time."""
    story = Story(document=parse_document(document))
    story.genesis()
    story.register("maintainer", Role.MAINTAINER)
    for label in runners:
        story.register(label, Role.RUNNER)
    story.lock()
    if policy:
        story.policy()
    return story


def opened(document: ProtocolDocument | None = None, **changes: Any) -> Story:
    """Return a begun story with one open study; ``changes`` are of the study."""
    story = begun(document)
    story.open(**changes)
    return story
