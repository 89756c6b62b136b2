# SPDX-License-Identifier: Apache-2.0
"""What a refusal looks like, and that nothing has happened."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from app.core.errors import FairtrialError
from tests.factories import Story


@contextmanager
def refused(
    story: Story, error: type[FairtrialError], code: str
) -> Iterator[pytest.ExceptionInfo[FairtrialError]]:
    """Expect a refusal of exactly this class and code, and the story left as it was."""
    size, standing = story.size, story.standing()
    with pytest.raises(error) as caught:
        yield caught
    assert (type(caught.value), caught.value.code) == (error, code)
    assert (story.size, story.standing()) == (size, standing)
