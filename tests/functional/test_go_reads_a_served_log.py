# SPDX-License-Identifier: Apache-2.0
"""Go's ``sumdb`` packages read what the service serves, file by file, and nothing else."""

from pathlib import Path

import httpx

from tests.functional.conftest import Opened, Service
from tests.functional.processes import read
from tests.golang import read_by_go, tiles_of, write_tiles


def test_go_reads_a_served_log(
    on_sqlite: Service, study: Opened, go_reader: Path, tmp_path: Path
) -> None:
    with httpx.Client(base_url=f"{on_sqlite.url}/log", trust_env=False) as client:
        checkpoint = client.get("/checkpoint").raise_for_status().content
        size = int(checkpoint.splitlines()[1])
        write_tiles(
            tmp_path,
            [
                (tile, client.get(f"/{tile.path()}").raise_for_status().content)
                for tile in tiles_of(size)
            ],
        )
    (tmp_path / "checkpoint").write_bytes(checkpoint)
    trusted = read(on_sqlite.speak().result("log", "trust", "--json"))["ledger"][0]
    done = read_by_go(go_reader, tmp_path, trusted["checkpoint_key"])
    assert size > 3
    assert done.stdout.split() == [str(size), trusted["origin"], str(size)], done.stdout
