# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a predicate is any value of it
"""Signs statements, and makes those a ledger begins with: its genesis and its keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace as changed

from app.core.digest import sha256_hex
from app.core.identity import Role
from app.core.signing.envelope import sign
from app.core.statement.capture import Capture
from app.core.statement.encoding import encode
from app.core.statement.genesis import Admin, GenesisPredicate
from app.core.statement.header import (
    STATEMENT_TYPE,
    CommitDigest,
    HeadSubject,
    LedgerRef,
    PlainDigest,
    Statement,
    ThingSubject,
    head_name,
)
from app.core.statement.key import CheckpointRef, KeyPredicate
from app.core.statement.kinds import Predicate, predicate_type
from app.core.statement.parse import parse_statement
from app.core.statement.place import PlaceSubject
from tests.drafts import HEAD, ORIGIN, REPOSITORY, Draft, key_record, signing_key


@dataclass(kw_only=True, slots=True)
class Signing:
    """Makes drafts for one ledger, repository and head; ``changes`` are members of the predicate.

    ``genesis`` is None until the ledger's genesis is known. Signers are labels of ``signing_key``.
    """

    origin: str = ORIGIN
    genesis_digest: str | None = None
    repository: str = REPOSITORY
    head: str = HEAD

    def header(self, signer: str) -> dict[str, Any]:
        """Return the members every predicate has."""
        ledger = LedgerRef(origin=self.origin, genesis=self.genesis_digest)
        return {"ledger": ledger, "signer": signing_key(signer).key_id, "annotations": {}}

    def draft(
        self,
        kind: str,
        predicate: Predicate,
        *signers: str,
        subject: tuple[str, str] | PlaceSubject | None = None,
        capture: Capture | None = None,
    ) -> Draft:
        """Sign a predicate around ``subject`` (name and digest), or around the head."""
        about: HeadSubject | ThingSubject | PlaceSubject
        if subject is None:
            commit = CommitDigest(gitCommit=self.head)
            about = HeadSubject(name=head_name(self.repository), digest=commit)
        elif isinstance(subject, PlaceSubject):
            about = subject
        else:
            about = ThingSubject(name=subject[0], digest=PlainDigest(sha256=subject[1]))
        statement = Statement(
            type_=STATEMENT_TYPE,
            subject=[about],
            predicate_type=predicate_type(kind),
            predicate=predicate,
        )
        payload = encode(statement)
        envelope = sign(payload, [signing_key(label) for label in signers])
        return Draft(envelope, parse_statement(payload, expect=kind), capture)

    def genesis(
        self, *, admins: Sequence[str] = ("admin",), threshold: int = 1, **changes: Any
    ) -> Draft:
        """Make a genesis; ``changes`` may name other keys."""
        predicate = GenesisPredicate(
            **self.header("ledger"),
            checkpoint_key=key_record("checkpoint"),
            statement_key=key_record("ledger"),
            recovery_key=None,
            admins=[Admin(holder=label, key=key_record(label)) for label in admins],
            threshold=threshold,
            read_access="public",
            continues=None,
        )
        nonce = (self.origin, sha256_hex(b"genesis nonce"))
        whole = changed(predicate, **changes)
        return self.draft("genesis", whole, "ledger", *admins, subject=nonce)

    def key(
        self,
        label: str,
        role: Role = Role.RUNNER,
        *,
        checkpoint: CheckpointRef,
        signers: Sequence[str] = ("admin",),
        **changes: Any,
    ) -> Draft:
        """Make a registration; the new key signs too."""
        unbound = role in {Role.ADMIN, Role.WITNESS}
        record = key_record(label)
        predicate = KeyPredicate(
            **self.header(signers[0]),
            action="register",
            key=record,
            role=role,
            repositories=[] if unbound else [self.repository],
            holder=label.replace(":", "-"),
            checkpoint=checkpoint,
            reason=None,
            suspect_from_index=None,
        )
        whole = changed(predicate, **changes)
        ends = whole.action != "register"
        by = signers if ends or label in signers else (*signers, label)
        return self.draft("key", whole, *by, subject=(f"key/{record.id}", record.id))
