# SPDX-License-Identifier: Apache-2.0
"""Capture kind ``claim``: another tool's decision, with the digests that it is bound to.

It is that tool's word. It counts only where a gate's lock names the same digests.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from app.core.identity import END, Sha256Hex, Slug, Text
from app.core.statement.header import Shape

ClaimWord = Annotated[str, Meta(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}" + END, max_length=64)]
"""A word of the tool's own: a decision, or why."""


class ClaimTool(Shape, frozen=True):
    """The tool that decided, by name and version."""

    name: Slug
    version: Text


class ClaimCapture(Shape, frozen=True):
    """What a tool decided, and on what.

    Attributes:
        policy_sha256: the rules it judged by; null: bound to none, as in the next two.
        collector_sha256: the program that collected.
        workload_sha256: the workload that ran.
        decision: the tool's own word; null: it printed none.
        reason_codes: why, in its own words.
    """

    schema: Literal["urn:fairtrial:capture:claim:v1"]
    tool: ClaimTool
    policy_sha256: Sha256Hex | None
    collector_sha256: Sha256Hex | None
    workload_sha256: Sha256Hex | None
    decision: ClaimWord | None
    reason_codes: Annotated[list[ClaimWord], Meta(max_length=256)]
