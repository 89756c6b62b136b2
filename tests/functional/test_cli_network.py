# SPDX-License-Identifier: Apache-2.0
"""A service that does not answer, answers late, or is none: retries, names and codes."""

import json
import signal
import subprocess
import time

import httpx
import pytest

from app.cli.exit_code import ExitCode, of_status
from app.runner.client import TRIES, Client
from app.runner.failures import Refused, Unreachable
from tests.functional.processes import (
    COMMAND,
    NOWHERE,
    PROJECT,
    Here,
    environment_of,
    problem,
)


def test_service_that_does_not_answer_ends_with_5(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runner.client.FIRST_PAUSE_S", 0.001)
    ended = Here()("log", "show", "--url", NOWHERE, "--json")
    assert ended.code == ExitCode.NETWORK
    assert problem(ended) == "unreachable"
    assert ended.err.count("trying again") == TRIES - 1
    assert NOWHERE in json.loads(ended.out)["detail"]


@pytest.mark.parametrize(
    ("status", "code"),
    [(429, ExitCode.RATE_LIMITED), (503, ExitCode.NETWORK), (500, ExitCode.UNEXPECTED)],
)
def test_refusals_after_the_last_try_keep_their_code(status: int, code: ExitCode) -> None:
    pauses: list[float] = []
    transport = httpx.MockTransport(
        lambda _request: httpx.Response(status, json={"code": "x"}, headers={"retry-after": "3"})
    )
    with (
        Client("http://ledger.example", transport=transport, pause=pauses.append) as client,
        pytest.raises(Refused) as refused,
    ):
        client.read("/v1/studies")
    assert of_status(refused.value.status) == code
    assert len(pauses) == (0 if status == 500 else TRIES - 1)
    assert all(3 <= pause <= 8 for pause in pauses)


def test_address_with_a_login_is_named_without_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.runner.client.FIRST_PAUSE_S", 0.001)
    ended = Here()("log", "show", "--url", "http://ada:hidden@127.0.0.1:9/below", "--json")
    assert "http://127.0.0.1:9 " in json.loads(ended.out)["detail"]
    assert "hidden" not in ended.out.decode() + ended.err


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "localhost", "ftp://h", "http://", "http://h:x"])
def test_address_that_is_no_web_address_ends_with_3_at_once(url: str) -> None:
    ended = Here()("log", "show", "--url", url, "--json")
    assert ended.code == ExitCode.CONFIGURATION
    assert "start it with http://" in json.loads(ended.out)["detail"]
    assert "trying again" not in ended.err


def test_answer_that_comes_on_the_second_try_is_taken() -> None:
    answers = iter([httpx.Response(503), httpx.Response(200, json={"studies": []})])
    transport = httpx.MockTransport(lambda _request: next(answers))
    with Client("http://ledger.example", transport=transport, pause=lambda _s: None) as client:
        assert client.read_document("/v1/studies") == {"studies": []}


def test_answer_of_something_else_is_named_so() -> None:
    for content in (b"<html>", b"[]", b'{"a":1,"a":2}'):
        transport = httpx.MockTransport(lambda _r, data=content: httpx.Response(200, content=data))
        with (
            Client("http://ledger.example", transport=transport) as client,
            pytest.raises(Refused, match=r"not-|is the address right"),
        ):
            client.read_document("/readyz")


def test_connection_that_breaks_every_time_is_unreachable() -> None:
    def broken(_request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("late")

    transport = httpx.MockTransport(broken)
    with (
        Client("http://ledger.example", transport=transport, pause=lambda _s: None) as client,
        pytest.raises(Unreachable, match="ReadTimeout"),
    ):
        client.read("/v1/studies")


def test_interrupted_command_ends_with_130() -> None:
    process = subprocess.Popen(
        [*COMMAND, "log", "show", "--url", NOWHERE],
        cwd=PROJECT,
        env=environment_of({}),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    process.stderr.readline()  # the first try has failed; now it waits
    time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == ExitCode.INTERRUPTED
