# SPDX-License-Identifier: Apache-2.0
"""``fairtrial slot``: take slots before running them."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.options import DEFAULT_URL, AsJson, KeyFile, Url
from app.cli.session import appended, connect, envelope_of
from app.cli.stored import rows_of
from app.core.errors import UnknownThing
from app.runner.failures import Document

commands = typer.Typer(no_args_is_help=True, help="Reserve the slots of a study.")


@commands.command(
    epilog="Example: fairtrial slot reserve STUDY A/C2-canary/1 A/C2-canary/2 --host spark-1 "
    "--key keys/runner.pem",
)
def reserve(
    study: Annotated[str, typer.Argument(help="Statement digest of the study.", metavar="STUDY")],
    slots: Annotated[
        list[str] | None,
        typer.Argument(help="Slots in the order they will run.", metavar="[SLOT...]"),
    ] = None,
    *,
    host: Annotated[str, typer.Option(help="Pseudonym of the machine that drives them.")],
    arm: Annotated[
        str | None, typer.Option(help="Every slot of this arm, in planned order.", metavar="ARM")
    ] = None,
    count: Annotated[
        int, typer.Option(help="Without SLOT or --arm: how many of the next ones.", min=1)
    ] = 1,
    attempt: Annotated[int, typer.Option(help="2 for a retry that the lock allows.")] = 1,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Take slots, by default the next in running order, and print the first one's challenge."""
    with connect(url) as client:
        taken = list(slots or ())
        if not taken or arm is not None:
            planned = rows_of(client.read_document(f"/v1/studies/{study}/slots"), "slots")
            taken += _of_arm(planned, arm) if arm is not None else _next(planned, count)
        members: Document = {"study": study, "slots": [*taken], "attempt": attempt, "host": host}
        envelope = envelope_of("reservation", members, client=client, key=key)
        answer = client.append("reservation", envelope)
    appended(answer, as_json=as_json)


def _of_arm(planned: list[Document], arm: str) -> list[str]:
    found = [str(slot["slot"]) for slot in planned if slot["arm"] == arm]
    if not found:
        raise UnknownThing("The study plans no slot of that arm.", code="no-slots")
    return found


def _next(planned: list[Document], count: int) -> list[str]:
    """Return the first slots that nobody has taken; the service gives them in running order."""
    free = [str(slot["slot"]) for slot in planned if slot["state"] == "OPEN"]
    if not free:
        raise UnknownThing("Every slot of the study is taken.", code="no-slots")
    return free[:count]
