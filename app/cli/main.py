# SPDX-License-Identifier: Apache-2.0
"""The console script: every command by its name, and every failure as an exit code.

With ``--json`` a failure is a problem document on stdout, also where the arguments could not be
read. What nobody foresaw ends with code 1 and the type of what happened, never with its message,
which may hold what somebody sent.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from functools import cache
from types import TracebackType

import typer
from typer.exceptions import TyperException

from app.cli.commands import ROWS
from app.cli.exit_code import ExitCode, of_error, of_refusal
from app.cli.misconfigured import Misconfigured
from app.cli.on_demand import group_of
from app.cli.output import document_of, fail, problem_document, say, wants_json
from app.core.errors import FairtrialError
from app.runner.failures import Document, Refused, Unreachable, UnusableKeyFile

NAME = "fairtrial"

commands = typer.Typer(
    name=NAME,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    cls=group_of(ROWS),
)


@commands.callback(
    epilog="Example: fairtrial protocol lock --help, where every command shows one. "
    "stdout is the result, stderr the progress. Exit codes: see README.",
)
def fairtrial() -> None:
    """Qualification protocols and an evidence ledger for exact commits."""


# Every signature is read for it: once, where a process runs several command lines.
_command = cache(typer.main.get_command)


def run() -> None:
    """Run the command line of this process."""
    sys.excepthook = _unforeseen
    sys.exit(answer(sys.argv[1:]))


def answer(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    try:
        returned = _command(commands).main(
            args=list(arguments), prog_name=NAME, standalone_mode=False
        )
    except Refused as refused:
        return _failed(refused.problem, of_refusal(refused), arguments)
    except FairtrialError as error:
        return _failed(document_of(error), of_error(error), arguments)
    except (Misconfigured, UnusableKeyFile) as error:
        problem = problem_document(400, "configuration", "Configuration", str(error))
        return _failed(problem, ExitCode.CONFIGURATION, arguments)
    except Unreachable as error:
        problem = problem_document(503, "unreachable", "No answer", str(error))
        return _failed(problem, ExitCode.NETWORK, arguments)
    except TyperException as error:
        problem = problem_document(400, "usage", "Usage", error.format_message())
        say(f"{NAME} --help lists the commands, {NAME} COMMAND --help an example of each.")
        return _failed(problem, ExitCode.USAGE, arguments)
    except OSError as error:
        # A file that was named on the command line; its name is the caller's own.
        detail = f"{error.strerror or type(error).__name__}: {error.filename or 'a file'}"
        problem = problem_document(400, "file", "A file cannot be used", detail)
        return _failed(problem, ExitCode.CONFIGURATION, arguments)
    except typer.Abort:
        return ExitCode.INTERRUPTED
    return returned if isinstance(returned, int) else ExitCode.OK


def _failed(problem: Document, code: ExitCode, arguments: Sequence[str]) -> ExitCode:
    fail(problem, as_json=wants_json(arguments))
    return code


def _unforeseen(
    kind: type[BaseException], _error: BaseException, trace: TracebackType | None
) -> None:
    """Tell the type and the place of what nobody foresaw; the interpreter then ends with 1."""
    for line in traceback.format_tb(trace):
        say(line.rstrip())
    detail = f"Something unexpected happened: {kind.__qualname__}."
    problem = problem_document(500, "internal-error", "Unexpected", detail)
    fail(problem, as_json=wants_json(sys.argv[1:]))
