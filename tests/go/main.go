// SPDX-License-Identifier: Apache-2.0

// Reads a folder of C2SP tlog-tiles files with Go's own sumdb/note and sumdb/tlog: the checkpoint's
// signature, the records of entry bundles, and inclusion and consistency proofs from tiles.
//
//	reader FOLDER VKEY STEP    proves every STEPth entry, and the last
package main

import (
	"encoding/base64"
	"encoding/binary"
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

// record returns one record of an entry bundle, whose path is a data tile's with another word.
func record(dir string, n, size int64) []byte {
	width := min(size-n/256*256, 256)
	tile := tlog.Tile{H: 8, L: -1, N: n / 256, W: int(width)}
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	data, err := os.ReadFile(filepath.Join(dir, path))
	must(err)
	for skip := n % 256; skip > 0; skip-- {
		data = data[2+binary.BigEndian.Uint16(data):]
	}
	return data[2 : 2+binary.BigEndian.Uint16(data)]
}

func main() {
	dir, vkey := os.Args[1], os.Args[2]
	step, err := strconv.ParseInt(os.Args[3], 10, 64)
	must(err)
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
	proven := 0
	prove := func(n int64) {
		proof, err := tlog.ProveRecord(size, n, reader)
		must(err)
		must(tlog.CheckRecord(proof, size, tree.Hash, n, tlog.RecordHash(record(dir, n, size))))
		older, err := tlog.TreeHash(n+1, reader)
		must(err)
		grown, err := tlog.ProveTree(size, n+1, reader)
		must(err)
		must(tlog.CheckTree(grown, size, tree.Hash, n+1, older))
		proven++
	}
	for n := int64(0); n < size-1; n += step {
		prove(n)
	}
	prove(size - 1)
	fmt.Println(size, verifier.Name(), proven)
}
