# SPDX-License-Identifier: Apache-2.0
"""``fairtrial doctor``: is this machine, and the service it speaks to, fit; and if not, what to do.

Each line is ok, warn or fail, and a line that is not ok says what to do about it. Nothing is
changed, neither here nor there.
"""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.examined import Examined
from app.cli.exit_code import ExitCode
from app.cli.options import DEFAULT_URL, AsJson, DataDir, KeyFile, RepositoryOption, Url
from app.cli.output import emit


def doctor(
    *,
    offline: Annotated[
        bool, typer.Option("--offline", help="Look at this machine alone; ask no service.")
    ] = False,
    data_dir: DataDir = None,
    repository: RepositoryOption = None,
    key: KeyFile = None,
    url: Url = DEFAULT_URL,
    as_json: AsJson = False,
) -> None:
    """Check configuration, keys, database, disk, and the service: its clock, version and grants.

    Ends with 0, or with 3 where a check failed.
    """
    # The database's libraries are slow to load, and only the operator's commands need them.
    from app.cli.doctor_here import examine_machine
    from app.cli.doctor_there import Asking, examine_service

    found = examine_machine(data_dir, key)
    if not offline:
        found += examine_service(Asking(url, key, repository))
    failed = [one for one in found if one.level == "fail"]
    result = {"ok": not failed, "checks": [one.document for one in found]}
    emit(result, [line for one in found for line in _lines(one)], as_json=as_json)
    if failed:
        raise typer.Exit(ExitCode.CONFIGURATION)


def _lines(one: Examined) -> list[str]:
    todo = [] if one.todo is None else [f"      {one.todo}"]
    return [f"{one.level:<4}  {one.name}: {one.told}", *todo]
