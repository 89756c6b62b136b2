# SPDX-License-Identifier: Apache-2.0
"""Wycheproof: ECDSA P-256 with SHA-256 and DER signatures."""

import json
from pathlib import Path

from app.core.signing.keys import KeyAlgorithm, parse_public_key, public_key_from_der, refuse_weak


def test_wycheproof_ecdsa_p256_sha256(vectors_dir: Path) -> None:
    path = vectors_dir / "wycheproof" / "ecdsa_secp256r1_sha256_test.json"
    document = json.loads(path.read_bytes())
    seen = 0
    for group in document["testGroups"]:
        key = public_key_from_der(bytes.fromhex(group["publicKeyDer"]))
        assert key == parse_public_key(group["publicKeyPem"])
        assert key.algorithm is KeyAlgorithm.ECDSA_P256
        refuse_weak(key)
        for test in group["tests"]:
            valid = key.verify(bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"]))
            assert valid == (test["result"] == "valid"), test["tcId"]
            seen += 1
    assert seen == document["numberOfTests"]
