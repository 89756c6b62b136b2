# SPDX-License-Identifier: Apache-2.0
"""Small files that are remembered between runs, replaced whole: the old content or the new one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, data: bytes) -> None:
    """Put ``data`` where ``path`` is; whoever reads meanwhile gets the old file, never half a one.

    Durable before it returns: the content first, then the name.
    """
    descriptor, written = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(written).replace(path)
    except OSError:
        Path(written).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
