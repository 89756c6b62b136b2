# SPDX-License-Identifier: Apache-2.0
"""``fairtrial completion`` and ``fairtrial version``."""

from __future__ import annotations

import platform
import subprocess
import sys
from enum import StrEnum
from importlib.metadata import version as installed_version
from typing import Annotated

import typer

from app.cli.options import AsJson
from app.cli.output import emit, put


class Shell(StrEnum):
    """A shell that completes."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


def completion(
    shell: Annotated[Shell, typer.Argument(help="Whose script to print.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Print the script that makes a shell complete this command's words."""
    # The framework's own way in: the same program, asked by an environment variable.
    script = subprocess.run(
        [sys.executable, "-c", "from app.cli.main import run; run()"],
        env={"_FAIRTRIAL_COMPLETE": f"source_{shell.value}"},
        capture_output=True,
        check=True,
    ).stdout
    if as_json:
        emit({"shell": shell.value, "script": script.decode()}, (), as_json=True)
    else:
        put(script)


def version(*, as_json: AsJson = False) -> None:
    """Print the version of this program."""
    number = installed_version("fairtrial")
    python = platform.python_version()
    emit({"version": number, "python": python}, [number], as_json=as_json)
