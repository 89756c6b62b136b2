# SPDX-License-Identifier: Apache-2.0
"""Cosignatures are kept beside the ledger: one process asks, and a lost file is asked for again."""

from pathlib import Path

import pytest

from app.storage.cosignatures import FILE, CosignatureFile


def test_what_one_process_keeps_another_reads(tmp_path: Path) -> None:
    first, second = CosignatureFile(tmp_path), CosignatureFile(tmp_path)
    assert second.kept() == {}
    first.keep("w0", b"note 0\n")
    first.keep("w1", b"note 1\n")
    assert second.kept() == {"w0": b"note 0\n", "w1": b"note 1\n"}
    first.keep("w0", b"newer\n")
    assert second.kept()["w0"] == b"newer\n"
    (tmp_path / FILE).unlink()
    assert second.kept() == {}
    assert [path.name for path in tmp_path.iterdir()] == []


def test_one_process_asks_until_it_ends(tmp_path: Path) -> None:
    first, second = CosignatureFile(tmp_path), CosignatureFile(tmp_path)
    assert first.is_mine()
    assert first.is_mine()
    assert not second.is_mine()
    first.close()
    first.close()
    assert second.is_mine()
    second.close()


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff"])
def test_r07_a_file_that_cannot_be_read_holds_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / FILE).write_bytes(data)
    assert CosignatureFile(tmp_path).kept() == {}
