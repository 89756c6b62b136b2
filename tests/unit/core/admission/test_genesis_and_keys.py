# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any value of it
"""May a ledger begin like this, and may this key be given a role, or lose it?"""

from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.admission.admit import admit
from app.core.digest import to_base64
from app.core.errors import (
    Conflict,
    NotAllowed,
    NotAuthenticated,
    SchemaViolation,
    UnknownThing,
    Unprocessable,
    WrongAudience,
)
from app.core.identity import Role
from app.core.signing.envelope import sign
from app.core.signing.keys import ed25519_public_key
from app.core.statement.genesis import PublicKeyRecord
from app.core.statement.key import CheckpointRef
from tests.documents import digest
from tests.drafts import Draft, key_record, signing_key
from tests.factories import REPOSITORY, Maker, Story, begun
from tests.unit.core.admission.refused import refused

SMALL_ORDER = ed25519_public_key(bytes([1]) + bytes(31))


def governed(*admins: str, threshold: int = 2) -> Story:
    """Return a ledger with several admins."""
    story = Story()
    story.genesis(admins=admins, threshold=threshold)
    return story


def by(draft: Draft, *labels: str) -> Draft:
    """Return the same statement signed by other keys."""
    envelope = sign(draft.parsed.payload, [signing_key(label) for label in labels])
    return Draft(envelope, draft.parsed)


class TestGenesis:
    """The first leaf."""

    def test_ledger_begins_with_its_keys_and_first_admins(self) -> None:
        story = governed("admin", "second")
        keyring = story.ledger.keyring
        assert keyring.is_ledger(signing_key("ledger").key_id)
        assert keyring.threshold == 2
        assert {g.holder for g in keyring.active(Role.ADMIN, index=1)} == {"admin", "second"}
        assert story.ledger.ref == story.make.header("ledger")["ledger"]

    def test_ledger_begins_once(self) -> None:
        story = Story()
        first = story.make.genesis()
        story.genesis()
        with refused(story, Conflict, "genesis-exists"):
            story.append(first)

    def test_genesis_enters_at_index_0_only(self) -> None:
        story = Story()
        story.steps = begun().steps[:1]
        with pytest.raises(Conflict):
            story.append(Maker().genesis())

    @pytest.mark.parametrize("signers", [("ledger",), ("admin",), ("ledger", "other")])
    def test_genesis_that_an_admin_or_the_ledger_did_not_sign_is_refused(
        self, signers: tuple[str, ...]
    ) -> None:
        story = Story()
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(by(story.make.genesis(), *signers))

    def test_s12_genesis_that_speaks_through_another_key_is_refused(self) -> None:
        story = Story()
        with refused(story, NotAuthenticated, "unsigned"):
            story.genesis(signer=signing_key("admin").key_id)

    def test_s12_equal_ledger_keys_are_refused(self) -> None:
        with pytest.raises(SchemaViolation):
            Story().genesis(checkpoint_key=key_record("ledger"))

    @pytest.mark.parametrize("name", ["checkpoint_key", "recovery_key"])
    def test_s04_weak_key_is_refused(self, name: str) -> None:
        weak = PublicKeyRecord(id=SMALL_ORDER.key_id, spki=to_base64(SMALL_ORDER.der))
        story = Story()
        with refused(story, Unprocessable, "weak-key"):
            story.genesis(**{name: weak})

    def test_checkpoint_key_that_is_no_ed25519_key_is_refused(self) -> None:
        story = Story()
        with refused(story, Unprocessable, "checkpoint-key"):
            story.genesis(checkpoint_key=key_record("p256:checkpoint"))

    def test_recovery_key_is_kept_aside(self) -> None:
        story = Story()
        story.genesis(recovery_key=key_record("recovery"))
        assert story.ledger.keyring.is_used(signing_key("recovery").key_id)


