# SPDX-License-Identifier: Apache-2.0
"""Private keys as files: PEM, readable by their owner alone, never written over."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from app.core.errors import FairtrialError
from app.core.signing.keys import SigningKey, parse_signing_key
from app.runner.failures import UnusableKeyFile

PRIVATE = 0o600
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_MAX_BYTES = 64 * 1024


def write_signing_key(path: Path, key: SigningKey) -> None:
    """Write ``key`` to a new file of mode 0600.

    Raises:
        UnusableKeyFile: something stands there already, or the folder cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    except FileExistsError as error:
        raise UnusableKeyFile("A key file is never written over; choose another name.") from error
    except OSError as error:
        raise UnusableKeyFile("The key file cannot be written there.") from error
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key.to_pem())


def read_signing_key(path: Path) -> SigningKey:
    """Read a private key in PEM or OpenSSH form.

    Raises:
        UnusableKeyFile: no such file, others may read it, or it holds no key that is taken.
    """
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            data = file.read(_MAX_BYTES)
    except OSError as error:
        raise UnusableKeyFile("The key file cannot be read.") from error
    if mode & _OTHERS:
        raise UnusableKeyFile("Others may read this key file; `chmod 600` it first.")
    try:
        return parse_signing_key(data)
    except FairtrialError as error:
        raise UnusableKeyFile(error.detail) from error
