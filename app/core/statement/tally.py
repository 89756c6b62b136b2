# SPDX-License-Identifier: Apache-2.0
"""What a slot's captures told, as a judgement repeats it, so that it can be redone by hand.

Only what the unit's interval does not say by itself: which checks, which lanes, which files, whose
answers, and the two numbers of a parity. What is as it should be under a name is left out, so that
a judgement of many names stays short.
"""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, UnsetType

from app.core.identity import Count, Micros, Person, SlotId, Slug, StreamRole
from app.core.statement.capture_checks import Artifact, Suite
from app.core.statement.capture_claim import ClaimWord
from app.core.statement.capture_streams import AnswerParts
from app.core.statement.header import Shape
from app.core.statement.interval import Interval


class NotPassed(Shape, frozen=True):
    """A check by name that did not pass; ``not_run`` also where it was planned and not reported."""

    id: Slug
    result: Literal["failed", "skipped", "not_run"]


class CheckTally(Shape, frozen=True):
    """How many checks of a slot passed, failed, and were not tested; null: nobody counted.

    Attributes:
        suites: as the capture counted them.
        not_passed: every name that did not pass: planned, asked for by the gate or reported.
    """

    passed: Count | None
    failed: Count | None
    not_tested: Count | None
    suites: list[Suite]
    not_passed: list[NotPassed]


class FileTally(Shape, frozen=True):
    """What was found under the name of a registered file.

    Attributes:
        result: of the check that read it; null: there is none of that name.
        artifact: the file that it read; null: it names none.
    """

    name: Slug
    result: Literal["passed", "failed", "skipped", "not_run"] | None
    artifact: Artifact | None


class LaneTally(Shape, frozen=True):
    """What one lane of long work came to; null: not known.

    Attributes:
        ended: its work was over; of one that was not, counts are least values.
    """

    lane: Count
    ended: bool
    duration_us: Micros | None
    validated: Count | None
    failed: Count | None


class JobsTally(Shape, frozen=True):
    """What the lanes of a slot came to.

    Attributes:
        planned: how many lanes there are, numbered from 0.
        resolution_us: how far a duration may be off, either way.
        lanes: those that were reported.
    """

    planned: Count
    resolution_us: Micros
    lanes: list[LaneTally]


class AnswerTally(Shape, frozen=True):
    """A stream that is not known to have given the expected answer.

    Attributes:
        matched: false: it gave another; null: it did not finish, or nobody says.
        parts: how many parts were expected, and how many came; null: it was not asked in parts.
    """

    stream_role: StreamRole
    lane: Count
    matched: bool | None
    parts: AnswerParts | None


class PairTally(Shape, frozen=True):
    """The two numbers of a parity; null: nothing is known of it.

    Attributes:
        own: of the gate's own arm.
        against: the slot of the other arm.
        other: of the other arm.
    """

    own: Interval | None
    against: SlotId
    other: Interval | None


class Told(Shape, frozen=True):
    """What the captures of one slot told beside its interval; one member by the kind of the gate.

    Attributes:
        answers: of a canary, those streams alone whose answer was not the expected one.
        decision: the other tool's own word.
    """

    checks: CheckTally | UnsetType = UNSET
    files: list[FileTally] | UnsetType = UNSET
    jobs: JobsTally | UnsetType = UNSET
    decision: ClaimWord | UnsetType = UNSET
    answers: list[AnswerTally] | UnsetType = UNSET
    pair: PairTally | UnsetType = UNSET


class ReviewTally(Shape, frozen=True):
    """A review that counts for a gate or against it.

    Attributes:
        entry: its index in the log.
        person: who says it; people count, not keys.
        suspect: its key is doubted, so that it accepts nothing.
    """

    entry: Count
    person: Person
    outcome: Literal["accepted", "changes_requested"]
    suspect: bool
