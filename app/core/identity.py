# SPDX-License-Identifier: Apache-2.0
r"""The names of things, each of one form: checked once where bytes are decoded, then trusted.

Every pattern ends in ``$(?!\n)``: ECMA-262, which JSON Schema follows, takes ``$`` for the very
end, while Python and Rust accept a newline behind it; with the lookahead all readers agree. Classes
are spelled in ASCII because ``\d`` matches other scripts' digits in Python.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta

from app.core.errors import SchemaViolation

END: Final = r"$(?!\n)"

Sha256Hex = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}" + END, min_length=64, max_length=64)]
"""A SHA-256 in lower-case hex."""
KeyId = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}" + END, min_length=64, max_length=64)]
"""SHA-256 of a key's DER SubjectPublicKeyInfo, lower-case hex."""
REPOSITORY_FORM: Final = "host/owner/name in lower case, such as git.example/owner/name"
"""The form of a repository's name in words."""
_REPOSITORY: Final = r"[a-z0-9][a-z0-9.-]*/[a-z0-9_][a-z0-9._-]*/[a-z0-9_][a-z0-9._-]*"
HeadSha = Annotated[
    str, Meta(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})" + END, min_length=40, max_length=64)
]
"""A full commit or tree id: 40 hex, or 64 in a SHA-256 repository; never a prefix or a branch."""
REPOSITORY_PATTERN: Final = f"^{_REPOSITORY}{END}"
Repository = Annotated[str, Meta(pattern=REPOSITORY_PATTERN, max_length=200)]
"""``host/owner/name`` in lower case, the unit of tenancy."""
HeadName = Annotated[str, Meta(pattern=rf"^git[+]https://{_REPOSITORY}{END}", max_length=212)]
"""The subject name of a repository's heads."""
PlaceName = Annotated[str, Meta(pattern=rf"^(git[+]https://)?{_REPOSITORY}{END}", max_length=212)]
"""The subject name of something about one head, or about a whole repository."""
FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}" + END, max_length=128)]
"""A file's own name, without folders."""
ImageHex = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}" + END, min_length=71, max_length=71)]
"""An image digest; a tag is not an identity."""
Origin = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9./_-]{2,127}" + END, max_length=128)]
"""The log's name: the first line of its checkpoints (C2SP tlog-checkpoint)."""
Slug = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9._-]{0,63}" + END, max_length=64)]
"""A lower-case ASCII identifier: protocol, claim, gate, counter, component names."""
ChangeNumber = Annotated[str, Meta(pattern=r"^[1-9][0-9]{0,11}" + END, max_length=12)]
"""The forge's number of a pull request."""
ArmId = Annotated[str, Meta(pattern=r"^[A-Z][0-9]?" + END, max_length=2)]
"""``A`` control, ``A2`` return to control, ``B`` ``C`` ... candidates, ``P`` positive control."""
CellId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9-]{0,31}" + END, max_length=32)]
"""A load shape: ``C1``, ``C2-canary``."""
SlotId = Annotated[
    str,
    Meta(
        pattern=r"^[A-Z][0-9]?/[A-Za-z0-9][A-Za-z0-9-]{0,31}/[1-9][0-9]{0,3}" + END, max_length=40
    ),
]
"""``arm/cell/repetition``, the unit of independence: ``B/C2-canary/3``."""
StreamRole = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]{0,31}" + END, max_length=32)]
"""What a stream is in its cell: ``incumbent``, ``newcomer``."""
SettingName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]{0,63}" + END, max_length=64)]
"""The name of a server setting or request control."""
SettingValue = Annotated[str, Meta(pattern=r"^[ -~]{0,500}" + END, max_length=500)]
"""A disclosed setting's value: printable ASCII."""
Person = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}" + END, max_length=64)]
"""A person's handle on the forge, or a label such as ``runner-owner``."""
Host = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,31}" + END, max_length=32)]
"""A host's pseudonym: ``spark-1``; never an address or a real host name."""
Decimal = Annotated[
    str, Meta(pattern=r"^-?(0|[1-9][0-9]{0,17})([.][0-9]{1,12})?" + END, max_length=32)
]
"""An exact decimal number as text; signed documents carry no floats."""
Instant = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,6})?Z" + END,
        max_length=27,
    ),
]
"""An RFC 3339 instant in UTC with at most microseconds."""
_UNSEEN: Final = (
    r"\u0000-\u001F\u007F-\u009F"  # controls, NUL and newlines among them
    r"\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B-\u200F"  # zero width, marks
    r"\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF0-\uFFFB"  # overrides, isolates, fillers
)
Text = Annotated[str, Meta(pattern=f"^[^{_UNSEEN}]+{END}", min_length=1, max_length=500)]
"""One line of free text for people, at most 500 characters, without what a reader could not see."""
Note = Annotated[str, Meta(pattern=f"^[^{_UNSEEN}]*{END}", max_length=500)]
"""A text that may be empty."""
Micros = Annotated[int, Meta(ge=0, le=9007199254740991)]
"""A duration or an offset in microseconds."""
Count = Annotated[int, Meta(ge=0, le=9007199254740991)]
"""A number of things."""


class Role(StrEnum):
    """What a key may do; one key has one."""

    MAINTAINER = "maintainer"
    RUNNER = "runner"
    REVIEWER = "reviewer"
    ADMIN = "admin"
    WITNESS = "witness"


class Scope(StrEnum):
    """What a gate is evidence about; scopes never stand in for one another."""

    SOURCE = "source"
    CPU = "cpu"
    BOOT = "boot"
    LIVE_CORRECTNESS = "live_correctness"
    NUMERICAL = "numerical"
    FAIRNESS = "fairness"
    PERFORMANCE = "performance"
    ENDURANCE = "endurance"
    CAPACITY = "capacity"


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


def micros_of(instant: str) -> int:
    """Return the microseconds since 1970-01-01T00:00:00Z of an RFC 3339 UTC ``instant``.

    Raises:
        SchemaViolation: the text has the form of an instant but names no day or time that exists.
    """
    try:
        moment = datetime.fromisoformat(instant)
        return (moment - _EPOCH) // _MICROSECOND
    except (ValueError, TypeError) as error:
        detail = "An instant names no real day or time; write RFC 3339 in UTC with a trailing Z."
        raise SchemaViolation(detail, code="instant") from error


def instant_of(micros: int) -> str:
    """Return ``micros`` since 1970 as an RFC 3339 UTC instant with exactly six fraction digits."""
    moment = _EPOCH + timedelta(microseconds=micros)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond:06d}Z"


def person_of(handle: Person) -> str:
    """Return who a handle is: forges tell no two people apart by the case of their letters."""
    return handle.lower()
