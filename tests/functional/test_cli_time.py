# SPDX-License-Identifier: Apache-2.0
"""L09: nobody tells the ledger when something happened; its own append time decides order."""

from collections.abc import Iterator

import typer
from typer.core import TyperCommand, TyperGroup

from app.cli.main import commands

_WORDS = frozenset(
    ("backdate", "date", "dated", "time", "timestamp", "instant", "now", "when", "since", "started")
)
"""What an option would be called that says when something was."""


def test_l09_no_command_can_backdate_or_takes_an_instant_for_order() -> None:
    flags = dict(_flags())
    assert {"hold place --until", "log show --json", "study open --key"} <= set(flags)
    assert {name for name in flags if _WORDS & set(name.rpartition("--")[2].split("-"))} == set()
    of_instants = {"INSTANT", "TIME", "DATE", "DATETIME"}
    taken = {name for name, metavar in flags.items() if metavar in of_instants}
    # When a decision ends, which a reader is told; it orders nothing.
    assert taken == {"decide --expires"}


def test_l09_until_of_a_hold_is_text_and_no_instant() -> None:
    assert dict(_flags())["hold place --until"] == "TEXT"


def _flags() -> Iterator[tuple[str, str | None]]:
    """Yield every option of every command with its metavar."""
    for name, command in _leaves():
        for of in command.params:
            yield from ((f"{name} {flag}", of.metavar) for flag in of.opts)


def _leaves() -> Iterator[tuple[str, TyperCommand]]:
    whole = typer.main.get_command(commands)
    assert isinstance(whole, TyperGroup)
    waiting: list[tuple[str, TyperGroup]] = [("", whole)]
    while waiting:
        path, group = waiting.pop()
        for name, command in group.commands.items():
            if isinstance(command, TyperGroup):
                waiting.append((f"{path}{name} ", command))
            elif isinstance(command, TyperCommand):
                yield f"{path}{name}", command
