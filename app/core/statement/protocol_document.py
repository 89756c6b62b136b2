# SPDX-License-Identifier: Apache-2.0
"""The predeclared document that a lock fixes: arms, cells, limits, fault table, rules, gates.

Its identity is the SHA-256 of its JCS bytes. ``schema`` names its own version: a later document
shape gets another name and leaves the statement around it unchanged.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from app.core.identity import (
    END,
    ArmId,
    Scope,
    SettingName,
    SettingValue,
    Sha256Hex,
    Slug,
    Text,
)
from app.core.statement.capture import ErrorClass
from app.core.statement.cell import (
    Cancel,
    Cell,
    ChecksCell,
    ClaimCell,
    Ends,
    JobsCell,
    JobsEnds,
    PlannedStream,
    PositiveMicros,
    Precondition,
    ReviewCell,
    Start,
    StreamsCell,
    TokenTarget,
    Warmup,
)
from app.core.statement.gate_record import GateRecord
from app.core.statement.header import Shape

__all__ = [
    "Arm",
    "Cancel",
    "Cell",
    "ChecksCell",
    "ClaimCell",
    "Conditions",
    "Ends",
    "FaultRow",
    "Harness",
    "JobsCell",
    "JobsEnds",
    "PlannedStream",
    "PlannedTopology",
    "Precondition",
    "ProtocolDocument",
    "ReservationRule",
    "Retry",
    "RetryCode",
    "ReviewCell",
    "Settings",
    "Start",
    "StatusRange",
    "StopRule",
    "StreamsCell",
    "TokenTarget",
    "Warmup",
    "Window",
    "Workload",
]

Settings = Annotated[dict[SettingName, SettingValue], Meta(max_length=64)]


class Arm(Shape, frozen=True):
    """One fixed deployment.

    Attributes:
        role: what it is for; candidates decide, controls qualify the yardstick.
        settings: the settings that make it this arm; a return control repeats its control's.
    """

    id: ArmId
    role: Literal["control", "candidate", "return_control", "positive_control"]
    settings: Settings


class StatusRange(Shape, frozen=True):
    """HTTP statuses ``first`` to ``last``, both included."""

    first: Annotated[int, Meta(ge=100, le=599)]
    last: Annotated[int, Meta(ge=100, le=599)]


class FaultRow(Shape, frozen=True):
    """Facts and whose fault they are; the first row whose every given fact holds decides.

    Attributes:
        container: what the engine's container did during the capture.
        fault: ``unknown`` decides nothing: the observation stays an unknown interval.
    """

    phase: Literal["warmup", "measured", "any"]
    fault: Literal["sut", "harness", "environment", "identity", "unknown"]
    http_status: StatusRange | UnsetType = UNSET
    error: ErrorClass | UnsetType = UNSET
    container: Literal["running", "restarted", "exited", "unobserved"] | UnsetType = UNSET


class RetryCode(Shape, frozen=True):
    """A failure after which one more attempt of a slot may be reserved."""

    phase: Literal["warmup"]
    http_status: Annotated[int, Meta(ge=100, le=599)]


class Retry(Shape, frozen=True):
    """The retry rule; anything not listed is final."""

    max_per_slot: Annotated[int, Meta(ge=0, le=1)]
    only: Annotated[list[RetryCode], Meta(max_length=16)]


class StopRule(Shape, frozen=True):
    """After which slot state no further slot of the study may be reserved."""

    on: Annotated[list[Literal["slot_invalid", "slot_failed"]], Meta(max_length=2)]


class ReservationRule(Shape, frozen=True):
    """How many slots may stand reserved at once, and how long a reservation lasts."""

    ahead_max: Annotated[int, Meta(ge=1, le=10000)]
    allowance_us: PositiveMicros


class Window(Shape, frozen=True):
    """The longest time from a study's opening to its ``closes_at``."""

    max_us: PositiveMicros


class PlannedTopology(Shape, frozen=True):
    """The shape every capture must come from."""

    tensor_parallel: Annotated[int, Meta(ge=1, le=1024)]
    nodes: Annotated[int, Meta(ge=1, le=1024)]
    gpu_model: Text


class Harness(Shape, frozen=True):
    """A tool that may run the slots."""

    name: Slug
    version: Text


class Conditions(Shape, frozen=True):
    """What must hold of every capture, whatever the arm."""

    topology: PlannedTopology
    harness: Annotated[list[Harness], Meta(min_length=1, max_length=16)]


class Workload(Shape, frozen=True):
    """What generates the prompts."""

    generator: Slug
    sha256: Sha256Hex


class ProtocolDocument(Shape, frozen=True):
    """What was declared before anything ran.

    Attributes:
        schema: this shape's name.
        scopes: every scope its gates speak about.
        not_claimed: what it does not establish, in words; printed on every page.
        varies: settings in which arms differ; nothing else may differ between them.
        disclosed_settings: settings whose values are published; the rest is one salted digest.
        order: arms in the order they run.
        scoring: number of the scoring rules that read it.
        max_void_studies: how many void studies on one head do not count.
        binding: how a capture may be bound to its challenge.
    """

    schema: Literal["urn:fairtrial:protocol-document:v1"]
    name: Slug
    version: Annotated[int, Meta(ge=1, le=10000)]
    scopes: Annotated[list[Scope], Meta(min_length=1, max_length=9)]
    question: Text
    not_claimed: Annotated[list[Text], Meta(max_length=32)]
    arms: Annotated[list[Arm], Meta(min_length=1, max_length=32)]
    varies: Annotated[list[SettingName], Meta(max_length=32)]
    disclosed_settings: Annotated[list[SettingName], Meta(max_length=64)]
    endpoint_path: Annotated[str, Meta(pattern=r"^/[A-Za-z0-9/_.-]{0,99}" + END, max_length=100)]
    request_controls: Settings
    workload: Workload
    cells: Annotated[list[Cell], Meta(min_length=1, max_length=64)]
    order: Annotated[list[ArmId], Meta(min_length=1, max_length=32)]
    gates: Annotated[list[GateRecord], Meta(min_length=1, max_length=512)]
    fault_table: Annotated[list[FaultRow], Meta(min_length=1, max_length=64)]
    retry: Retry
    stop_rule: StopRule
    reservation: ReservationRule
    window: Window
    scoring: Annotated[int, Meta(ge=1, le=1000)]
    max_void_studies: Annotated[int, Meta(ge=0, le=10)]
    conditions: Conditions
    binding: Annotated[list[Literal["seeded", "echoed"]], Meta(min_length=1, max_length=2)]
