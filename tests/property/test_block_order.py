# SPDX-License-Identifier: Apache-2.0
"""No order of reservations that the ledger admits breaks AB/BA."""

from collections.abc import Sequence

from hypothesis import event, given, settings
from hypothesis import strategies as st

from app.core.errors import Conflict
from app.core.study.slots import slot_state
from tests.claims import in_blocks
from tests.documents import CELL, DAY_US
from tests.factories import Story, opened
from tests.facts import warmup_failed

BLOCKS = 6
SLOTS = tuple(f"{arm}/{CELL}/{n}" for n in range(1, BLOCKS + 1) for arm in ("A", "B"))


def runs_that_count(story: Story) -> list[str]:
    """Return the slots that were taken, each where its last attempt at it was taken."""
    last = {
        name: slot.attempts[-1].reservation_index
        for name, slot in story.study().slots.items()
        if slot.attempts
    }
    inside = [slot for one in story.study().reservations.values() for slot in one.slots]
    return sorted(last, key=lambda name: (last[name], inside.index(name)))


def alternates(taken: Sequence[str]) -> bool:
    """Tell whether slots come as A1 B1 B2 A2 A3 B3 ..., from the first on and without a gap."""
    told = [(slot[0], int(slot.rpartition("/")[2])) for slot in taken]
    wanted = [
        (arm, block)
        for block in range(1, BLOCKS + 1)
        for arm in (("A", "B") if block % 2 else ("B", "A"))
    ]
    return told == wanted[: len(told)]


STEP = st.one_of(
    st.tuples(
        st.just("any"), st.lists(st.sampled_from(SLOTS), min_size=1, max_size=3, unique=True)
    ),
    st.tuples(st.just("next"), st.integers(1, 3)),
    st.tuples(st.just("again"), st.integers(0, 3)),
    st.tuples(st.just("fails"), st.just(None)),
    st.tuples(st.just("runs"), st.just(None)),
    st.tuples(st.just("waits"), st.just(None)),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(STEP, min_size=1, max_size=25))
def test_no_admitted_order_of_reservations_breaks_the_blocks(
    steps: Sequence[tuple[str, object]],
) -> None:
    story = opened(in_blocks(BLOCKS, arms=("A", "B")), closes_at_us=opened().now_us + 6 * DAY_US)
    for what, which in steps:
        try:
            _step(story, what, which)
        except Conflict as refused:
            event(refused.code)
        assert alternates(runs_that_count(story))


def _step(story: Story, what: str, which: object) -> None:
    study = story.study()
    free = [name for name, slot in study.slots.items() if not slot.attempts]
    waiting = [name for name, slot in study.slots.items() if _waits(slot.attempts)]
    failed = [name for name in study.slots if _state(story, name) == "WARMUP_FAILED"]
    match what, which:
        case "any", list() as slots:
            story.reserve(*slots)
        case "next", int() as count:
            if free:
                story.reserve(*free[:count])
        case "again", int() as place:
            if failed:
                story.reserve(failed[place % len(failed)], attempt=2)
        case "fails" | "runs", _:
            if waiting:
                story.push(waiting[-1], warmup_failed() if what == "fails" else None)
        case _:
            story.wait(DAY_US)


def _state(story: Story, name: str) -> str:
    study = story.study()
    return slot_state(study, study.slots[name], story.now_us).state


def _waits(attempts: Sequence[object]) -> bool:
    return bool(attempts) and not getattr(attempts[-1], "receipts", ())
