# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  a patched document is any JSON
"""RFC 6902, as much of it as the lint writes: ``add``, ``remove`` and ``replace``."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import msgspec

from app.core.protocol.patch import Patch, operations
from app.core.statement.protocol_document import ProtocolDocument


def patched(document: ProtocolDocument, change: Patch) -> ProtocolDocument:
    """Return the document after the patch, as strictly read as any."""
    value = applied(msgspec.to_builtins(document), operations(change))
    return msgspec.convert(value, ProtocolDocument)


def applied(document: Any, patch: Sequence[Any]) -> Any:
    """Return the JSON document after the patch; a path that leads nowhere raises."""
    result = deepcopy(document)
    for operation in patch:
        *parents, last = operation["path"].removeprefix("/").split("/")
        at = result
        for token in parents:
            at = at[int(token)] if isinstance(at, list) else at[token]
        key = (len(at) if last == "-" else int(last)) if isinstance(at, list) else last
        if operation["op"] == "remove":
            del at[key]
        elif operation["op"] == "add" and isinstance(at, list):
            at.insert(key, operation["value"])
        else:
            assert operation["op"] == "add" or isinstance(at, list) or key in at
            at[key] = operation["value"]
    return result
