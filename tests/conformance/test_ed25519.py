# SPDX-License-Identifier: Apache-2.0
"""CCTV and Wycheproof: which edge cases of Ed25519 are accepted is pinned, library upgrade or not.

Of the 914 CCTV cases the accepted ones are pinned by count and by a digest of their numbers. What
is accepted needs, and is here shown to need, all of: no low-order or non-canonical A or R, and no
residue of small order in the equation.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import Unprocessable
from app.core.signing.keys import ed25519_public_key, refuse_weak

# Numbers accepted by PublicKey.verify, and those among them whose key may also be registered.
VERIFIED = (43, "d5867a987d85b644f3a9e72691ff2f2c4647dedef4e8958d68c1f459c3f85d0b")
REGISTERED = (1, "de81519959ceb39b52f0737e67e184f3c3744f331ba6b1b4cc6f2e673fdf8023")

NEVER = frozenset(
    {"low_order_A", "low_order_R", "non_canonical_A", "non_canonical_R", "low_order_residue"}
)


@pytest.fixture(scope="module")
def cctv(vectors_dir: Path) -> list[dict[str, Any]]:
    path = vectors_dir / "cctv-ed25519" / "ed25519vectors.json"
    cases: list[dict[str, Any]] = json.loads(path.read_bytes())
    return cases


def verifies(case: dict[str, Any]) -> bool:
    key = ed25519_public_key(bytes.fromhex(case["key"]))
    return key.verify(bytes.fromhex(case["sig"]), case["msg"].encode())


def may_register(case: dict[str, Any]) -> bool:
    try:
        refuse_weak(ed25519_public_key(bytes.fromhex(case["key"])))
    except Unprocessable as error:
        return error.code != "weak-key"
    return True


def pin(cases: list[dict[str, Any]]) -> tuple[int, str]:
    numbers = sorted(case["number"] for case in cases)
    return len(numbers), sha256_hex(canonical(numbers))


def test_s05_accepted_signatures_are_the_pinned_ones(cctv: list[dict[str, Any]]) -> None:
    assert len(cctv) == 914
    accepted = [case for case in cctv if verifies(case)]
    assert pin(accepted) == VERIFIED
    assert pin([case for case in accepted if may_register(case)]) == REGISTERED


def test_s05_accepted_is_exactly_what_no_flag_forbids(cctv: list[dict[str, Any]]) -> None:
    for case in cctv:
        assert verifies(case) == (not NEVER & set(case["flags"] or ())), case["number"]


def test_s04_low_order_key_never_verifies_and_is_never_registered(
    cctv: list[dict[str, Any]],
) -> None:
    low_order = [case for case in cctv if "low_order_A" in (case["flags"] or ())]
    assert len({case["key"] for case in low_order}) == 14
    for case in low_order:
        assert not verifies(case)
        assert not may_register(case)


def test_s04_key_with_a_low_order_component_is_never_registered(
    cctv: list[dict[str, Any]],
) -> None:
    for case in cctv:
        if "low_order_component_A" in (case["flags"] or ()):
            assert not may_register(case)


def test_wycheproof_eddsa(vectors_dir: Path) -> None:
    document = json.loads((vectors_dir / "wycheproof" / "ed25519_test.json").read_bytes())
    seen = 0
    for group in document["testGroups"]:
        key = ed25519_public_key(bytes.fromhex(group["publicKey"]["pk"]))
        refuse_weak(key)
        for test in group["tests"]:
            valid = key.verify(bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"]))
            assert valid == (test["result"] == "valid"), test["tcId"]
            seen += 1
    assert seen == document["numberOfTests"] == 151
