# SPDX-License-Identifier: Apache-2.0
"""Finds what ships beside the code: schemas, protocols and migrations.

A wheel carries them inside the package (``app/_data``); a checkout, and so an editable install, has
them beside it. Both are looked at, the wheel's first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import app

Folder = Literal["schemas", "protocols", "migrations"]
_PACKAGE: Final = Path(app.__file__).resolve().parent


def folder(name: Folder, *, package: Path = _PACKAGE) -> Path:
    """Return where the shipped folder ``name`` lies.

    Raises:
        FileNotFoundError: neither beside nor inside the package: the installation is damaged.
    """
    for candidate in (package / "_data" / name, package.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"The installation has no {name}; install it again.")


def schemas() -> dict[str, bytes]:
    """Return every shipped JSON Schema by file name."""
    return {path.name: path.read_bytes() for path in sorted(folder("schemas").glob("*.json"))}


def protocols() -> dict[str, bytes]:
    """Return every shipped protocol document by file name."""
    return {path.name: path.read_bytes() for path in sorted(folder("protocols").glob("*.json"))}