class TestRegister:
    """A key is given its one role."""

    def test_registered_key_acts_from_the_next_index_on(self) -> None:
        story = begun()
        keyring = story.ledger.keyring
        grant = keyring.grants[signing_key("runner").key_id]
        assert grant.role is Role.RUNNER
        assert grant.repositories == {REPOSITORY}
        assert grant.from_index == 2

    @pytest.mark.parametrize("role", [Role.ADMIN, Role.WITNESS, Role.REVIEWER])
    def test_every_role_can_be_registered(self, role: Role) -> None:
        story = begun()
        story.register("p256:new", role)
        assert story.ledger.keyring.grants[signing_key("p256:new").key_id].role is role

    def test_s09_two_signatures_of_one_admin_are_one(self) -> None:
        story = governed("admin", "second")
        with refused(story, NotAuthenticated, "threshold"):
            story.register("runner", signers=["admin"])
        story.register("runner", signers=["admin", "second"])

    def test_admin_who_registers_is_no_holder_s_proof_of_possession(self) -> None:
        story = begun()
        draft = story.make.key("new", checkpoint=story.checkpoint())
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(by(draft, "admin"))

    def test_registration_that_its_signer_did_not_sign_is_refused(self) -> None:
        story = begun()
        draft = story.make.key("new", checkpoint=story.checkpoint())
        with refused(story, NotAuthenticated, "unsigned"):
            story.append(by(draft, "new"))

    @pytest.mark.parametrize("signer", ["maintainer", "runner"])
    def test_key_that_is_no_admin_registers_nobody(self, signer: str) -> None:
        story = begun()
        with refused(story, NotAllowed, "role"):
            story.register("new", signers=[signer])

    @pytest.mark.parametrize("label", ["runner", "admin", "ledger", "checkpoint"])
    def test_s15_key_that_stands_in_the_ledger_is_not_registered_again(self, label: str) -> None:
        story = begun()
        with refused(story, Conflict, "key-in-use"):
            story.register(label, holder="somebody-else", repositories=["github.com/a/b"])

    def test_s15_refusal_does_not_say_whose_the_key_is(self) -> None:
        story = begun()
        with pytest.raises(Conflict) as caught:
            story.register("runner")
        assert REPOSITORY not in caught.value.detail
        assert "runner" not in caught.value.detail

    def test_s15_key_that_was_retired_is_not_registered_again(self) -> None:
        story = begun()
        story.register("runner", signers=["runner"], action="retire", reason="Laid down.")
        with refused(story, Conflict, "key-in-use"):
            story.register("runner")

    def test_s04_weak_key_is_not_registered(self) -> None:
        story = begun()
        draft = story.make.key("new", checkpoint=story.checkpoint())
        weak = PublicKeyRecord(id=SMALL_ORDER.key_id, spki=to_base64(SMALL_ORDER.der))
        subject = (f"key/{weak.id}", weak.id)
        whole = changed(draft.parsed.predicate, key=weak)
        signed = story.make.draft("key", whole, "admin", subject=subject)
        # Any 64 bytes verify under a key of small order; its signature is taken as verified here.
        with refused(story, Unprocessable, "weak-key"):
            admit(
                signed.parsed,
                signers=signed.signers | {weak.id},
                standing=story.standing(),
                index=story.size,
                at_us=story.now_us,
            )

    @pytest.mark.parametrize(
        "checkpoint",
        [
            CheckpointRef(size=0, root=digest("nothing")),
            CheckpointRef(size=99, root=digest("the future")),
            CheckpointRef(size=1, root=digest("another log")),
        ],
    )
    def test_registration_after_a_checkpoint_of_no_such_log_is_refused(
        self, checkpoint: CheckpointRef
    ) -> None:
        story = begun()
        with refused(story, Unprocessable, "checkpoint"):
            story.register("new", checkpoint=checkpoint)

    def test_older_checkpoint_of_this_log_is_taken(self) -> None:
        story = begun()
        story.register("new", checkpoint=CheckpointRef(size=1, root=story.roots[1]))

    def test_where_roots_are_not_at_hand_only_the_size_is_asked(self) -> None:
        story = begun()
        story.roots = story.roots[-1:]
        unknown = CheckpointRef(size=2, root=digest("another log"))
        story.register("new", checkpoint=unknown)

    def test_statement_for_another_ledger_is_refused(self) -> None:
        story = begun()
        other = Maker(genesis_digest=digest("another genesis"))
        with refused(story, WrongAudience, "wrong-audience"):
            story.append(other.key("new", checkpoint=story.checkpoint()))


