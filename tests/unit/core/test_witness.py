# SPDX-License-Identifier: Apache-2.0
"""What a witness does not cosign (C2SP tlog-witness, add-checkpoint)."""

from dataclasses import replace

import pytest

from app.core.digest import to_base64
from app.core.errors import MalformedDocument
from app.core.log.checkpoint import Checkpoint, sign_checkpoint
from app.core.log.merkle import EMPTY_ROOT, consistency_proof, leaf_hash, root_of
from app.core.log.note import NoteSigner, parse_note, sign_note
from app.core.log.witness import (
    MAX_REQUEST_BYTES,
    AddCheckpoint,
    WitnessAnswer,
    judge_request,
    origin_of,
    parse_add_checkpoint,
)
from app.core.signing.keys import ed25519_signing_key

ORIGIN = "ledger.example/spark"
LOG = NoteSigner(ORIGIN, ed25519_signing_key(bytes([1]) * 32))
OTHER = NoteSigner(ORIGIN, ed25519_signing_key(bytes([2]) * 32))
LOGS = {ORIGIN: (LOG.verifier,)}
LEAVES = [leaf_hash(bytes([n])) for n in range(13)]


def at(size: int) -> Checkpoint:
    return Checkpoint(ORIGIN, size, root_of(LEAVES[:size]))


def request(old: int, new: int, *, signer: NoteSigner = LOG) -> AddCheckpoint:
    def hash_at(level: int, index: int) -> bytes:
        return root_of(LEAVES[index << level : (index + 1) << level])

    note = parse_note(sign_checkpoint(at(new), [signer]))
    return AddCheckpoint(old, consistency_proof(old, new, hash_at), note)


def test_a_request_comes_back() -> None:
    for one in (request(0, 5), request(5, 13)):
        assert parse_add_checkpoint(one.to_bytes()) == one
        assert origin_of(one) == ORIGIN


def test_a_checkpoint_that_continues_the_last_one_is_cosigned() -> None:
    assert judge_request(request(0, 5), LOGS, None) == at(5)
    for new in range(5, 14):
        assert judge_request(request(5, new), LOGS, at(5)) == at(new)


def test_signatures_of_unknown_keys_are_ignored() -> None:
    note = parse_note(sign_checkpoint(at(5), [OTHER, LOG]))
    assert judge_request(AddCheckpoint(0, (), note), LOGS, None) == at(5)


def test_r16_what_is_not_signed_by_the_log_is_not_cosigned() -> None:
    assert judge_request(request(0, 5, signer=OTHER), LOGS, None) is WitnessAnswer.NOT_SIGNED
    one = request(0, 5)
    spoilt = replace(one, note=replace(one.note, text=one.note.text.replace("\n5\n", "\n6\n")))
    assert judge_request(spoilt, LOGS, None) is WitnessAnswer.NOT_SIGNED
    assert judge_request(one, {}, None) is WitnessAnswer.UNKNOWN_LOG


def test_r16_another_history_is_not_cosigned() -> None:
    forked = replace(at(5), root=bytes(32))
    for new in (5, 6, 13):
        answer = judge_request(request(5, new), LOGS, forked)
        assert answer is WitnessAnswer.UNPROVEN
    proof = (bytes(32),)
    assert judge_request(replace(request(0, 5), proof=proof), LOGS, None) is WitnessAnswer.UNPROVEN
    assert judge_request(replace(request(5, 5), proof=proof), LOGS, at(5)) is WitnessAnswer.UNPROVEN


def test_r06_an_old_size_that_is_not_the_last_one_is_told() -> None:
    assert judge_request(request(4, 13), LOGS, at(5)) is WitnessAnswer.OTHER_SIZE
    assert judge_request(request(0, 13), LOGS, at(5)) is WitnessAnswer.OTHER_SIZE
    assert judge_request(request(5, 13), LOGS, None) is WitnessAnswer.OTHER_SIZE
    backwards = replace(request(4, 4), old_size=5, proof=())
    assert judge_request(backwards, LOGS, at(5)) is WitnessAnswer.MALFORMED


def test_an_empty_tree_has_the_root_of_nothing() -> None:
    expected = (
        (EMPTY_ROOT, Checkpoint(ORIGIN, 0, EMPTY_ROOT)),
        (bytes(32), WitnessAnswer.UNPROVEN),
    )
    for root, answer in expected:
        text = f"{ORIGIN}\n0\n{to_base64(root)}\n"
        assert judge_request(AddCheckpoint(0, (), sign_note(text, [LOG])), LOGS, None) == answer
    no_checkpoint = AddCheckpoint(0, (), sign_note(f"{ORIGIN}\nsize\nroot\n", [LOG]))
    assert judge_request(no_checkpoint, LOGS, None) is WitnessAnswer.MALFORMED


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"old 5",
        b"old 05\n\n" + request(0, 5).note.to_bytes(),
        b"old -1\n\n" + request(0, 5).note.to_bytes(),
        b"size 5\n\n" + request(0, 5).note.to_bytes(),
        b"old 5\n\xff\n\n" + request(0, 5).note.to_bytes(),
        b"old 5\nAAAA\n\n" + request(0, 5).note.to_bytes(),
        b"old 5\n!\n\n" + request(0, 5).note.to_bytes(),
        b"old 5\n" + (to_base64(bytes(32)).encode() + b"\n") * 64 + b"\n" + b"x",
        b"old 5\n\nno note",
        request(0, 5).to_bytes() + b"x" * MAX_REQUEST_BYTES,
    ],
)
def test_what_is_no_request_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedDocument):
        parse_add_checkpoint(data)
