# SPDX-License-Identifier: Apache-2.0
"""A checkpoint or a log proof of another log, key or entry is refused."""

import pytest

from app.core.digest import to_base64
from app.core.errors import IntegrityBroken, MalformedDocument
from app.core.log.checkpoint import (
    MAX_SIZE,
    Checkpoint,
    open_checkpoint,
    parse_checkpoint,
    sign_checkpoint,
)
from app.core.log.merkle import EMPTY_ROOT, inclusion_proof, leaf_hash, root_of
from app.core.log.note import NoteSigner, parse_note
from app.core.log.proof import HEADER, MAX_HASHES, TlogProof, parse_proof, verify_proof
from app.core.signing.keys import ed25519_signing_key

ORIGIN = "ledger.example/spark"
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([1]) * 32))
STATEMENT_KEY = NoteSigner(ORIGIN, ed25519_signing_key(bytes([2]) * 32))
LEAVES = tuple(leaf_hash(bytes([i])) for i in range(7))
CHECKPOINT = Checkpoint(ORIGIN, 7, root_of(LEAVES))
ROOT = to_base64(CHECKPOINT.root)


def hash_at(level: int, index: int) -> bytes:
    return root_of(LEAVES[index << level : (index + 1) << level])


def proof(index: int, *, extra: bytes | None = None) -> TlogProof:
    note = parse_note(sign_checkpoint(CHECKPOINT, [LOG]))
    return TlogProof(index, inclusion_proof(index, 7, hash_at), note, extra)


def test_checkpoint_comes_back() -> None:
    data = sign_checkpoint(CHECKPOINT, [STATEMENT_KEY, LOG])
    assert open_checkpoint(data, LOG.verifier, origin=ORIGIN) == CHECKPOINT
    assert CHECKPOINT.to_text() == f"{ORIGIN}\n7\n{ROOT}\n"


def test_extension_lines_and_limits_are_read() -> None:
    checkpoint = Checkpoint("o", MAX_SIZE, bytes(32), ("one", "two"))
    assert parse_checkpoint(checkpoint.to_text()) == checkpoint
    empty = Checkpoint("o", 0, EMPTY_ROOT)
    assert parse_checkpoint(empty.to_text()) == empty


@pytest.mark.parametrize(
    "text",
    [
        "",
        "o\n7\n",
        f"o\n7\n{ROOT}",
        f"o\n7\n\n{ROOT}\n",
        f"o\n7\n{ROOT}\n\n",
        f"\n7\n{ROOT}\n",
        f"o\n07\n{ROOT}\n",
        f"o\n-7\n{ROOT}\n",
        f"o\n+7\n{ROOT}\n",
        f"o\n\u0667\n{ROOT}\n",
        f"o\n{MAX_SIZE + 1}\n{ROOT}\n",
        f"o\n{'9' * 5000}\n{ROOT}\n",
        f"o\n0\n{ROOT}\n",
        f"o\n7\n{ROOT[:-1]}\n",
        "o\n7\nAAAA\n",
        f"7\no\n{ROOT}\n",
    ],
)
def test_text_that_is_no_checkpoint_is_malformed(text: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_checkpoint(text)
    assert caught.value.code in {"checkpoint", "checkpoint-empty", "base64"}


@pytest.mark.parametrize(
    "checkpoint",
    [
        Checkpoint("", 7, CHECKPOINT.root),
        Checkpoint("two\nlines", 7, CHECKPOINT.root),
        Checkpoint("o", 7, CHECKPOINT.root, ("two\nlines",)),
        Checkpoint("o", 7, CHECKPOINT.root, ("",)),
        Checkpoint("o", -1, CHECKPOINT.root),
        Checkpoint("o\r", 7, CHECKPOINT.root),
    ],
)
def test_checkpoint_that_would_read_as_another_is_not_signed(checkpoint: Checkpoint) -> None:
    with pytest.raises(MalformedDocument):
        sign_checkpoint(checkpoint, [LOG])


def test_s12_checkpoint_signed_by_the_statement_key_is_refused() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        open_checkpoint(sign_checkpoint(CHECKPOINT, [STATEMENT_KEY]), LOG.verifier, origin=ORIGIN)
    assert caught.value.code == "note-unsigned"


def test_checkpoint_of_another_log_under_the_same_key_is_refused() -> None:
    other = sign_checkpoint(Checkpoint("other.example", 7, CHECKPOINT.root), [LOG])
    with pytest.raises(IntegrityBroken) as caught:
        open_checkpoint(other, LOG.verifier, origin=ORIGIN)
    assert caught.value.code == "checkpoint-origin"


@pytest.mark.parametrize("extra", [None, b"", b"extra"])
def test_log_proof_comes_back_and_verifies(extra: bytes | None) -> None:
    for index, leaf in enumerate(LEAVES):
        read = parse_proof(proof(index, extra=extra).to_bytes())
        assert read == proof(index, extra=extra)
        assert verify_proof(read, leaf, LOG.verifier, origin=ORIGIN) == CHECKPOINT


def test_s14_log_proof_of_another_entry_is_refused() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        verify_proof(proof(1), LEAVES[2], LOG.verifier, origin=ORIGIN)
    assert caught.value.code == "inclusion-proof"


def test_log_proof_under_an_unsigned_checkpoint_is_refused() -> None:
    with pytest.raises(IntegrityBroken) as caught:
        verify_proof(proof(1), LEAVES[1], STATEMENT_KEY.verifier, origin=ORIGIN)
    assert caught.value.code == "note-unsigned"


NOTE = sign_checkpoint(CHECKPOINT, [LOG]).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        NOTE,
        f"{HEADER}\n\n{NOTE}",
        f"{HEADER}\nindex 01\n\n{NOTE}",
        f"{HEADER}\nindex 1\nextra AAAA\n\n{NOTE}",
        f"{HEADER}\nextra AAAA\n\n{NOTE}",
        f"{HEADER}\nextra A\nindex 1\n\n{NOTE}",
        f"{HEADER}\nindex 1\nAAAA\n\n{NOTE}",
        f"{HEADER}\nindex 1\n{ROOT}\n{NOTE[:10]}",
        f"{HEADER}\nindex 1\n\u00e9\n\n{NOTE}",
        f"{HEADER}\nindex 1\n" + f"{ROOT}\n" * (MAX_HASHES + 1) + f"\n{NOTE}",
        f"c2sp.org/tlog-proof@v2\nindex 1\n\n{NOTE}",
    ],
)
def test_text_that_is_no_log_proof_is_malformed(text: str) -> None:
    with pytest.raises(MalformedDocument) as caught:
        parse_proof(text.encode())
    assert caught.value.code in {"tlog-proof", "note", "base64"}