class TestEnd:
    """A key is laid down, or taken away."""

    @staticmethod
    def end(story: Story, label: str, role: Role, action: str, signer: str, **more: Any) -> None:
        grant = story.ledger.keyring.grants.get(signing_key(label).key_id)
        holder = label if grant is None else grant.holder
        suspect = story.size if action == "revoke" else None
        given = {"reason": "Laid down.", "holder": holder, "suspect_from_index": suspect} | more
        story.register(label, role, signers=[signer], action=action, **given)

    @pytest.mark.parametrize("action", ["retire", "revoke"])
    @pytest.mark.parametrize("signer", ["runner", "admin"])
    def test_s08_key_that_its_holder_or_the_admins_ended_acts_no_more(
        self, action: str, signer: str
    ) -> None:
        story = begun()
        story.open()
        self.end(story, "runner", Role.RUNNER, action, signer)
        code = "key-retired" if action == "retire" else "key-revoked"
        with refused(story, NotAllowed, code):
            story.reserve("A/C2-canary/1")

    def test_s08_upload_after_the_revocation_is_refused_whatever_the_client_s_time(self) -> None:
        story = begun()
        story.open()
        story.reserve("A/C2-canary/1")
        receipt = story.receipt("A/C2-canary/1", started_at="2020-01-01T00:00:00Z")
        self.end(story, "runner", Role.RUNNER, "revoke", "admin")
        with refused(story, NotAllowed, "key-revoked"):
            story.append(receipt)

    def test_s08_backdated_suspicion_by_one_admin_is_refused(self) -> None:
        story = begun()
        with refused(story, NotAuthenticated, "threshold"):
            self.end(story, "runner", Role.RUNNER, "revoke", "admin", suspect_from_index=3)

    @pytest.mark.parametrize("signer", ["maintainer"])
    def test_key_of_another_is_not_for_everybody_to_end(self, signer: str) -> None:
        story = begun()
        with refused(story, NotAllowed, "role"):
            self.end(story, "runner", Role.RUNNER, "revoke", signer)

    def test_s09_ending_another_s_key_takes_the_threshold(self) -> None:
        story = governed("admin", "second")
        story.register("runner", signers=["admin", "second"])
        with refused(story, NotAuthenticated, "threshold"):
            self.end(story, "runner", Role.RUNNER, "revoke", "admin")

    def test_key_without_grant_cannot_be_ended(self) -> None:
        story = begun()
        with refused(story, UnknownThing, "unknown-key"):
            self.end(story, "new", Role.RUNNER, "retire", "admin")

    def test_key_is_ended_once(self) -> None:
        story = begun()
        self.end(story, "runner", Role.RUNNER, "retire", "admin")
        with refused(story, Conflict, "key-ended"):
            self.end(story, "runner", Role.RUNNER, "revoke", "admin")

    @pytest.mark.parametrize("more", [{"holder": "other"}, {"repositories": ["github.com/a/b"]}])
    def test_ending_names_the_grant_as_it_is(self, more: dict[str, Any]) -> None:
        story = begun()
        with refused(story, Unprocessable, "grant"):
            self.end(story, "runner", Role.RUNNER, "retire", "admin", **more)

    def test_last_admins_stay(self) -> None:
        story = governed("admin", "second", threshold=1)
        self.end(story, "second", Role.ADMIN, "retire", "admin")
        with refused(story, Conflict, "last-admins"):
            self.end(story, "admin", Role.ADMIN, "retire", "admin")
