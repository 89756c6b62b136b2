# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, each with its environment variable."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

DEFAULT_URL: Final = "http://127.0.0.1:8000"

AsJson = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout, also on failure.")
]
Url = Annotated[
    str, typer.Option("--url", envvar="FAIRTRIAL_URL", help="The service's address.", metavar="URL")
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        "--key",
        envvar="FAIRTRIAL_KEY",
        help="Private key file (PEM or OpenSSH, mode 0600) that signs.",
        metavar="FILE",
    ),
]
RepositoryOption = Annotated[
    str | None,
    typer.Option(
        "--repository",
        envvar="FAIRTRIAL_REPOSITORY",
        help="host/owner/name, in lower case.",
        metavar="NAME",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        envvar="FAIRTRIAL_DATA_DIR",
        help="Where the ledger, its keys and its blobs are kept.",
        metavar="FOLDER",
    ),
]
InputFile = Annotated[str, typer.Argument(help="A file; - reads stdin.", metavar="FILE")]
