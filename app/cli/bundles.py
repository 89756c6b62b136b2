# SPDX-License-Identifier: Apache-2.0
"""Bundles on the command line: how each refusal of one ends, and what nobody has vouched for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer

from app.cli.exit_code import ExitCode
from app.cli.output import document_of, fail
from app.core.errors import FairtrialError, IntegrityBroken, NotAllowed, NotAuthenticated
from app.core.verdict.bundle import BundleHead


@contextmanager
def refused_bundle(*, as_json: bool) -> Iterator[None]:
    """End with the exit code of verification whatever a bundle is refused for.

    Raises:
        Exit: a signature does not verify, a key had no grant, or the file is no whole bundle.
        IntegrityBroken: which has an exit code by its own code.
    """
    try:
        yield
    except (NotAuthenticated, NotAllowed) as error:
        fail(document_of(error), as_json=as_json)
        untrusted = isinstance(error, NotAllowed)
        raise typer.Exit(ExitCode.UNTRUSTED if untrusted else ExitCode.BAD_SIGNATURE) from error
    except IntegrityBroken:
        raise
    except FairtrialError as error:
        # Whatever its records are refused for: a file that was cut short, or never was a bundle.
        fail(document_of(error), as_json=as_json)
        raise typer.Exit(ExitCode.DAMAGE) from error


def vouches_for_itself(about: BundleHead) -> str:
    """Return what is said of a bundle that is held against no trust file."""
    return (
        "Without a trust file a bundle vouches for itself: every entry follows from the genesis in "
        f"it ({about.genesis}, of {about.origin}); whose keys those are is not known here."
    )
