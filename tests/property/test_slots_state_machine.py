# SPDX-License-Identifier: Apache-2.0
"""No sequence of statements and waiting breaks a rule of DESIGN.md 4: the machine, in memory."""

from hypothesis import settings
from typing_extensions import override

from app.core.admission.apply import apply
from app.core.admission.state import empty_standing
from app.core.statement.entry import read_entry
from tests.factories import HEAD, REPOSITORY
from tests.property.slots_driver import MemoryDriver
from tests.property.slots_machine import SlotsMachine


class SlotsInMemory(SlotsMachine):
    """The machine on the ledger of ``tests.factories``."""

    @override
    def teardown(self) -> None:
        """Whoever reads the same bytes comes to the same state."""
        ledger = getattr(self, "ledger", None)
        if isinstance(ledger, MemoryDriver):
            standing = empty_standing(REPOSITORY, HEAD)
            for step in ledger.story.steps:
                leaf, payload = step.entry.leaf.to_bytes(), step.draft.parsed.payload
                entry = read_entry(step.entry.index, leaf, payload)
                standing = apply(standing, entry, step.draft.capture)
            assert standing == ledger.standing()
        super().teardown()


TestSlotsInMemory = SlotsInMemory.TestCase
TestSlotsInMemory.settings = settings(
    max_examples=max(20, settings().max_examples // 2), stateful_step_count=40
)
