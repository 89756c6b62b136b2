# SPDX-License-Identifier: Apache-2.0
"""``fairtrial deviate``: say what did not go as locked, and end a study that cannot go on."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.session import appended, connect, envelope_of
from app.runner.failures import Document


class Phase(StrEnum):
    """When it happened."""

    BEFORE = "before"
    WARMUP = "warmup"
    MEASURED = "measured"
    AFTER = "after"


def deviate(
    study: Annotated[str, typer.Argument(help="Statement digest of the study.", metavar="STUDY")],
    *,
    what: Annotated[str, typer.Option(help="What happened, in one line.", metavar="TEXT")],
    phase: Annotated[Phase, typer.Option(help="When it happened.")] = Phase.MEASURED,
    slot: Annotated[
        list[str] | None,
        typer.Option(help="A slot concerned; may be repeated. None: the study.", metavar="SLOT"),
    ] = None,
    restored: Annotated[
        bool | None, typer.Option(help="Whether the deployment was put back afterwards.")
    ] = None,
    end: Annotated[
        bool, typer.Option("--end", help="End the study: open slots become missing at once.")
    ] = False,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Put a deviation on the head's line, beside the computed states and never instead of them."""
    members: Document = {
        "study": study,
        "slots": [*(slot or ())],
        "what": what,
        "phase": phase.value,
        "restored": restored,
        "ends_study": end,
    }
    with connect(url) as client:
        envelope = envelope_of("deviation", members, client=client, key=key)
        answer = client.append("deviation", envelope)
    appended(answer, as_json=as_json)
