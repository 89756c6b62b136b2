# SPDX-License-Identifier: Apache-2.0
"""``fairtrial slot``: take slots before running them."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.session import appended, connect, envelope_of
from app.cli.stored import rows_of
from app.core.errors import UnknownThing
from app.runner.client import Document

commands = typer.Typer(no_args_is_help=True, help="Reserve the slots of a study.")


@commands.command(
    epilog="Example: fairtrial slot reserve STUDY A/C2-canary/1 A/C2-canary/2 --host spark-1 "
    "--key keys/runner.pem",
)
def reserve(
    study: Annotated[str, typer.Argument(help="Statement digest of the study.", metavar="STUDY")],
    slots: Annotated[
        list[str] | None,
        typer.Argument(help="Slots in the order they will run.", metavar="SLOT..."),
    ] = None,
    *,
    host: Annotated[str, typer.Option(help="Pseudonym of the machine that drives them.")],
    arm: Annotated[
        str | None, typer.Option(help="Every slot of this arm, in planned order.", metavar="ARM")
    ] = None,
    attempt: Annotated[int, typer.Option(help="2 for a retry that the lock allows.")] = 1,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take slots; the answer holds the challenge that the first of them is bound to."""
    if not slots and arm is None:
        message = "Name the slots, such as A/C2-canary/1, or a whole --arm."
        raise typer.BadParameter(message)
    with connect(url) as client:
        taken = list(slots or ())
        if arm is not None:
            planned = rows_of(client.read_document(f"/v1/studies/{study}/slots"), "slots")
            taken += [str(slot["slot"]) for slot in planned if slot["arm"] == arm]
        if not taken:
            raise UnknownThing("The study plans no slot of that arm.", code="no-slots")
        members: Document = {"study": study, "slots": [*taken], "attempt": attempt, "host": host}
        envelope = envelope_of("reservation", members, client=client, key=key)
        answer = client.append("reservation", envelope)
    appended(answer, as_json=as_json)
