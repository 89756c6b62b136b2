# SPDX-License-Identifier: Apache-2.0
"""Who may sign what, for which repository, judged at the index of the statement (DESIGN.md 5).

A grant is one key's one role. It holds from the index of its registration on, and until the index
of its retirement or revocation; the client's own clock never decides. The ledger's statement key is
no grant: it signs what the ledger itself says and nothing else. Its checkpoint key verifies no
statement at all, so it cannot be found here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from app.core.errors import NotAllowed, NotAuthenticated
from app.core.identity import Role
from app.core.signing.keys import PublicKey


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Since when what a key signed is doubted.

    Attributes:
        from_index: statements at this index and above are doubted.
        entry: index of the entry that says so.
    """

    from_index: int
    entry: int


@dataclass(frozen=True, slots=True)
class Grant:
    """What one key may do.

    Attributes:
        id: key id, SHA-256 of the key's DER form.
        key: the key itself.
        role: the one role it has.
        repositories: where it may act; empty for admins and witnesses.
        holder: whose key it is; one person's keys share it.
        from_index: index of the entry that granted it.
        until_index: index of the entry that ended it; None while it holds.
        ended_by: how it ended.
        granted_by: key id of the first admin who signed for it; None: the genesis names it.
        suspicion: since when it is doubted; None: it is not.
    """

    id: str
    key: PublicKey
    role: Role
    repositories: frozenset[str]
    holder: str
    from_index: int
    until_index: int | None = None
    ended_by: Literal["retire", "revoke"] | None = None
    granted_by: str | None = None
    suspicion: Suspicion | None = None

    def holds_at(self, index: int) -> bool:
        """Tell whether a statement at ``index`` falls under this grant."""
        return self.from_index < index and (self.until_index is None or index <= self.until_index)


@dataclass(frozen=True, slots=True)
class Keyring:
    """Every key the ledger knows, as of some entry of its line.

    Attributes:
        grants: by key id, ended ones included.
        statement_key: signs the ledger's own statements; None before genesis.
        reserved: ids that may never be granted: the checkpoint and the recovery key.
        threshold: distinct admin keys that a key statement needs.
    """

    grants: Mapping[str, Grant] = field(default_factory=dict)
    statement_key: PublicKey | None = None
    reserved: frozenset[str] = frozenset()
    threshold: int = 1

    def key(self, key_id: str) -> PublicKey:
        """Return the key that verifies signatures naming ``key_id``, ended grants included.

        Raises:
            NotAuthenticated: ``unknown-key``.
        """
        if self.statement_key is not None and key_id == self.statement_key.key_id:
            return self.statement_key
        grant = self.grants.get(key_id)
        if grant is None:
            message = "No key is registered under this keyid; ask an admin to register it."
            raise NotAuthenticated(message, code="unknown-key")
        return grant.key

    def is_ledger(self, key_id: str) -> bool:
        """Tell whether ``key_id`` is the ledger's statement key."""
        return self.statement_key is not None and key_id == self.statement_key.key_id

    def is_used(self, key_id: str) -> bool:
        """Tell whether a key may not be registered (again): a fingerprint stands once a ledger."""
        return key_id in self.grants or key_id in self.reserved or self.is_ledger(key_id)

    def require(
        self,
        key_id: str,
        roles: Role | Collection[Role],
        *,
        repository: str | None = None,
        index: int,
    ) -> Grant:
        """Return the grant under which ``key_id`` may act at ``index``.

        Args:
            key_id: the statement's signer.
            roles: the role needed, or any of several.
            repository: where it acts; None where no repository is concerned.
            index: the statement's own.

        Raises:
            NotAuthenticated: ``unknown-key``.
            NotAllowed: ``role``, ``repository``, ``key-retired`` or ``key-revoked``.
        """
        wanted = {roles} if isinstance(roles, Role) else set(roles)
        grant = self.grants.get(key_id)
        if grant is None:
            self.key(key_id)
            message = "The ledger's own key signs closures, verdicts and refusals, nothing else."
            raise NotAllowed(message, code="role")
        if not grant.holds_at(index):
            ended = "key-revoked" if grant.ended_by == "revoke" else "key-retired"
            raise NotAllowed("This key's grant has ended; sign with a key in force.", code=ended)
        if grant.role not in wanted:
            needed = " or ".join(sorted(wanted))
            raise NotAllowed(f"This takes a key with the role {needed}.", code="role")
        if repository is not None and repository not in grant.repositories:
            message = "This key has no grant for this repository."
            raise NotAllowed(message, code="repository")
        return grant

    def active(self, role: Role, *, index: int) -> tuple[Grant, ...]:
        """Return the grants with ``role`` that hold at ``index``."""
        grants = self.grants.values()
        return tuple(g for g in grants if g.role is role and g.holds_at(index))

    def granting(self, grant: Grant) -> Keyring:
        """Return this keyring and ``grant``."""
        return replace(self, grants={**self.grants, grant.id: grant})

    def ending(self, key_id: str, *, index: int, by: Literal["retire", "revoke"]) -> Keyring:
        """Return this keyring with the grant of ``key_id`` ended after ``index``, if there is one.

        A grant ends once: what ended first stays the reason.
        """
        grant = self.grants.get(key_id)
        if grant is None or grant.until_index is not None:
            return self
        return self.granting(replace(grant, until_index=index, ended_by=by))

    def doubting(self, key_id: str, suspicion: Suspicion) -> Keyring:
        """Return this keyring with a key doubted from an index on; of two the earlier one stays."""
        grant = self.grants.get(key_id)
        if grant is None:
            return self
        before = grant.suspicion
        if before is not None and before.from_index <= suspicion.from_index:
            return self
        return self.granting(replace(grant, suspicion=suspicion))

    def suspicion_of(self, key_id: str, index: int) -> Suspicion | None:
        """Return why what ``key_id`` signed at ``index`` is doubted; None: it is not.

        A key that a doubted admin registered is doubted whole: nobody else vouched for it.
        """
        grant = self.grants.get(key_id)
        if grant is None:
            return None
        if grant.suspicion is not None and grant.suspicion.from_index <= index:
            return grant.suspicion
        granter = self.grants.get(grant.granted_by or "")
        if granter is None or granter.from_index >= grant.from_index:
            return None
        return self.suspicion_of(granter.id, grant.from_index)

    def is_suspect(self, key_id: str, index: int) -> bool:
        """Tell whether what ``key_id`` signed at ``index`` is doubted."""
        return self.suspicion_of(key_id, index) is not None
