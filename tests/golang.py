# SPDX-License-Identifier: Apache-2.0
"""Builds ``tests/go``, a reader of logs that is Go's own code, without a network.

The development set brings a Go toolchain. Its ``sumdb/note`` and ``sumdb/tlog`` lie among the
sources of its own command and are built as they are.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from app.core.log.tile import ENTRIES, FULL, Tile, available_width

SOURCE: Final = Path(__file__).with_name("go")


def build_go_reader(folder: Path) -> Path:
    """Return the program, built in ``folder``."""
    go = Path(sys.executable).with_name("go")
    root = subprocess.run([go, "env", "GOROOT"], text=True, capture_output=True, check=True)
    vendored = Path(root.stdout.strip()) / "src/cmd/vendor/golang.org/x/mod/sumdb"
    for name in ("note", "tlog"):
        shutil.copytree(vendored / name, folder / name)
    shutil.copy(SOURCE / "main.go", folder)
    (folder / "go.mod").write_text("module reader\n\ngo 1.22\n")
    for source in folder.rglob("*.go"):
        text = source.read_text()
        source.write_text(text.replace("golang.org/x/mod/sumdb/", "reader/"))
    environment = {
        **os.environ,
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOCACHE": str(folder / "cache"),
        "GOTELEMETRY": "off",
        "CGO_ENABLED": "0",
    }
    subprocess.run([go, "build", "-o", "reader", "."], cwd=folder, env=environment, check=True)
    return folder / "reader"


def read_by_go(
    reader: Path, folder: Path, vkey: str, *, step: int = 1
) -> "subprocess.CompletedProcess[str]":
    """Run the reader over a folder of tlog-tiles files; it proves every ``step``-th entry."""
    arguments = [str(reader), str(folder), vkey, str(step)]
    return subprocess.run(arguments, text=True, capture_output=True, check=False)


def tiles_of(size: int) -> Iterable[Tile]:
    """Yield every tile and entry bundle of a tree, in its widest form."""
    level = 0
    while size >> (8 * level):
        for index in range(-(-(size >> (8 * level)) // FULL)):
            yield Tile(level, index, available_width(level, index, size))
        level += 1
    for index in range(-(-size // FULL)):
        yield Tile(ENTRIES, index, available_width(0, index, size))


def write_tiles(folder: Path, content: Iterable[tuple[Tile, bytes]]) -> None:
    """Write tiles where their paths say."""
    for tile, data in content:
        path = folder / tile.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
