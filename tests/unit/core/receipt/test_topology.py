# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a statement is any value of it
"""Did one whole group of ranks serve the slot, all running the same?"""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.topology import topology_reasons
from app.core.statement.receipt import Rank, ReceiptTopology
from app.core.statement.study import ModelPin, StudyPredicate
from tests.documents import commit, digest
from tests.facts import IMAGE, MODELS, rank, topology
from tests.unit.core.receipt.make import REPLAYED, STUDY, study

PIN = STUDY.arms["B"]
DRAFT = ModelPin(repository="example/draft", revision=commit("draft"))
OTHER_IMAGE = replace(IMAGE, digest=f"sha256:{'0' * 64}")


def reasons(said: ReceiptTopology, pins: StudyPredicate = STUDY) -> tuple[Reason, ...]:
    return topology_reasons(said, study=pins, arm="B")


def ranks(*changes: dict[str, Any]) -> list[Rank]:
    return [rank(number, PIN, **change) for number, change in enumerate(changes)]


def both(**changes: Any) -> ReceiptTopology:
    """Return two ranks that agree in being otherwise."""
    return topology(PIN, ranks=ranks(changes, changes))


def second(**changes: Any) -> ReceiptTopology:
    """Return two ranks of which the second is otherwise."""
    return topology(PIN, ranks=ranks({}, changes))


def test_group_as_pinned_gives_no_reason() -> None:
    assert reasons(topology(PIN)) == ()
    reversed_ranks = topology(PIN, ranks=list(reversed(ranks({}, {}))))
    assert reasons(reversed_ranks) == ()


def test_l11_one_rank_of_two_is_a_rank_count_mismatch() -> None:
    assert reasons(topology(PIN, ranks=ranks({}))) == (Reason.RANK_COUNT_MISMATCH,)
    assert Reason.RANK_COUNT_MISMATCH in reasons(topology(PIN, ranks=[]))


def test_l11_one_gpu_twice_is_a_duplicate_gpu() -> None:
    assert reasons(second(gpu_uuid_digest=digest("gpu 0"))) == (Reason.DUPLICATE_GPU,)


def test_gpus_that_nobody_read_are_not_equal() -> None:
    assert reasons(both(gpu_uuid_digest=None)) == ()


def test_l11_one_rank_twice_is_a_duplicate_rank() -> None:
    assert reasons(second(rank=0)) == (Reason.DUPLICATE_RANK,)


def test_l11_other_tensor_parallel_than_pinned_is_its_own_reason() -> None:
    one = topology(PIN, tensor_parallel=1, ranks=ranks({}))
    assert reasons(one) == (Reason.TENSOR_PARALLEL_MISMATCH,)
    drafted = topology(PIN, draft_tensor_parallel=2)
    assert reasons(drafted) == (Reason.TENSOR_PARALLEL_MISMATCH,)


@pytest.mark.parametrize(
    "said",
    [
        topology(PIN, nodes=1),
        second(host="spark-1"),
        second(host="spark-3"),
        second(rank=2),
    ],
)
def test_ranks_laid_out_otherwise_are_a_topology_mismatch(said: ReceiptTopology) -> None:
    assert reasons(said) == (Reason.TOPOLOGY_MISMATCH,)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"commit": commit("head before")}, Reason.ARM_COMMIT_MISMATCH),
        ({"image": OTHER_IMAGE}, Reason.IMAGE_MISMATCH),
        ({"target_revision": commit("other")}, Reason.MODEL_MISMATCH),
        ({"draft_revision": commit("other")}, Reason.MODEL_MISMATCH),
        ({"settings_digest": digest("other")}, Reason.SETTINGS_MISMATCH),
        ({"gpu_model": "NVIDIA GB20"}, Reason.TOPOLOGY_MISMATCH),
        ({"driver": "581.00"}, Reason.TOPOLOGY_MISMATCH),
        ({"driver": None}, Reason.TOPOLOGY_MISMATCH),
    ],
)
def test_l10_ranks_that_differ_are_a_rank_mismatch_that_names_the_member(
    changes: dict[str, Any], named: Reason
) -> None:
    assert reasons(second(**changes)) == (Reason.RANK_MISMATCH, named)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"commit": commit("other")}, Reason.ARM_COMMIT_MISMATCH),
        ({"commit": None}, Reason.ARM_COMMIT_MISMATCH),
        ({"image": OTHER_IMAGE}, Reason.IMAGE_MISMATCH),
        ({"target_revision": None}, Reason.MODEL_MISMATCH),
        ({"settings_digest": None}, Reason.SETTINGS_MISMATCH),
        ({"gpu_model": "NVIDIA GB20"}, Reason.TOPOLOGY_MISMATCH),
    ],
)
def test_ranks_that_agree_on_something_else_than_the_pins_name_it(
    changes: dict[str, Any], reason: Reason
) -> None:
    assert reasons(both(**changes)) == (reason,)


def test_driver_is_pinned_nowhere_and_may_be_any_that_all_share() -> None:
    assert reasons(both(driver="581.00")) == ()
    assert reasons(both(driver=None)) == ()


def test_draft_revision_is_held_against_the_draft_that_was_pinned() -> None:
    pins = study(models=replace(MODELS, draft=DRAFT))
    assert reasons(both(draft_revision=DRAFT.revision), pins) == ()
    assert reasons(both(draft_revision=None), pins) == (Reason.MODEL_MISMATCH,)


def test_in_a_replay_what_no_rank_published_is_not_unequal() -> None:
    pins = replace(STUDY, replay=REPLAYED)
    nulls = {"commit": None, "image": None, "target_revision": None, "settings_digest": None}
    assert reasons(second(**nulls, driver=None), pins) == ()
    assert reasons(topology(PIN, draft_tensor_parallel=2), pins) == ()
    assert Reason.RANK_MISMATCH in reasons(second(commit=commit("other")), pins)
