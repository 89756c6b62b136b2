# SPDX-License-Identifier: Apache-2.0
"""C2SP signed-note and tlog-checkpoint: the pages' examples, and checkpoints of Rekor v2."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import Checkpoint, open_checkpoint, parse_checkpoint
from app.core.log.merkle import leaf_hash, verify_inclusion
from app.core.log.note import NoteVerifier, parse_note, parse_vkey, verify_note
from app.core.signing.keys import public_key_from_der


def blocks(path: Path) -> list[str]:
    return [block + "\n" for block in re.findall(r"```\n(.*?)\n```", path.read_text(), re.DOTALL)]


def test_signed_note_example_verifies(vectors_dir: Path) -> None:
    page = vectors_dir / "c2sp" / "signed-note.md"
    found = re.search(r"example\.com/foo\+[0-9a-f]{8}\+\S+", page.read_text())
    assert found is not None
    verifier = parse_vkey(found[0])
    note = parse_note(blocks(page)[-1].encode())
    assert verifier.to_vkey() == found[0]
    assert verify_note(note, [verifier]) == (verifier,)
    assert note.to_bytes().decode() == blocks(page)[-1]


def test_note_with_an_empty_line_in_its_text_is_read(vectors_dir: Path) -> None:
    example = blocks(vectors_dir / "c2sp" / "signed-note.md")[0]
    note = parse_note(example.encode())
    assert note.text.count("\n\n") == 1
    assert note.to_bytes().decode() == example


def test_checkpoint_example_is_read(vectors_dir: Path) -> None:
    note = parse_note(blocks(vectors_dir / "c2sp" / "tlog-checkpoint.md")[0].encode())
    checkpoint = parse_checkpoint(note.text)
    assert (checkpoint.origin, checkpoint.size) == ("example.com/behind-the-sofa", 20852163)
    assert checkpoint.to_text() == note.text


def sigstore(vectors_dir: Path, name: str) -> tuple[dict[str, Any], NoteVerifier]:
    """Return the log entry of a bundle, and the log of its trusted root that the entry names."""
    folder = vectors_dir / "sigstore-conformance" / name
    [entry] = json.loads((folder / "bundle.sigstore.json").read_bytes())["verificationMaterial"][
        "tlogEntries"
    ]
    [log] = [
        log
        for log in json.loads((folder / "trusted_root.json").read_bytes())["tlogs"]
        if log["logId"] == entry["logId"]
    ]
    key = public_key_from_der(base64.b64decode(log["publicKey"]["rawBytes"]))
    return entry, NoteVerifier(log["baseUrl"].removeprefix("https://"), key)


def check(entry: dict[str, Any], log: NoteVerifier) -> Checkpoint:
    """Verify the checkpoint and that the entry's body stands in the tree under it."""
    proof = entry["inclusionProof"]
    data = proof["checkpoint"]["envelope"].encode()
    checkpoint = open_checkpoint(data, log, origin=log.name)
    verify_inclusion(
        leaf_hash(base64.b64decode(entry["canonicalizedBody"])),
        index=int(proof["logIndex"]),
        size=checkpoint.size,
        proof=[base64.b64decode(item) for item in proof["hashes"]],
        root=checkpoint.root,
    )
    return checkpoint


@pytest.mark.parametrize(
    "name",
    [
        "rekor2-happy-path",
        "rekor2-dsse-happy-path",
        "rekor2-checkpoint-cosigned",
        "rekor2-checkpoint-multiple-cosigs",
        "rekor2-checkpoint-origin-not-first",
        "rekor2-checkpoint-two-sigs-cosigned",
        "rekor2-checkpoint-two-sigs-from-origin",
    ],
)
def test_good_rekor_checkpoint_and_proof_verify(vectors_dir: Path, name: str) -> None:
    entry, log = sigstore(vectors_dir, name)
    assert check(entry, log).size == int(entry["inclusionProof"]["treeSize"])


@pytest.mark.parametrize(
    "name",
    [
        "rekor2-checkpoint-missing-log-signature_fail",
        "rekor2-checkpoint-missing-origin_fail",
        "rekor2-checkpoint-missing-root-hash_fail",
        "rekor2-checkpoint-missing-size_fail",
        "rekor2-checkpoint-no-matching-signature_fail",
    ],
)
def test_bad_rekor_checkpoint_is_refused(vectors_dir: Path, name: str) -> None:
    entry, log = sigstore(vectors_dir, name)
    with pytest.raises((IntegrityBroken, MalformedDocument)):
        check(entry, log)


@pytest.mark.parametrize(
    "name",
    [
        "inclusion-proof-corrupted-hash_fail",
        "invalid-inclusion-proof_fail",
        "checkpoint-wrong-roothash_fail",
    ],
)
def test_inclusion_proof_that_misses_the_checkpoint_s_root_is_refused(
    vectors_dir: Path, name: str
) -> None:
    folder = vectors_dir / "sigstore-conformance" / name
    document = json.loads((folder / "bundle.sigstore.json").read_bytes())
    [entry] = document["verificationMaterial"]["tlogEntries"]
    proof = entry["inclusionProof"]
    size, root = int(proof["treeSize"]), base64.b64decode(proof["rootHash"])
    if "checkpoint" in proof:
        checkpoint = parse_checkpoint(parse_note(proof["checkpoint"]["envelope"].encode()).text)
        size, root = checkpoint.size, checkpoint.root
    with pytest.raises(IntegrityBroken):
        verify_inclusion(
            leaf_hash(base64.b64decode(entry["canonicalizedBody"])),
            index=int(proof["logIndex"]),
            size=size,
            proof=[base64.b64decode(item) for item in proof["hashes"]],
            root=root,
        )
