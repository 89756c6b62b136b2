# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any JSON
"""A body as a route hands it on."""

from typing import Any

from app.core.admission.state import LedgerState
from app.service.receive_statement import Candidate, receive
from tests.drafts import Draft, zstd
from tests.factories import Story

SLOT = "B/C2-canary/1"


def take(story: Story, body: bytes, *, kind: str, capture: bytes | None = None) -> Candidate:
    ledger: LedgerState = story.ledger
    assert ledger.ref is not None
    return receive(body, kind=kind, keyring=ledger.keyring, audience=ledger.ref, capture=capture)


def take_draft(story: Story, draft: Draft, **given: Any) -> Candidate:
    capture = None if draft.capture is None else zstd(draft.capture_bytes)
    return take(story, draft.json, **({"kind": draft.parsed.kind, "capture": capture} | given))
