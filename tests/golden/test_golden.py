# SPDX-License-Identifier: Apache-2.0
"""Every golden bundle comes to the exit code it was kept for, with this version as with the first.

A case whose name ends in ``_fail`` must not verify, and no other may fail.
"""

import gzip
import json
from pathlib import Path

import pytest

from tests.functional.processes import Here, problem, read
from tests.golden.make_golden import FOLDER, SUMS, cases, sums_of

KEPT = sorted(path.parent for path in FOLDER.glob("*/case.json"))


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_a_golden_bundle_comes_to_what_it_was_kept_for(folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text())
    arguments = [one.replace("@", f"{folder}/") for one in case["arguments"]]
    before = {path: path.read_bytes() for path in folder.iterdir()}
    data = gzip.decompress((folder / "bundle.jsonl.gz").read_bytes())
    ended = Here()("verify", "-", *arguments, "--json", stdin=data)
    assert (ended.code == 0) != folder.name.endswith("_fail")
    assert ended.code == case["exit_code"], ended.err
    if case["reason"] == "pin":
        assert problem(ended) == "pin"
    else:
        answer = read(ended.out)
        assert answer["verified"] is (ended.code == 0)
        assert (answer["reason"], answer["exit_code"]) == (case["reason"], ended.code)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_no_golden_bundle_was_lost_or_changed() -> None:
    """What an earlier version wrote is never written again: a case that no longer fits is news."""
    noted = SUMS.read_text()
    assert noted == "".join(sums_of(FOLDER / name) for name in _names(noted))
    assert {folder.name for folder in KEPT} == set(_names(noted))
    assert {folder.name for folder in KEPT} == {name for name, _ in cases()}


def _names(noted: str) -> list[str]:
    """Return the cases that the digests are of, in the order in which they were first written."""
    return list(dict.fromkeys(line.split("  ")[1].split("/")[0] for line in noted.splitlines()))
