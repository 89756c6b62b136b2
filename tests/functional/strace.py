# SPDX-License-Identifier: Apache-2.0
"""System calls of living processes that fail while somebody looks, by strace.

A fault begins when strace is attached and ends when it lets go: the disk that was full has room
again. The processes stay their parents'.
"""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

ATTACH_S: Final = 60


def require_strace() -> None:
    """Skip the test where processes may not be traced.

    In CI the tool must be there; that a sandbox forbids tracing is told as the reason.
    """
    if shutil.which("strace") is None:
        reason = "strace is not installed: no system call was made to fail"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)  # on a machine without the tool; in CI it has failed above
    sleeper = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        tried = subprocess.run(
            ["timeout", "--signal=INT", "1", "strace", "-p", str(sleeper.pid)],
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        sleeper.kill()
        sleeper.communicate()
    if "attached" not in tried.stderr:
        # A sandbox that forbids ptrace: nothing here could make a call fail.
        pytest.skip(f"processes may not be traced here: {tried.stderr.strip()}")


@asynccontextmanager
async def failing(
    processes: Sequence[int], calls: str, fault: str, *, trace: Path, files: Sequence[Path] = ()
) -> AsyncIterator[None]:
    """Let system calls fail in processes, and in those they start, until the block is left.

    Args:
        processes: their ids.
        calls: names of system calls, after one another with commas.
        fault: as strace takes it: ``error=EIO:when=3``; calls are counted thread by thread.
        trace: where strace writes each call; failed ones end in ``(INJECTED)``.
        files: if any, only calls on these fail.
    """
    of_files = [word for one in files for word in ("-P", str(one))]
    options = ["-e", f"inject={calls}:{fault}", *of_files]
    async with tracing(processes, calls, options, trace=trace):
        yield


@asynccontextmanager
async def tracing(
    processes: Sequence[int], calls: str, options: Sequence[str], *, trace: Path
) -> AsyncIterator[None]:
    """Write down system calls of processes, and of those they start, until the block is left.

    All of them stand in one file, in the order in which they began; whatever one process learns
    from another stands behind what it learned of.

    Args:
        processes: their ids.
        calls: names of system calls, after one another with commas.
        options: more of strace's own.
        trace: where it writes.
    """
    tracer = await asyncio.create_subprocess_exec(
        *("strace", "-f", "-o", str(trace), "-e", f"trace={calls}", *options),
        *(word for one in processes for word in ("-p", str(one))),
        stderr=asyncio.subprocess.PIPE,
    )
    assert tracer.stderr is not None
    listening = None
    try:
        async with asyncio.timeout(ATTACH_S):
            for _ in processes:
                said = await tracer.stderr.readline()
                assert b"attached" in said, said
        listening = asyncio.create_task(_listen(tracer.stderr))
        yield
    finally:
        if tracer.returncode is None:
            tracer.send_signal(signal.SIGINT)
        await tracer.wait()
        if listening is not None:
            await listening


async def _listen(stderr: asyncio.StreamReader) -> None:
    """Take what strace says of each process it follows, so that it never waits for a reader."""
    while await stderr.readline():
        pass
