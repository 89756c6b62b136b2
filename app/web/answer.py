# SPDX-License-Identifier: Apache-2.0
"""The shape of a REST answer: every member is always there, and null says that nothing is known.

No member has a default: whoever builds an answer says each of them. Signed bytes (statements,
documents, captures, verdicts) are not described here, because they are never written again; routes
send them as they are stored.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Answer(BaseModel):
    """A closed, immutable JSON object."""

    model_config = ConfigDict(frozen=True, extra="forbid")
