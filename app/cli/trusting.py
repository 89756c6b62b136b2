# SPDX-License-Identifier: Apache-2.0
"""Files that a reader brings to a verification: a trust file, and a pin that is kept by it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Final

import typer

from app.cli.misconfigured import Misconfigured
from app.core.errors import MalformedDocument
from app.core.log.pin import Pin, parse_pin
from app.core.verdict.trust import TrustedLedger, parse_trust
from app.runner.kept_files import replace_file

CHECKOUT_FILE: Final = "fairtrial.toml"
"""What a repository that is judged holds, for those who have a checkout of it."""
_MAX_BYTES: Final = 1 << 20

TrustOption = Annotated[
    Path | None,
    typer.Option("--trust", help="TOML: origin, genesis, keys, witnesses.", metavar="FILE"),
]
CheckoutOption = Annotated[
    Path | None,
    typer.Option("--checkout", help="Trust what its fairtrial.toml says.", metavar="FOLDER"),
]


def read_trust(file: Path | None, checkout: Path | None) -> tuple[TrustedLedger, ...] | None:
    """Return the ledgers that are trusted, None when no file was named.

    Raises:
        Misconfigured: both were named, or the file says something else than it must.
    """
    if file is not None and checkout is not None:
        raise Misconfigured("Give --trust or --checkout, not both.")
    path = file if checkout is None else checkout / CHECKOUT_FILE
    if path is None:
        return None
    try:
        with path.open("rb") as opened:
            data = opened.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise Misconfigured(f"{path} is no trust file: it is larger than {_MAX_BYTES} bytes.")
        return parse_trust(tomllib.loads(data.decode()))
    except RecursionError as error:
        raise Misconfigured(f"{path} is no trust file: it is nested too deeply.") from error
    except ValueError as error:  # not UTF-8, not TOML, or a number that is too long to be read
        raise Misconfigured(f"{path} is not TOML: {error}") from error
    except MalformedDocument as error:
        raise Misconfigured(f"{path}: {error.detail}") from error


def read_pin(path: Path | None) -> Pin | None:
    """Return what an earlier look has left, None before the first one.

    Raises:
        IntegrityBroken: ``pin``, the file is damaged.
    """
    if path is None or not path.exists():
        return None
    return parse_pin(path.read_bytes())


def keep_pin(path: Path, pin: Pin) -> None:
    """Remember a look, in the place of the one before."""
    replace_file(path, pin.to_bytes())
