# SPDX-License-Identifier: Apache-2.0
"""The smallest change that heals a finding, as a JSON Patch (RFC 6902) against the document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from app.core.canonical import JsonValue, canonical

Patch: TypeAlias = "tuple[Operation, ...]"
"""Operations in the order in which they apply; empty where only a person can decide."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One step of a patch.

    Attributes:
        path: RFC 6901 pointer into the document as the steps before have left it.
        value: what is put there; of no meaning for ``remove``.
    """

    op: Literal["add", "remove", "replace"]
    path: str
    value: JsonValue = None


def put(pointer: str, value: JsonValue) -> Patch:
    """Return the patch after which ``value`` stands at ``pointer``, whatever stood there before.

    ``add`` sets a member whether or not it was there; in an array it would insert.
    """
    is_element = pointer.rpartition("/")[2].isdigit()
    return (Operation("replace" if is_element else "add", pointer, value),)


def append(pointer: str, value: JsonValue) -> Patch:
    """Return the patch that adds ``value`` at the end of the array at ``pointer``."""
    return (Operation("add", f"{pointer}/-", value),)


def remove(pointer: str) -> Patch:
    """Return the patch that takes away what stands at ``pointer``."""
    return (Operation("remove", pointer),)


def operations(patch: Patch) -> list[dict[str, JsonValue]]:
    """Return the patch as the array that RFC 6902 describes."""
    return [_members(each) for each in patch]


def patch_text(patch: Patch) -> str:
    """Return the patch as JSON that can be pasted; "" where there is none."""
    return canonical([*operations(patch)]).decode() if patch else ""


def _members(operation: Operation) -> dict[str, JsonValue]:
    members: dict[str, JsonValue] = {"op": operation.op, "path": operation.path}
    return members if operation.op == "remove" else members | {"value": operation.value}
