# SPDX-License-Identifier: Apache-2.0
"""The proof vectors of transparency-dev/merkle: the good ones verify, the damaged ones do not."""

import base64
import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import IntegrityBroken
from app.core.log.merkle import HASH_BYTES, verify_consistency, verify_inclusion


def cases(folder: Path) -> list[tuple[Path, dict[str, Any]]]:
    return [(path, json.loads(path.read_bytes())) for path in sorted(folder.rglob("*.json"))]


def hashes(case: dict[str, Any]) -> list[bytes]:
    return [base64.b64decode(item) for item in case["proof"] or []]


def test_inclusion_vectors(vectors_dir: Path) -> None:
    found = cases(vectors_dir / "merkle" / "inclusion")
    for path, case in found:
        refused = pytest.raises(IntegrityBroken)
        with refused if case["wantErr"] else nullcontext():
            verify_inclusion(
                base64.b64decode(case["leafHash"] or ""),
                index=case["leafIdx"],
                size=case["treeSize"],
                proof=hashes(case),
                root=base64.b64decode(case["root"] or ""),
            )
            assert not case["wantErr"], path
    assert len(found) > 90


def test_consistency_vectors(vectors_dir: Path) -> None:
    found = cases(vectors_dir / "merkle" / "consistency")
    for path, case in found:
        old, new = case["size1"], case["size2"]
        roots = [base64.b64decode(case[name] or "") for name in ("root1", "root2")]
        # Some of theirs compare roots that are no hashes; here a root always has 32 bytes.
        refuse = case["wantErr"] or any(len(root) != HASH_BYTES for root in roots)
        refused = pytest.raises(IntegrityBroken)
        with refused if refuse else nullcontext():
            verify_consistency(
                old_size=old,
                old_root=roots[0],
                new_size=new,
                new_root=roots[1],
                proof=hashes(case),
            )
            assert not refuse, path
    assert len(found) > 90
