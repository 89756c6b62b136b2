# SPDX-License-Identifier: Apache-2.0
"""What a ledger must offer to the machine of ``slots_machine``, and the one in memory."""

from typing import Final, Protocol

from app.core.admission.state import Standing
from tests import documents
from tests.documents import DAY_US
from tests.drafts import Draft
from tests.factories import Story, begun
from tests.makers import Maker
from tests.property.slots_model import AHEAD_MAX

DOCUMENT: Final = documents.document(
    repetitions=2, reservation={"ahead_max": AHEAD_MAX, "allowance_us": DAY_US}
)


class Driver(Protocol):
    """A ledger with a genesis, one maintainer, one runner, ``DOCUMENT`` locked and a policy."""

    make: Maker
    """Makes statements for this ledger."""

    @property
    def now_us(self) -> int:
        """The clock that the next entry's ``at`` is read from."""
        ...

    def wait(self, micros: int) -> None:
        """Move the clock."""
        ...

    def submit(self, draft: Draft) -> str:
        """Append one statement, and at the same instant what it makes due; return its effect.

        The same statement again changes nothing.

        Raises:
            FairtrialError: why it was refused.
        """
        ...

    def settle(self) -> None:
        """Append what the clock alone has made due."""
        ...

    def standing(self) -> Standing:
        """Return what stands behind the maker's head."""
        ...

    def stop(self) -> None:
        """Let go of everything."""
        ...


class MemoryDriver:
    """The ledger of ``tests.factories``."""

    def __init__(self) -> None:
        """Begin one."""
        self.story: Story = begun(DOCUMENT)
        self.make = self.story.make

    @property
    def now_us(self) -> int:
        """The story's clock."""
        return self.story.now_us

    def wait(self, micros: int) -> None:
        """Move it."""
        self.story.wait(micros)

    def submit(self, draft: Draft) -> str:
        """Append, unless the statement stands there already."""
        again = next((s for s in self.story.steps if s.digest == draft.digest), None)
        step = again or self.story.append(draft, after_us=0)
        self.settle()
        return step.effect

    def settle(self) -> None:
        """Append closures."""
        self.story.close_due(after_us=0)

    def standing(self) -> Standing:
        """Return the story's own."""
        return self.story.standing()

    def stop(self) -> None:
        """Nothing is held."""
