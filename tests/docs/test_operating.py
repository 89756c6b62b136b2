# SPDX-License-Identifier: Apache-2.0
"""The operator's page names each capacity setting with its default, and the exit codes."""

import re
from pathlib import Path
from typing import cast

from app.cli.exit_code import ExitCode
from app.config import PREFIX, Settings
from app.service.ledger import Ledger
from app.web.metrics import Snapshot
from tests.api.fake_ledger import FakeLedger

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operating.md").read_text()
METRIC = r"^\| `(fairtrial_\w+)` \| (\w+) \|"
CAPACITY = ("max_waiting", "max_batch", "scrub_pause_s")


def test_capacity_settings_stand_there_with_their_defaults() -> None:
    said = dict(re.findall(rf"^\| `({PREFIX}\w+)` \| (\d+) \|", PAGE, re.MULTILINE))
    for name in CAPACITY:
        default = Settings.model_fields[name].default
        assert said[f"{PREFIX}{name.upper()}"] == f"{default:g}"


def test_exit_codes_named_there_are_those_of_the_program() -> None:
    assert (ExitCode.DAMAGE, ExitCode.ROLLBACK) == (45, 46)
    assert "45" in PAGE
    assert "46" in PAGE


def test_every_metric_stands_there_with_its_type() -> None:
    told = dict(re.findall(METRIC, PAGE, re.MULTILINE))
    ledger = cast("Ledger", FakeLedger())
    assert told == {one.name: one.type for one in Snapshot(ledger, 1).collect()}
