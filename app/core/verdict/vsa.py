# SPDX-License-Identifier: Apache-2.0
"""A verdict as a SLSA Verification Summary Attestation (v1), for tools that read those.

Only QUALIFIED (PASSED) and NOT_QUALIFIED (FAILED) can be said in one: it has no word for a HOLD,
and to call an open question a failure, or a pass, would be a lie. It is an in-toto Statement and no
statement of the ledger's: whoever hands it on signs it, and the digests in it lead back here.
"""

from __future__ import annotations

from typing import Final

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import Unprocessable
from app.core.statement.header import STATEMENT_TYPE, head_name
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.fold import verdict_bytes

PREDICATE_TYPE: Final = "https://slsa.dev/verification_summary/v1"
_RESULT: Final = {"QUALIFIED": "PASSED", "NOT_QUALIFIED": "FAILED"}
_GIT: Final = {40: "gitCommit", 64: "gitCommit"}


def vsa_of(document: VerdictDocument, *, verifier: str) -> bytes:
    """Return the attestation as JCS bytes.

    Args:
        document: the verdict.
        verifier: who says so: the ledger's origin as a URI.

    Raises:
        Unprocessable: ``no-vsa``, the word is HOLD, or no policy names the claim.
    """
    result = _RESULT.get(document.word)
    if result is None or document.policy is None or document.claim is None:
        message = (
            "Only QUALIFIED and NOT_QUALIFIED have a verification summary: a HOLD is neither a "
            "pass nor a failure."
        )
        raise Unprocessable(message, code="no-vsa")
    resource = head_name(document.repository)
    level = f"FAIRTRIAL_{document.claim.upper()}" if result == "PASSED" else None
    return canonical(
        {
            "_type": STATEMENT_TYPE,
            "subject": [{"name": resource, "digest": {_GIT[len(document.head)]: document.head}}],
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "verifier": {"id": verifier},
                "timeVerified": document.as_of.log_time,
                "resourceUri": resource,
                "policy": {
                    "uri": f"{verifier}/v1/statements/{document.policy}",
                    "digest": {"sha256": document.policy},
                },
                "inputAttestations": [
                    {"uri": _uri(document, verifier), "digest": {"sha256": _digest(document)}}
                ],
                "verificationResult": result,
                "verifiedLevels": [] if level is None else [level],
                "slsaVersion": "1.0",
            },
        }
    )


def _uri(document: VerdictDocument, verifier: str) -> str:
    place = f"{verifier}/v1/repos/{document.repository}/heads/{document.head}"
    return f"{place}?claim={document.claim}"


def _digest(document: VerdictDocument) -> str:
    return sha256_hex(verdict_bytes(document))
