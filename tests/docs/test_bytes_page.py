# SPDX-License-Identifier: Apache-2.0
"""The page of worked examples shows the vectors, and the vectors are what the code makes."""

import base64
import hashlib
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.vectors import make_bytes

PAGE = Path(__file__).resolve().parents[2] / "docs" / "bytes.md"
FENCE = re.compile(r"<!-- example: ([a-z0-9-]+) -->\n```text\n(.*?)\n```\n", re.DOTALL)


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text()


@pytest.fixture(scope="module")
def vectors() -> dict[str, str]:
    found: dict[str, str] = json.loads(make_bytes.TARGET.read_text())
    return found


def test_vectors_are_what_the_script_makes() -> None:
    assert make_bytes.TARGET.read_text() == make_bytes.text()


def test_every_fenced_example_is_a_vector_and_every_vector_is_shown(
    page: str, vectors: dict[str, str]
) -> None:
    examples = FENCE.findall(page)
    assert page.count("```") == 2 * len(examples), "a fence without its example's name"
    assert dict(examples) == vectors
    assert len(examples) == len(vectors)


def test_examples_hold_with_hashlib_alone(vectors: dict[str, str]) -> None:
    def sha(data: bytes) -> str:
        return hashlib.sha256(data).hexdigest()

    def raw(name: str) -> bytes:
        return bytes.fromhex(vectors[name])

    payload = vectors["statement"].encode()
    assert sha(payload) == vectors["statement-digest"]
    prefix = f"DSSEv1 28 application/vnd.in-toto+json {len(payload)} ".encode()
    assert prefix + payload == vectors["pae"].encode()
    assert sha(prefix + payload) == vectors["pae-digest"]
    envelope = json.loads(vectors["envelope"])
    assert base64.b64decode(envelope["payload"]) == payload
    assert sha(raw("key-ed25519-der")) == vectors["key-ed25519-id"]

    leaves = [sha(b"\0" + vectors[f"leaf-{i}"].encode()) for i in range(3)]
    assert "\n".join(leaves) == vectors["leaf-hashes"] == vectors["tile"]
    two = sha(b"\1" + bytes.fromhex(leaves[0] + leaves[1]))
    assert two == vectors["root-at-2"] == json.loads(vectors["leaf-2"])["after"]["root"]
    assert sha(b"\1" + bytes.fromhex(two + leaves[2])) == vectors["root-at-3"]

    assert vectors["challenge-first"] == leaves[2]
    second = sha(raw("challenge-first") + raw("receipt-digest"))
    assert second == vectors["challenge-after-receipt"]
    assert sha(bytes.fromhex(second) + bytes(32)) == vectors["challenge-after-skip"]

    for name, value in (("settings", "settings-jcs"), ("gpu", "gpu-bytes")):
        salted = raw("salt") + vectors[f"salted-{value}"].encode()
        assert sha(salted) == vectors[f"salted-{name}"]


def test_openssl_verifies_the_example_envelope(tmp_path: Path, vectors: dict[str, str]) -> None:
    [signature] = json.loads(vectors["envelope"])["signatures"]
    (tmp_path / "key.pem").write_text(vectors["key-ed25519-pem"] + "\n")
    (tmp_path / "pae").write_text(vectors["pae"])
    (tmp_path / "sig").write_bytes(base64.b64decode(signature["sig"]))
    subprocess.run(
        [
            *("openssl", "pkeyutl", "-verify", "-pubin", "-inkey", "key.pem", "-rawin"),
            *("-in", "pae", "-sigfile", "sig"),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
