# SPDX-License-Identifier: Apache-2.0
"""Commands that are imported when they are run, and listed without.

What one command needs (an HTTP client, a database, the whole scorer) costs the start of every other
one nothing. So a listing says of each command what its row says; a test holds that to the command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typing_extensions import override


@dataclass(frozen=True, slots=True)
class Row:
    """A command, or a group of them, by its place.

    Attributes:
        words: what is typed, "key retire" for one of a group.
        place: "module:name" below ``app.cli``, of a function or of a ``Typer``.
        says: the line that stands in the listing of all commands.
        example: how it is used; a group has none of its own.
    """

    words: str
    place: str
    says: str = ""
    example: str | None = None

    @property
    def name(self) -> str:
        """The last of its words."""
        return self.words.rpartition(" ")[2]

    def load(self) -> Any:  # noqa: ANN401 - the framework's own class of commands is private
        """Import the command."""
        module, _, attribute = self.place.partition(":")
        found = getattr(import_module(f"app.cli.{module}"), attribute)
        holder = typer.Typer(
            add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None
        )
        if self.example is not None:
            holder.command(self.name, epilog=f"Example: {self.example}")(found)
            return typer.main.get_command(holder)
        holder.add_typer(found, name=self.name)
        return typer.main.get_group(holder).commands[self.name]


class OnDemand(MutableMapping[str, Any]):
    """Commands by name, each imported when it is first asked for."""

    def __init__(self, rows: Iterable[Row], own: MutableMapping[str, Any], *, below: str) -> None:
        """Hold ``own`` commands and those of ``rows`` whose words go on from ``below``."""
        self._all = tuple(rows)
        here = [one for one in self._all if one.words == f"{below} {one.name}".strip()]
        self._rows = {one.name: one for one in here}
        self._found: dict[str, Any] = dict(own)
        self._names = dict.fromkeys((*own, *self._rows))

    @override
    def __getitem__(self, name: str) -> Any:
        if name not in self._found:
            row = self._rows[name]
            command = row.load()
            if isinstance(command, TyperGroup):
                command.commands = OnDemand(self._all, command.commands, below=row.words)
            self._found[name] = command
        return self._found[name]

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._names

    @override
    def __setitem__(self, name: str, command: Any) -> None:
        self._found[name] = command
        self._names[name] = None

    @override
    def __delitem__(self, name: str) -> None:
        del self._names[name]
        self._found.pop(name, None)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    @override
    def __len__(self) -> int:
        return len(self._names)


def group_of(rows: tuple[Row, ...]) -> type[TyperGroup]:
    """Return the class of a group whose commands are those of ``rows``."""

    class Commands(TyperGroup):
        def __init__(self, **given: Any) -> None:  # noqa: ANN401 - the framework's arguments
            super().__init__(**given)
            self.commands = OnDemand(rows, {}, below="")

        @override
        def list_commands(self, ctx: Any) -> list[str]:
            return list(self.commands)

        @override
        def format_commands(self, ctx: Any, formatter: Any) -> None:
            listed = [(one.words, one.says) for one in rows if one.words in self.commands]
            with formatter.section("Commands"):
                formatter.write_dl(listed)

    return Commands
