# SPDX-License-Identifier: Apache-2.0
"""Make ``bytes.json``: one worked example of every byte string that is signed, hashed or published.

The keys are made from the seeds written here and sign nothing else. ``docs/bytes.md`` shows these
examples and no others; a test runs this file again and compares both.

Run ``python -m tests.vectors.make_bytes`` from the root of the project.
"""

import json
from pathlib import Path

from app.core.canonical import canonical
from app.core.digest import salted_digest, sha256_hex
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.leaf import (
    Leaf,
    TreeHead,
    challenge_of,
    head_line,
    ledger_line,
    next_challenge,
    repository_line,
)
from app.core.log.merkle import Frontier, inclusion_proof, root_of
from app.core.log.note import NoteSigner, parse_note
from app.core.log.proof import TlogProof
from app.core.log.tile import ENTRIES, Tile, encode_entries
from app.core.signing.envelope import PAYLOAD_TYPE, pae, sign, to_json
from app.core.signing.keys import ed25519_signing_key, p256_signing_key

TARGET = Path(__file__).with_name("bytes.json")

ORIGIN = "ledger.example/spark"
REPOSITORY = "forge.example/spark/recipe"
HEAD = "4f" * 20
SALT = bytes(range(32))

RUNNER = ed25519_signing_key(bytes([1]) * 32)
REVIEWER = p256_signing_key(bytes([2]) * 32)
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([3]) * 32))

# Stand-ins for two statements that the example needs below its own.
GENESIS = sha256_hex(b"genesis")
STUDY = sha256_hex(b"study")
RECEIPT = sha256_hex(b"receipt")

STATEMENT: dict[str, object] = {
    "_type": "https://in-toto.io/Statement/v1",
    "subject": [{"name": f"git+https://{REPOSITORY}", "digest": {"gitCommit": HEAD}}],
    "predicateType": "urn:fairtrial:reservation:v1",
    "predicate": {
        "ledger": {"origin": ORIGIN, "genesis": GENESIS},
        "signer": RUNNER.key_id,
        "annotations": {},
        "study": STUDY,
        "slots": ["A/C2-canary/1", "B/C2-canary/1", "A2/C2-canary/1"],
        "attempt": 1,
        "host": "spark-one",
    },
}


def make() -> dict[str, str]:
    """Return every example by name, as the text that the page shows."""
    return {**key_examples(), **statement_examples(), **log_examples(), **salt_examples()}


def key_examples() -> dict[str, str]:
    return {
        "key-ed25519-pem": RUNNER.public.to_pem().rstrip("\n"),
        "key-ed25519-der": RUNNER.public.der.hex(),
        "key-ed25519-id": RUNNER.key_id,
        "key-ed25519-openssh": RUNNER.public.to_openssh(),
        "key-p256-pem": REVIEWER.public.to_pem().rstrip("\n"),
        "key-p256-id": REVIEWER.key_id,
    }


def statement_examples() -> dict[str, str]:
    payload = canonical(STATEMENT)
    envelope = sign(payload, [RUNNER])
    return {
        "statement": payload.decode(),
        "statement-digest": sha256_hex(payload),
        "pae": pae(PAYLOAD_TYPE, payload).decode(),
        "pae-digest": sha256_hex(pae(PAYLOAD_TYPE, payload)),
        "envelope": to_json(envelope).decode(),
    }


def log_examples() -> dict[str, str]:
    payload = canonical(STATEMENT)
    genesis = Leaf(
        at="2026-11-30T08:00:00.000000Z",
        kind="genesis",
        statement=GENESIS,
        size=7,
        key=sha256_hex(b"ledger key"),
        line=ledger_line(),
        seq=0,
        prev=None,
    )
    study = Leaf(
        at="2026-11-30T09:15:00.250000Z",
        kind="study",
        statement=STUDY,
        size=5,
        key=sha256_hex(b"maintainer key"),
        line=head_line(REPOSITORY, HEAD),
        seq=0,
        prev=None,
    )
    below = Frontier().extend([genesis.hash(), study.hash()])
    reservation = Leaf(
        at="2026-11-30T09:15:02.000417Z",
        kind="reservation",
        statement=sha256_hex(payload),
        size=len(payload),
        key=RUNNER.key_id,
        line=head_line(REPOSITORY, HEAD),
        seq=1,
        prev=1,
        nonce=sha256_hex(b"nonce"),
        after=TreeHead(below.size, below.root().hex()),
    )
    leaves = (genesis, study, reservation)
    hashes = [leaf.hash() for leaf in leaves]
    checkpoint = Checkpoint(ORIGIN, 3, root_of(hashes))
    note = sign_checkpoint(checkpoint, [LOG])
    path = inclusion_proof(2, 3, lambda lv, i: root_of(hashes[i << lv : (i + 1) << lv]))
    first = challenge_of(reservation)
    second = next_challenge(first, RECEIPT)
    return {
        "line-ledger": ledger_line(),
        "line-repository": repository_line(REPOSITORY),
        "line-head": head_line(REPOSITORY, HEAD),
        "leaf-0": genesis.to_bytes().decode(),
        "leaf-1": study.to_bytes().decode(),
        "leaf-2": reservation.to_bytes().decode(),
        "leaf-hashes": "\n".join(item.hex() for item in hashes),
        "root-at-2": below.root().hex(),
        "root-at-3": checkpoint.root.hex(),
        "challenge-first": first,
        "receipt-digest": RECEIPT,
        "challenge-after-receipt": second,
        "challenge-after-skip": next_challenge(second, None),
        "checkpoint-vkey": LOG.verifier.to_vkey(),
        "checkpoint": note.decode().rstrip("\n"),
        "log-proof": TlogProof(2, path, parse_note(note)).to_bytes().decode().rstrip("\n"),
        "tile-paths": "\n".join(
            (Tile(0, 0, 3).path(), Tile(ENTRIES, 0, 3).path(), Tile(1, 1234, 5).path())
        ),
        "tile": "\n".join(item.hex() for item in hashes),
        "entries-digest": sha256_hex(encode_entries(leaf.to_bytes() for leaf in leaves)),
    }


def salt_examples() -> dict[str, str]:
    settings = {"max_num_seqs": "4", "enable_prefix_caching": "false"}
    return {
        "salt": SALT.hex(),
        "salted-settings-jcs": canonical(settings).decode(),
        "salted-settings": salted_digest(SALT, settings),
        "salted-gpu-bytes": "GPU-00000000-0000-0000-0000-000000000001",
        "salted-gpu": salted_digest(SALT, b"GPU-00000000-0000-0000-0000-000000000001"),
    }


def text() -> str:
    """Return the content of ``bytes.json``."""
    return json.dumps(make(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text())
