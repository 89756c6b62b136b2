# SPDX-License-Identifier: Apache-2.0
"""How a process that serves lets others of its threads run, and how often it looks for cycles."""

import gc
import signal
import sys
from collections.abc import Iterator

import pytest

from app.cli.serving import listen
from tests.api.fake_ledger import FakeLedger, app_around
from tests.ports import quiet_port


@pytest.fixture(autouse=True)
def own_pace() -> Iterator[None]:
    """Give this process back the pace that it had."""
    thresholds, switch_s = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(switch_s)


def test_what_serves_looks_for_cycles_seldom_and_lets_other_threads_run_soon() -> None:
    seen: list[float] = []

    def interrupted() -> None:
        assert gc.get_freeze_count() > 0
        seen.extend((gc.get_threshold()[0], sys.getswitchinterval()))
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        listen(app_around(FakeLedger()), host="127.0.0.1", port=quiet_port(), listening=interrupted)
    assert seen == pytest.approx([50_000, 0.0005])
