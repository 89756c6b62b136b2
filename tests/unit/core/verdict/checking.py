# SPDX-License-Identifier: Apache-2.0
"""A bundle checked as somebody outside checks it, and what that said."""

from dataclasses import replace

from app.core.log.note import NoteSigner
from app.core.verdict.trust import TrustedLedger
from app.core.verdict.verification import Verification, VerificationOutcome
from app.core.verdict.verify import Asked, verify_bundle
from app.core.verdict.verify_outside import Brought
from tests.drafts import ORIGIN, signing_key
from tests.factories import Story

LOG = NoteSigner(ORIGIN, signing_key("checkpoint"))


def genesis_of(story: Story) -> str:
    return story.steps[0].digest


def trusted(story: Story, **changes: object) -> TrustedLedger:
    trust = TrustedLedger(ORIGIN, genesis_of(story), LOG.verifier)
    return replace(trust, **changes)  # type: ignore[arg-type]  # any member


def checked(
    data: bytes, *trust: TrustedLedger, asked: Asked | None = None, **brought: object
) -> Verification:
    given = Brought(trust=trust or None, **brought)  # type: ignore[arg-type]  # any member
    return verify_bundle(data, replace(asked or Asked(), brought=given))


def states(found: Verification) -> dict[str, str]:
    return {check.name: check.state for check in found.checks}


def decided(found: Verification) -> tuple[VerificationOutcome, str]:
    failure = found.first_failure
    return found.outcome, "" if failure is None else failure.code
