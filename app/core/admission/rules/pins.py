# SPDX-License-Identifier: Apache-2.0
"""Are a study's pins whole, and do arms differ only where the protocol says they do?

A pin that is not known cannot be compared with, so null stands only in a replay of a public story,
and there every null is listed: what was never published is said, not left blank.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.core.admission.request import refuse
from app.core.protocol.plan import planned_slots
from app.core.statement.protocol_document import Arm, ProtocolDocument
from app.core.statement.study import ArmPin, StudyPredicate
from app.core.study.control import control_of


def require_pins(document: ProtocolDocument, study: StudyPredicate) -> None:
    """Refuse pins that leave open what is tested.

    Raises:
        Unprocessable: ``arms``, ``settings``, ``control``, ``pin-missing``, ``not-published``.
    """
    arms = {arm.id: arm for arm in document.arms}
    # 1. A pin for every arm, and for no other.
    if study.arms.keys() != arms.keys():
        raise refuse("arms", "/arms", "Expected a pin for every arm of the protocol, and no other.")
    # 2. Settings are those that make the arm, and only such as the protocol discloses.
    for arm_id, pin in study.arms.items():
        _require_settings(document, arms[arm_id], pin)
    # 3. What does not vary is the same in every arm.
    _require_equal_rest(document, study)
    # 4. A return control is its control again (E_CONTROL_NOT_UNCHANGED, with the digests).
    for arm_id in arms:
        control = control_of(document, arm_id)
        if control is not None:
            _require_unchanged(arm_id, study.arms[arm_id], study.arms[control])
    # 5. Nothing is null outside a replay; inside one exactly the listed members are. Where nothing
    #    runs there is nothing to pin.
    if study.replay is not None or planned_slots(document):
        _require_published(study)


def pinned_members(study: StudyPredicate) -> Iterator[tuple[str, bool]]:
    """Yield the dotted path of every member that may be null, and whether it is."""
    yield "base", study.base is None
    yield "change", study.change is None
    yield from required_members(study)


def required_members(study: StudyPredicate) -> Iterator[tuple[str, bool]]:
    """Yield the dotted path of every pin that a live study must have, and whether it is null."""
    yield "head.tree", study.head.tree is None
    for arm_id, pin in study.arms.items():
        yield f"arms.{arm_id}.commit", pin.commit is None
        yield f"arms.{arm_id}.image", pin.image is None
        yield f"arms.{arm_id}.settings_digest", pin.settings_digest is None
    yield "models.target.revision", study.models.target.revision is None
    if study.models.draft is not None:
        yield "models.draft.revision", study.models.draft.revision is None
    yield "harness.sha256", study.harness.sha256 is None


def covers(pattern: str, path: str) -> bool:
    """Tell whether a dotted pattern, in which ``*`` is any one part, names ``path``."""
    wanted, parts = pattern.split("."), path.split(".")
    return len(wanted) == len(parts) and all(
        one in ("*", other) for one, other in zip(wanted, parts, strict=True)
    )


def _require_settings(document: ProtocolDocument, arm: Arm, pin: ArmPin) -> None:
    pointer = f"/arms/{arm.id}/settings"
    if not pin.settings.keys() <= set(document.disclosed_settings):
        raise refuse("settings", pointer, "Expected only settings that the protocol discloses.")
    if not arm.settings.items() <= pin.settings.items():
        raise refuse("settings", pointer, "Expected the settings that make this arm, unchanged.")


def _require_equal_rest(document: ProtocolDocument, study: StudyPredicate) -> None:
    varies = set(document.varies)
    rest = [
        {name: value for name, value in pin.settings.items() if name not in varies}
        for pin in study.arms.values()
    ]
    detail = "Expected settings to differ between arms only where the protocol says they vary."
    if any(one != rest[0] for one in rest):
        raise refuse("settings", "/arms", detail, rule="E_UNDECLARED_DIFFERENCE")
    # What is not disclosed varies in no arm: its salted digest is one, where it is known.
    roles = {arm.id: arm.role for arm in document.arms}
    digests = {
        arm_id: pin.settings_digest
        for arm_id, pin in study.arms.items()
        if pin.settings_digest is not None and roles[arm_id] != "return_control"
    }
    first = next(iter(digests.values()), None)
    for arm_id, digest in digests.items():
        if digest != first:
            place = f"/arms/{arm_id}/settings_digest"
            raise refuse("settings", place, detail, rule="E_UNDECLARED_DIFFERENCE")


def _require_unchanged(arm_id: str, pin: ArmPin, control: ArmPin) -> None:
    for name in ("commit", "image", "settings", "settings_digest"):
        if getattr(pin, name) != getattr(control, name):
            place = f"/arms/{arm_id}/{name}"
            detail = "Expected commit, image, settings and digest of the control it returns to."
            raise refuse("control", place, detail, rule="E_CONTROL_NOT_UNCHANGED")


def _require_published(study: StudyPredicate) -> None:
    listed = [] if study.replay is None else study.replay.not_published
    for path, is_null in required_members(study):
        if is_null and not any(covers(pattern, path) for pattern in listed):
            detail = "Expected a value; null stands only in a replay, listed in not_published."
            raise refuse("pin-missing", "/" + path.replace(".", "/"), detail)
    for place, pattern in enumerate(listed):
        nulls = [is_null for path, is_null in pinned_members(study) if covers(pattern, path)]
        if not nulls or not all(nulls):
            detail = "Expected the path of members that are null, and of no other."
            raise refuse("not-published", f"/replay/not_published/{place}", detail)
