# SPDX-License-Identifier: Apache-2.0
"""What a trace of system calls tells of answers and of the flushes they must wait for."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

CALLS: Final = "read,recvfrom,write,writev,sendto,sendmsg,pwrite64,fdatasync,fsync"
OPTIONS: Final = ("-y", "-s", "24")
"""File names behind descriptors, and the beginnings of what is read and written."""
_FLUSH: Final = {"fdatasync", "fsync"}
_LINE: Final = re.compile(r"^(\d+) +(?:<\.\.\. )?(\w+)(.*)$")
_LOG: Final = re.compile(r"<[^>]*(?:\.db-wal|/pg_wal/\w+)>")


def answers(trace: Path) -> Iterator[list[str]]:
    """Yield what stands between each write's arrival and its 201: the latter's place in the order.

    ``flushing`` and ``flushed`` are the two ends of a flush of the database's log that succeeded,
    ``written`` is a write to that log. One client must have waited for each answer.
    """
    between: list[str] = []
    flushing: set[str] = set()
    for pid, call, rest in _calls(trace):
        if call in {"read", "recvfrom"} and '"POST /v1/' in rest:
            between = []
        elif '"HTTP/1.1 201' in rest:
            yield between
        elif call in _FLUSH:
            if _LOG.search(rest):
                flushing.add(pid)
                between.append(f"flushing by {pid}")
            if pid in flushing and "unfinished" not in rest:
                flushing.discard(pid)
                between.append(f"flushed by {pid}" if rest.endswith(" = 0") else "failed")
        elif call == "pwrite64" and _LOG.search(rest):
            between.append("written")


def _calls(trace: Path) -> Iterator[tuple[str, str, str]]:
    for line in trace.read_text(errors="replace").splitlines():
        if found := _LINE.match(line):
            pid, call, rest = found.groups()
            yield pid, call, rest


def covered(between: list[str]) -> bool:
    """Tell whether a whole flush stands there: begun and ended by one process."""
    begun = {one.removeprefix("flushing by ") for one in between if one.startswith("flushing")}
    ended = [one.removeprefix("flushed by ") for one in between if one.startswith("flushed")]
    return any(pid in begun for pid in ended)


def left_open(between: list[str]) -> bool:
    """Tell whether something was written to the log and not flushed after."""
    written = [at for at, one in enumerate(between) if one == "written"]
    flushes = [at for at, one in enumerate(between) if one.startswith("flushing")]
    return bool(written) and (not flushes or flushes[-1] < written[-1])
