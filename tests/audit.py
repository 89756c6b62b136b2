# SPDX-License-Identifier: Apache-2.0
"""Admits a whole log again, entry by entry: whatever stands there must have been let in."""

from collections.abc import Mapping, Sequence

from app.core.admission.admit import admit
from app.core.admission.apply import apply
from app.core.admission.line import head_of, line_of, repository_of
from app.core.admission.state import (
    HeadState,
    LedgerState,
    LineState,
    RepositoryState,
    Standing,
)
from app.core.identity import micros_of
from app.core.log.merkle import Frontier
from app.core.signing.envelope import parse_envelope, verify_signature
from app.core.statement.capture import Capture
from app.core.statement.receipt import ReceiptPredicate
from app.service.answers import FoundStatement


def assert_no_rule_broken(
    entries: Sequence[FoundStatement], captures: Mapping[str, Capture]
) -> bytes:
    """Admit every entry at its own index against the entries below it; return the root.

    Raises:
        FairtrialError: an entry that should not stand there.
    """
    ledger = LedgerState()
    repositories: dict[str, RepositoryState] = {}
    heads: dict[tuple[str, str], HeadState] = {}
    frontier, roots = Frontier(), [Frontier().root().hex()]
    last_us = 0
    for index, found in enumerate(entries):
        entry, parsed = found.entry, found.entry.parsed
        assert parsed is not None
        assert entry.index == index
        at_us = micros_of(entry.leaf.at)
        assert at_us >= last_us
        name, head = repository_of(parsed) or "", head_of(parsed) or ""
        standing = Standing(
            ledger,
            repositories.get(name, RepositoryState(repository=name)),
            heads.get((name, head), HeadState(repository=name, head=head)) if head else None,
        )
        predicate = parsed.predicate
        capture = (
            captures[predicate.capture.sha256] if isinstance(predicate, ReceiptPredicate) else None
        )
        admit(
            parsed,
            signers=frozenset(parse_envelope(found.envelope).keyids),
            standing=standing,
            index=index,
            at_us=at_us,
            capture=capture,
            root_at=lambda size: roots[size] if size < len(roots) else None,
        )
        _assert_place(found, standing)
        if entry.leaf.after is not None:
            assert (entry.leaf.after.size, entry.leaf.after.root) == (index, roots[index])
        after = apply(standing, entry, capture)
        _assert_signed(found, after)
        ledger, last_us = after.ledger, at_us
        repositories[name] = after.repository
        if after.head is not None:
            heads[name, head] = after.head
        frontier = frontier.append(entry.leaf.hash())
        roots.append(frontier.root().hex())
    return frontier.root()


def _assert_place(found: FoundStatement, standing: Standing) -> None:
    leaf, parsed = found.leaf, found.entry.parsed
    assert parsed is not None
    assert leaf.line == line_of(parsed)
    line: LineState = standing.ledger
    if leaf.line.startswith("repo:"):
        line = standing.repository
    elif leaf.line.startswith("head:"):
        line = standing.head or LineState()
    assert (leaf.seq, leaf.prev) == (line.length, line.last_index)


def _assert_signed(found: FoundStatement, standing: Standing) -> None:
    envelope = parse_envelope(found.envelope)
    assert envelope.payload == found.payload
    for keyid in envelope.keyids:
        verify_signature(envelope, keyid, standing.ledger.keyring.key(keyid))
