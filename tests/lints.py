# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""The good document with one thing changed, and what the lint finds in it."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import msgspec

from app.core.protocol.lint import lint
from app.core.statement.protocol_document import ProtocolDocument
from tests.documents import document

Change = Callable[[Any], Any]


def changed(change: Change, **members: Any) -> ProtocolDocument:
    """Return the good document with one change of its JSON."""
    value = msgspec.to_builtins(document(**members))
    change(value)
    return msgspec.convert(value, ProtocolDocument)


def found(of: ProtocolDocument) -> set[tuple[str, str]]:
    return {(each.code, each.pointer) for each in lint(of)} - {("W_NO_ASSAY_CONTROL", "/arms")}


def gated(*gates: Any, **members: Any) -> ProtocolDocument:
    """Return the good document with further gates at its end, from index 4 on."""
    good = msgspec.to_builtins(document(**members))["gates"]
    return document(gates=[*good, *gates], **members)


LAST = "/gates/4"


def with_(gate: Any, **members: Any) -> Any:
    made = deepcopy(gate)
    for path, value in members.items():
        at = made
        *parents, name = path.split("__")
        for parent in parents:
            at = at[parent]
        if value is None:
            del at[name]
        else:
            at[name] = value
    return made
