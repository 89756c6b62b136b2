# SPDX-License-Identifier: Apache-2.0
"""Make ``schemas/examples/``: one good document per kind, and several that are refused.

A ``good-*.json`` holds the canonical bytes themselves. A ``refused-*.json`` holds ``document`` (or
``text``, where the fault is in the spelling), the ``code`` of the error and the ``pointer`` of its
first finding (null where the error names no place). A test runs this again and compares.

Run ``python -m tests.vectors.make_examples`` from the root of the project.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from app.core.canonical import canonical
from tests.vectors.example_capture_refusals import CAPTURES
from tests.vectors.example_captures import checks_capture, claim_capture, jobs_capture
from tests.vectors.example_declarations import (
    Document,
    genesis_leaf,
    genesis_statement,
    key_statement,
    policy_statement,
    protocol_document,
    protocol_statement,
)
from tests.vectors.example_people import (
    decision_statement,
    hold_statement,
    ref_statement,
    review_statement,
)
from tests.vectors.example_people_refusals import PEOPLE
from tests.vectors.example_pilot import PILOTS, pilot
from tests.vectors.example_refusals import CHANGED, REMOVED, RESPELLED
from tests.vectors.example_study import (
    capture,
    closure_statement,
    deviation_statement,
    receipt_statement,
    refusal_statement,
    reservation_leaf,
    reservation_statement,
    study_statement,
)
from tests.vectors.example_verdict import verdict_document, verdict_statement

TARGET: Final = Path(__file__).resolve().parents[2] / "schemas" / "examples"

GOOD: Final[dict[str, Callable[[], Document]]] = {
    "genesis": genesis_statement,
    "key": key_statement,
    "policy": policy_statement,
    "protocol": protocol_statement,
    "study": study_statement,
    "reservation": reservation_statement,
    "receipt": receipt_statement,
    "refusal": refusal_statement,
    "deviation": deviation_statement,
    "review": review_statement,
    "hold": hold_statement,
    "decision": decision_statement,
    "ref": ref_statement,
    "closure": closure_statement,
    "verdict": verdict_statement,
    "protocol-document": protocol_document,
    "capture-streams": capture,
    "capture-checks": checks_capture,
    "capture-jobs": jobs_capture,
    "capture-claim": claim_capture,
    "verdict-document": verdict_document,
    "leaf": genesis_leaf,
    "pilot": pilot,
}


def changed(document: Document, pointer: str, value: Any) -> Document:  # noqa: ANN401 - any JSON
    """Return a copy of ``document`` with ``value`` at ``pointer``."""
    result: Document = json.loads(
        canonical(document)
    )  # unlike deepcopy, shares no part of it twice
    *way, last = pointer.removeprefix("/").split("/")
    node: Any = result
    for step in way:
        node = node[int(step) if isinstance(node, list) else step]
    if value is REMOVED:
        del node[last]
    else:
        node[int(last) if isinstance(node, list) else last] = value
    return result


def files() -> Iterator[tuple[str, bytes]]:
    """Yield the name, below the target, and the bytes of every example."""
    good = {kind: make() for kind, make in GOOD.items()}
    for kind, document in good.items():
        yield f"{kind}/good-example.json", canonical(document)
    yield "leaf/good-reservation.json", reservation_leaf().to_bytes()
    for kind, name, pointer, value, code, found_at in (*CHANGED, *CAPTURES, *PEOPLE, *PILOTS):
        document = changed(good[kind], pointer, value)
        refused: Document = {"code": code, "document": document, "pointer": found_at}
        yield f"{kind}/refused-{name}.json", _pretty(refused)
    for kind, name, text, replacement, code, place in RESPELLED:
        respelled = canonical(good[kind]).replace(text, replacement, 1).decode()
        case: Document = {"code": code, "pointer": place, "text": respelled}
        yield f"{kind}/refused-{name}.json", _pretty(case)


def _pretty(case: Document) -> bytes:
    return json.dumps(case, indent=1, sort_keys=True).encode() + b"\n"


def main() -> None:
    """Write every example, and remove what is no longer one."""
    wanted = dict(files())
    for path in TARGET.rglob("*.json"):
        if path.relative_to(TARGET).as_posix() not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = TARGET / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


if __name__ == "__main__":
    main()
