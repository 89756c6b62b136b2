# SPDX-License-Identifier: Apache-2.0
"""Capture kind ``checks``: suites that ran, results by name, and files by digest.

A registry of authenticated files is such a capture too: each named result with its artifact.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import END, Count, Sha256Hex, Slug
from app.core.statement.header import Shape
from app.core.statement.observation import Clock, Observations

ReportedNumber = Annotated[
    str,
    Meta(
        pattern=r"^(nan|-?inf|-?(0|[1-9][0-9]{0,17})([.][0-9]{1,12})?)" + END,
        max_length=32,
    ),
]
"""A number as a tool reports it: an exact decimal, or the ``nan`` or infinity that it came to."""


class Suite(Shape, frozen=True):
    """How many checks of one suite came to which end; a count that nobody gave is null."""

    name: Slug
    passed: Count | None
    failed: Count | None
    skipped: Count | None


class Artifact(Shape, frozen=True):
    """A file by its SHA-256 and its length."""

    sha256: Sha256Hex
    size: Count


class NamedResult(Shape, frozen=True):
    """One check by name.

    Attributes:
        id: the name that a gate gives it.
        result: ``skipped`` and ``not_run`` are no results: they establish nothing.
        artifact: the file that it read or made; null: none.
    """

    id: Slug
    result: Literal["passed", "failed", "skipped", "not_run"]
    artifact: Artifact | None


class ReportedValue(Shape, frozen=True):
    """A number by name.

    Attributes:
        value: null: it should have been reported and was not.
    """

    name: Slug
    unit: Slug
    value: ReportedNumber | None


class ChecksCapture(Shape, frozen=True):
    """What checks came to.

    Attributes:
        boot_id: pseudonym of the server boot they ran against; null: against none, or not known.
        values: numbers that gates hold against a value or against another arm's.
    """

    schema: Literal["urn:fairtrial:capture:checks:v1"]
    clock: Clock
    boot_id: Slug | None
    suites: Annotated[list[Suite], Meta(max_length=256)]
    named: Annotated[list[NamedResult], Meta(max_length=4096)]
    values: Annotated[list[ReportedValue], Meta(max_length=1024)]
    observations: Observations
