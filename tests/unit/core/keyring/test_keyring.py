# SPDX-License-Identifier: Apache-2.0
"""Who may sign what, where, and from which index until which."""

import pytest

from app.core.errors import NotAllowed, NotAuthenticated
from app.core.identity import Role
from app.core.keyring.keyring import Grant, Keyring
from tests.drafts import REPOSITORY, signing_key

LEDGER, RUNNER, ADMIN = (signing_key(label).public for label in ("ledger", "runner", "admin"))


def grant(**changes: object) -> Grant:
    given: dict[str, object] = {
        "id": RUNNER.key_id,
        "key": RUNNER,
        "role": Role.RUNNER,
        "repositories": frozenset({REPOSITORY}),
        "holder": "rosa",
        "from_index": 3,
    }
    return Grant(**(given | changes))  # type: ignore[arg-type]  # any member may be changed


KEYRING = Keyring(statement_key=LEDGER, reserved=frozenset({"c" * 64})).granting(grant())


def test_key_that_is_registered_is_found() -> None:
    assert KEYRING.key(RUNNER.key_id) == RUNNER


def test_statement_key_of_the_ledger_is_found() -> None:
    assert KEYRING.key(LEDGER.key_id) == LEDGER
    assert KEYRING.is_ledger(LEDGER.key_id)


@pytest.mark.parametrize("keyring", [KEYRING, Keyring()])
def test_s02_key_that_nobody_registered_is_unknown(keyring: Keyring) -> None:
    with pytest.raises(NotAuthenticated) as caught:
        keyring.key("f" * 64)
    assert caught.value.code == "unknown-key"
    assert not keyring.is_ledger("f" * 64)


def test_s12_reserved_key_verifies_no_statement_and_may_not_be_granted() -> None:
    with pytest.raises(NotAuthenticated):
        KEYRING.key("c" * 64)
    assert KEYRING.is_used("c" * 64)


def test_key_in_use_is_used_and_another_is_not() -> None:
    assert KEYRING.is_used(RUNNER.key_id)
    assert KEYRING.is_used(LEDGER.key_id)
    assert not KEYRING.is_used(ADMIN.key_id)


def test_grant_is_returned_for_any_of_several_roles() -> None:
    found = KEYRING.require(
        RUNNER.key_id, (Role.MAINTAINER, Role.RUNNER), repository=REPOSITORY, index=4
    )
    assert found.holder == "rosa"


def test_require_of_an_unknown_key_is_not_authenticated() -> None:
    with pytest.raises(NotAuthenticated):
        KEYRING.require("f" * 64, Role.RUNNER, index=4)


@pytest.mark.parametrize(
    ("key_id", "roles", "repository", "code"),
    [
        (RUNNER.key_id, Role.MAINTAINER, REPOSITORY, "role"),
        (RUNNER.key_id, (Role.ADMIN, Role.REVIEWER), None, "role"),
        (RUNNER.key_id, Role.RUNNER, "github.com/other/recipe", "repository"),
        (LEDGER.key_id, Role.MAINTAINER, REPOSITORY, "role"),
    ],
)
def test_s02_known_key_without_the_grant_is_not_allowed(
    key_id: str, roles: Role | tuple[Role, ...], repository: str | None, code: str
) -> None:
    with pytest.raises(NotAllowed) as caught:
        KEYRING.require(key_id, roles, repository=repository, index=4)
    assert caught.value.code == code


@pytest.mark.parametrize(("by", "code"), [("retire", "key-retired"), ("revoke", "key-revoked")])
def test_s08_ended_grant_holds_up_to_its_end_and_not_after(by: str, code: str) -> None:
    keyring = KEYRING.ending(RUNNER.key_id, index=9, by=by)  # type: ignore[arg-type]  # of the list
    assert keyring.require(RUNNER.key_id, Role.RUNNER, index=9).ended_by == by
    with pytest.raises(NotAllowed) as caught:
        keyring.require(RUNNER.key_id, Role.RUNNER, index=10)
    assert caught.value.code == code
    assert keyring.key(RUNNER.key_id) == RUNNER


def test_grant_does_not_hold_at_its_own_registration() -> None:
    assert not grant().holds_at(3)
    assert grant().holds_at(4)


def test_grant_ends_once_and_a_key_without_grant_not_at_all() -> None:
    ended = KEYRING.ending(RUNNER.key_id, index=9, by="retire")
    assert ended.ending(RUNNER.key_id, index=12, by="revoke") is ended
    assert KEYRING.ending("f" * 64, index=9, by="retire") is KEYRING


def test_active_grants_are_those_of_the_role_in_force() -> None:
    ended = KEYRING.ending(RUNNER.key_id, index=9, by="retire")
    assert [g.id for g in ended.active(Role.RUNNER, index=9)] == [RUNNER.key_id]
    assert ended.active(Role.RUNNER, index=10) == ()
    assert ended.active(Role.ADMIN, index=9) == ()
