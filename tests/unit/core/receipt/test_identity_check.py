# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any value of it
"""Is what ran what was pinned?"""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.identity_check import identity_reasons
from app.core.statement.receipt import ReceiptPredicate
from app.core.statement.study import ArmPin, Image, ModelPin, ModelPins, StudyPredicate
from tests.documents import SETTING, commit, digest
from tests.facts import HARNESS, IMAGE, MODELS
from tests.unit.core.receipt.make import DOCUMENT, REPLAYED, STUDY, study, with_identities

DRAFT = ModelPin(repository="example/draft", revision=commit("draft"))
DRAFTED = study(models=replace(MODELS, draft=DRAFT))


def reasons(said: ReceiptPredicate, pins: StudyPredicate = STUDY) -> tuple[Reason, ...]:
    return identity_reasons(said, document=DOCUMENT, study=pins, arm=said.slot.split("/")[0])


def replayed(**changes: Any) -> StudyPredicate:
    """Return the pins of a replay in which members of arm B were never published."""
    arms = {arm: replace(pin, **changes) for arm, pin in STUDY.arms.items()}
    return replace(STUDY, replay=REPLAYED, arms=arms)


def test_identities_as_pinned_give_no_reason() -> None:
    assert reasons(with_identities()) == ()
    assert reasons(with_identities(models=DRAFTED.models), DRAFTED) == ()


def models(**changes: Any) -> ModelPins:
    return replace(MODELS, target=replace(MODELS.target, **changes))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"arm_commit": commit("other")}, Reason.ARM_COMMIT_MISMATCH),
        ({"arm_commit": None}, Reason.ARM_COMMIT_MISMATCH),
        ({"image": Image(digest=f"sha256:{'0' * 64}", of="manifest")}, Reason.IMAGE_MISMATCH),
        ({"image": replace(IMAGE, of="config")}, Reason.IMAGE_MISMATCH),
        ({"image": None}, Reason.IMAGE_MISMATCH),
        ({"models": models(repository="example/other")}, Reason.MODEL_MISMATCH),
        ({"models": models(revision=commit("other"))}, Reason.MODEL_MISMATCH),
        ({"models": models(revision=None)}, Reason.MODEL_MISMATCH),
        ({"models": replace(MODELS, draft=DRAFT)}, Reason.MODEL_MISMATCH),
        ({"harness": replace(HARNESS, name="other")}, Reason.HARNESS_MISMATCH),
        ({"harness": replace(HARNESS, version="0.1.1")}, Reason.HARNESS_MISMATCH),
        ({"harness": replace(HARNESS, sha256=digest("other"))}, Reason.HARNESS_MISMATCH),
        ({"harness": replace(HARNESS, sha256=None)}, Reason.HARNESS_MISMATCH),
        (
            {"workload": replace(DOCUMENT.workload, sha256=digest("other"))},
            Reason.WORKLOAD_MISMATCH,
        ),
        ({"settings": {SETTING: "skip"}}, Reason.SETTINGS_MISMATCH),
        ({"settings": {}}, Reason.SETTINGS_MISMATCH),
        ({"settings": {SETTING: "0", "MAX_NUM_SEQS": "8"}}, Reason.SETTINGS_MISMATCH),
        ({"settings_digest": digest("other")}, Reason.SETTINGS_MISMATCH),
        ({"settings_digest": None}, Reason.SETTINGS_MISMATCH),
    ],
)
def test_each_identity_that_is_not_as_pinned_is_named(
    changes: dict[str, Any], reason: Reason
) -> None:
    assert reasons(with_identities(**changes)) == (reason,)


def test_draft_model_that_was_pinned_and_did_not_run_is_a_mismatch() -> None:
    assert reasons(with_identities(), DRAFTED) == (Reason.MODEL_MISMATCH,)


def test_harness_that_the_conditions_do_not_list_is_a_mismatch_even_if_it_was_pinned() -> None:
    unlisted = replace(HARNESS, name="homemade")
    pins = replace(STUDY, harness=unlisted)
    assert reasons(with_identities(harness=unlisted), pins) == (Reason.HARNESS_MISMATCH,)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"settings": {SETTING: "skip2"}}, Reason.SETTINGS_MISMATCH),
        ({"settings_digest": digest("one flag more")}, Reason.SETTINGS_MISMATCH),
        ({"image": None}, Reason.IMAGE_MISMATCH),
        ({"arm_commit": commit("other")}, Reason.ARM_COMMIT_MISMATCH),
    ],
)
def test_l08_return_control_that_changed_says_so_and_names_what(
    changes: dict[str, Any], reason: Reason
) -> None:
    assert reasons(with_identities("A2/C2-canary/1", **changes)) == (
        Reason.CONTROL_CHANGED,
        reason,
    )


def test_l08_return_control_with_another_model_is_a_model_mismatch() -> None:
    said = with_identities("A2/C2-canary/1", models=models(revision=None))
    assert reasons(said) == (Reason.MODEL_MISMATCH,)


def test_in_a_replay_what_was_never_published_is_not_unequal() -> None:
    pins = replayed(commit=None, image=None, settings_digest=None)
    assert reasons(with_identities(), pins) == ()
    unknown = replayed()
    said = with_identities(
        arm_commit=None,
        image=None,
        settings_digest=None,
        settings={},
        models=models(revision=None),
        harness=replace(HARNESS, sha256=None),
    )
    assert reasons(said, unknown) == ()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"arm_commit": commit("other")}, Reason.ARM_COMMIT_MISMATCH),
        ({"settings": {SETTING: "skip"}}, Reason.SETTINGS_MISMATCH),
        ({"models": models(repository="example/other")}, Reason.MODEL_MISMATCH),
        ({"harness": replace(HARNESS, name="other")}, Reason.HARNESS_MISMATCH),
        ({"models": replace(MODELS, draft=DRAFT)}, Reason.MODEL_MISMATCH),
    ],
)
def test_in_a_replay_what_was_published_and_differs_is_unequal(
    changes: dict[str, Any], reason: Reason
) -> None:
    assert reasons(with_identities(**changes), replayed()) == (reason,)


def test_null_pin_outside_a_replay_is_unequal_to_what_is_said() -> None:
    arms: dict[str, ArmPin] = {a: replace(p, commit=None) for a, p in STUDY.arms.items()}
    assert reasons(with_identities(), replace(STUDY, arms=arms)) == (Reason.ARM_COMMIT_MISMATCH,)
