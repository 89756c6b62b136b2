# SPDX-License-Identifier: Apache-2.0
"""Typed gates on results as they were reported: checks, long jobs, files, another tool's decision.

Each is true or false of a whole slot, or unknown: what was not tested has neither passed nor
failed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from app.core.identity import ArmId, Sha256Hex, Slug
from app.core.protocol.gate_demand import Gate, MetricGate
from app.core.statement.gate_record import RegisteredArtifact


@dataclass(frozen=True, slots=True)
class ChecksGate(Gate):
    """So many checks may fail, so many may be skipped, and these must pass by name."""

    max_failed: int
    allowed_skips: int
    named: tuple[Slug, ...]


@dataclass(frozen=True, slots=True)
class JobsGate(Gate):
    """Every lane of long work lasts so long, with so many results validated and so few failed."""

    min_duration_us: int
    min_validated: int
    max_failed: int


@dataclass(frozen=True, slots=True)
class RegistryGate(Gate):
    """Files are, byte for byte, what a registry says they are."""

    artifacts: tuple[RegisteredArtifact, ...]


@dataclass(frozen=True, slots=True)
class DecisionGate(Gate):
    """Another tool decided PASS, by this policy, with this collector, on this workload."""

    policy_sha256: Sha256Hex
    collector_sha256: Sha256Hex
    workload_sha256: Sha256Hex


@dataclass(frozen=True, slots=True)
class ParityGate(MetricGate):
    """A number of the arm equals that of another arm, repetition by repetition.

    Attributes:
        vs: the other arm.
        margin: how far the two may lie apart, in the metric's unit.
    """

    vs: ArmId
    margin: Fraction


ResultGate = ChecksGate | JobsGate | RegistryGate | DecisionGate
