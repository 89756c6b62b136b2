# SPDX-License-Identifier: Apache-2.0
"""Every domain error, with the whole hierarchy drawn here.

    FairtrialError
    +-- MalformedDocument       not strict JSON, base64 or text of the expected form
    +-- NotAuthenticated        no registered key verifies this envelope
    +-- NotAllowed              this key may not do this here
    +-- SealedUntilClosure      captures and scores of an open study
    +-- UnknownThing            nothing stands under this name
    +-- Conflict                something else stands there already
    +-- TooLarge                a named limit was passed
    +-- WrongMediaType          neither JSON nor the capture media type
    +-- Unprocessable           well-formed JSON that may not enter
    |   +-- SchemaViolation     shape
    |   +-- NotCanonical        not in JCS form
    |   +-- NotSanitized        something that must not be published
    |   +-- LintRefused         a protocol that could not be judged honestly
    |   +-- WrongAudience       another ledger, study, slot, attempt or challenge
    +-- TooMany                 rate
    +-- LedgerBusy              queue full, or clock or store not fit to append
    +-- IntegrityBroken         stored bytes do not prove what they should

An error carries a stable ``code`` (kebab-case; its problem type and its page), a ``detail`` that
says what was seen, what was expected and what to do, and findings with JSON pointers. It never
carries a value from outside: what was refused is not echoed. HTTP is unknown here;
``app.edge.problems`` maps each class to a status.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Finding:
    """One place in a document that a rule refuses.

    Attributes:
        pointer: RFC 6901 JSON pointer of the place, ``""`` for the whole document.
        rule: the stable name of the rule (a schema keyword, a lint code, a sanitizer rule).
        detail: what the rule expects there, never the value that stands there.
    """

    pointer: str
    rule: str
    detail: str


class FairtrialError(Exception):
    """Anything this product refuses or reports as broken.

    Attributes:
        code: stable kebab-case name of the problem.
        detail: one or two sentences for a person; no value from outside stands in them.
        findings: the places concerned, possibly none.
    """

    default_code: ClassVar[str] = "error"

    def __init__(
        self, detail: str, *, code: str | None = None, findings: tuple[Finding, ...] = ()
    ) -> None:
        """Hold ``detail``, the ``code`` (default: the class's own) and the ``findings``."""
        super().__init__(detail)
        self.code = code or self.default_code
        self.detail = detail
        self.findings = findings


class MalformedDocument(FairtrialError):
    """Bytes that are not strict JSON, strict base64, or text of the expected form."""

    default_code = "malformed-document"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        pointer: str | None = None,
        offset: int | None = None,
    ) -> None:
        """Hold where reading stopped: a JSON ``pointer`` or a byte ``offset``, as far as known."""
        findings = () if pointer is None else (Finding(pointer, code or self.default_code, detail),)
        super().__init__(detail, code=code, findings=findings)
        self.offset = offset


class NotAuthenticated(FairtrialError):
    """No registered key verifies the envelope."""

    default_code = "not-authenticated"


class NotAllowed(FairtrialError):
    """The key is known, but its role, repository or grant does not cover this."""

    default_code = "not-allowed"


class SealedUntilClosure(FairtrialError):
    """The study is open: its captures and what is computed from them stay sealed."""

    default_code = "sealed-until-closure"


class UnknownThing(FairtrialError):
    """Nothing stands under this name."""

    default_code = "unknown-thing"


class Conflict(FairtrialError):
    """Something else stands there already."""

    default_code = "conflict"


class TooLarge(FairtrialError):
    """A named limit was passed."""

    default_code = "too-large"


class WrongMediaType(FairtrialError):
    """The body is not of a media type this route takes."""

    default_code = "wrong-media-type"


class Unprocessable(FairtrialError):
    """Well-formed JSON that may not enter the ledger."""

    default_code = "unprocessable"


class SchemaViolation(Unprocessable):
    """The document has not the shape its kind demands."""

    default_code = "schema-violation"


class NotCanonical(Unprocessable):
    """The bytes are not the JCS (RFC 8785) form of what they say."""

    default_code = "not-canonical"


class NotSanitized(Unprocessable):
    """The document holds something that must never be published."""

    default_code = "not-sanitized"


class LintRefused(Unprocessable):
    """The protocol could not be judged honestly as it stands."""

    default_code = "lint-refused"


class WrongAudience(Unprocessable):
    """The statement was made for another ledger, study, slot, attempt or challenge."""

    default_code = "wrong-audience"


class TooMany(FairtrialError):
    """Too many requests."""

    default_code = "too-many"


class LedgerBusy(FairtrialError):
    """The ledger cannot append just now; nothing was written and nothing is lost."""

    default_code = "ledger-busy"


class IntegrityBroken(FairtrialError):
    """Stored bytes do not prove what they should; writes stop until a person acts."""

    default_code = "integrity-broken"
