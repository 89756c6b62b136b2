# SPDX-License-Identifier: Apache-2.0
"""Is what ran what was pinned? One reason for each identity that is not.

Outside a replay a null is unequal to a pin: whoever cannot say what ran has not tested it. In a
replay what was never published is unknown, which is neither equal nor unequal (DESIGN.md 4.6).
"""

from __future__ import annotations

from app.core.reason import Reason
from app.core.receipt.components import components_changed
from app.core.statement.protocol_document import ProtocolDocument, Settings
from app.core.statement.receipt import Identities, ReceiptPredicate
from app.core.statement.study import ArmPin, ModelPin, StudyPredicate

_ARM_REASONS = {Reason.ARM_COMMIT_MISMATCH, Reason.IMAGE_MISMATCH, Reason.SETTINGS_MISMATCH}


def differs(pinned: object, said: object, *, replay: bool) -> bool:
    """Tell whether two identities are unequal; in a replay a null on either side is unknown."""
    if replay and (pinned is None or said is None):
        return False
    return pinned != said


def settings_differ(pinned: Settings, said: Settings, *, replay: bool) -> bool:
    """Tell whether disclosed settings are unequal; in a replay one that is left out is unknown."""
    names = pinned.keys() | said.keys()
    return any(differs(pinned.get(n), said.get(n), replay=replay) for n in names)


def identity_reasons(
    receipt: ReceiptPredicate, *, document: ProtocolDocument, study: StudyPredicate, arm: str
) -> tuple[Reason, ...]:
    """Return a reason for every identity of ``receipt`` that is not what was pinned for ``arm``.

    A return control that is not its control any more says so first (threat L08).
    """
    pin, said, replay = study.arms[arm], receipt.identities, study.replay is not None
    broken = {
        Reason.ARM_COMMIT_MISMATCH: differs(pin.commit, said.arm_commit, replay=replay),
        Reason.IMAGE_MISMATCH: differs(pin.image, said.image, replay=replay),
        Reason.SETTINGS_MISMATCH: _settings_broken(pin, said, replay=replay),
        Reason.MODEL_MISMATCH: (
            _model_differs(study.models.target, said.models.target, replay=replay)
            or _model_differs(study.models.draft, said.models.draft, replay=replay)
        ),
        Reason.HARNESS_MISMATCH: _harness_broken(document, study, said, replay=replay),
        Reason.WORKLOAD_MISMATCH: document.workload != said.workload,
        Reason.COMPONENTS_CHANGED: components_changed(said.components),
    }
    reasons = tuple(reason for reason, is_so in broken.items() if is_so)
    role = next(a.role for a in document.arms if a.id == arm)
    if role == "return_control" and not _ARM_REASONS.isdisjoint(reasons):
        return (Reason.CONTROL_CHANGED, *reasons)
    return reasons


def _settings_broken(pin: ArmPin, said: Identities, *, replay: bool) -> bool:
    undisclosed = differs(pin.settings_digest, said.settings_digest, replay=replay)
    return undisclosed or settings_differ(pin.settings, said.settings, replay=replay)


def _model_differs(pinned: ModelPin | None, said: ModelPin | None, *, replay: bool) -> bool:
    if pinned is None or said is None:
        return pinned is not said  # no draft model is an identity, not an unknown
    same_repository = pinned.repository == said.repository
    return not same_repository or differs(pinned.revision, said.revision, replay=replay)


def _harness_broken(
    document: ProtocolDocument, study: StudyPredicate, said: Identities, *, replay: bool
) -> bool:
    pinned, harness = study.harness, said.harness
    if (pinned.name, pinned.version) != (harness.name, harness.version):
        return True
    allowed = {(h.name, h.version) for h in document.conditions.harness}
    unlisted = (harness.name, harness.version) not in allowed
    return unlisted or differs(pinned.sha256, harness.sha256, replay=replay)
