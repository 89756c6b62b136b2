# SPDX-License-Identifier: Apache-2.0
"""What shares a boot counts once, and every boot that counts serves as many slots."""

from typing import Any

import pytest

from app.core.identity import Scope
from app.core.protocol.attainable import out_of_reach
from app.core.protocol.lint import lint
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared, share
from tests.gates import bound
from tests.lints import LAST, with_
from tests.patches import patched
from tests.refused_makers import waved

BOOTS: Any = {"population__unit": "boot"}


def codes(of: ProtocolDocument) -> set[str]:
    return {each.code for each in lint(of) if each.severity == "error"}


@pytest.mark.parametrize(("waves", "refused"), [(1, False), (2, True)])
def test_slots_of_one_boot_are_no_replicates_of_a_quantile(waves: int, *, refused: bool) -> None:
    of = waved(waves, share(p="0.5"), repetitions=30)
    found = [each for each in lint(of) if each.code == "E_PSEUDOREPLICATION"]
    assert bool(found) is refused
    for each in found:
        assert each.pointer == f"{LAST}/population/unit"
        assert each.formula == "15 boots < 30 slots"
        assert patched(of, each.change).gates[-1].population.unit == "boot"


def test_sample_claims_may_count_slots_of_one_boot() -> None:
    assert "E_PSEUDOREPLICATION" not in codes(waved(3, bound(), repetitions=12))


@pytest.mark.parametrize(
    ("repetitions", "planned"), [(15, None), (16, 18), (17, 18), (18, None), (1, 3)]
)
def test_last_boot_that_serves_fewer_slots_is_refused(
    repetitions: int, planned: int | None
) -> None:
    found = [
        each
        for each in lint(waved(3, compared(), bound(), repetitions=repetitions))
        if each.code == "E_WAVES"
    ]
    assert [each.change[0].value for each in found] == ([] if planned is None else [planned])
    assert {each.pointer for each in found} <= {"/cells/0/repetitions"}


def test_waves_need_not_fit_where_only_slots_are_counted() -> None:
    assert "E_WAVES" not in codes(waved(3, bound(), repetitions=16))


@pytest.mark.parametrize(("required", "refused"), [(5, False), (6, True)])
def test_required_number_is_of_boots_where_boots_are_counted(
    required: int, *, refused: bool
) -> None:
    of = waved(3, with_(compared(), required_n=required), bound(), repetitions=15)
    assert ("E_N_UNATTAINABLE" in codes(of)) is refused


@pytest.mark.parametrize(("repetitions", "lost"), [(15, [(5, 7)]), (18, [(6, 7)]), (21, [])])
def test_what_a_later_attempt_can_still_reach_is_counted_in_boots(
    repetitions: int, lost: list[tuple[int, int]]
) -> None:
    of = waved(3, compared(), bound(), repetitions=repetitions)
    third = out_of_reach(of, {Scope.LIVE_CORRECTNESS: 2})
    assert [(each.planned, each.wanted) for each in third] == lost


def test_share_of_boots_is_out_of_reach_by_its_boots() -> None:
    of = waved(3, with_(share(p="0.5"), **BOOTS), repetitions=15)
    assert [each.planned for each in out_of_reach(of, {Scope.LIVE_CORRECTNESS: 2})] == [5]
    assert not out_of_reach(of, {})
