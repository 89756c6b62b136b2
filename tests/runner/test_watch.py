# SPDX-License-Identifier: Apache-2.0
"""A watch of a study: what it yields, how often it asks, and what does not end it."""

from collections.abc import Iterator

import httpx
import pytest

from app.runner.client import TRIES, Client
from app.runner.failures import Refused
from app.runner.watch import Progress, Watch, look, watch

STUDY = "ab" * 32
CLOSES = "2026-12-01T00:00:00.000000Z"
SOON = "2026-11-30T12:00:00.000000Z"
SLOTS = ("A/C1/1", "A/C1/2", "B/C1/1")


class Service:
    """Answers with one set of slot states after another; an int stands for a status."""

    def __init__(self, *states: "tuple[str, ...] | int") -> None:
        self.states = list(states)
        self.tags: list[str | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        now = self.states[0]
        if request.url.path.endswith("/slots"):
            assert not isinstance(now, int)
            return httpx.Response(200, json={"slots": [*self.rows(now)]})
        self.tags.append(request.headers.get("if-none-match"))
        if len(self.tags) > 1 and len(self.states) > 1:
            self.states.pop(0)
        now = self.states[0]
        if isinstance(now, int):
            return httpx.Response(now, json={"code": "x", "detail": "y"})
        tag = f'"{hash(now)}"'
        if self.tags[-1] == tag:
            return httpx.Response(304)
        return httpx.Response(200, json=self.study(now), headers={"etag": tag})

    def study(self, states: tuple[str, ...]) -> dict[str, object]:
        terminal = not {"OPEN", "RESERVED"} & set(states)
        flow = {"planned": len(states), **{s.lower(): states.count(s) for s in ("OPEN", "MISSING")}}
        return {
            "study": STUDY,
            "state": "CLOSED" if terminal else "OPEN",
            "closes_at": CLOSES,
            "flow": flow,
        }

    def rows(self, states: tuple[str, ...]) -> Iterator[dict[str, object]]:
        for slot, state in zip(SLOTS, states, strict=True):
            arm, cell, _ = slot.split("/")
            attempts = [{"deadline": SOON}] if state == "RESERVED" else []
            yield {"slot": slot, "arm": arm, "cell": cell, "state": state, "attempts": attempts}


class Time:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def followed(
    service: Service, timeout_s: float | None = None, every_s: float = 5
) -> tuple[list[Progress], Time, list[str]]:
    time, told = Time(), list[str]()
    transport = httpx.MockTransport(service)
    with Client("http://ledger.example", transport=transport, pause=lambda _s: None) as client:
        how = Watch(every_s, timeout_s, told.append, time.pause, lambda: time.now)
        return list(watch(client, STUDY, how)), time, told


OPEN = ("OPEN", "OPEN", "OPEN")
HELD = ("OPEN", "RESERVED", "OPEN")
DONE = ("MISSING", "COMPLETE", "MISSING")


def test_watch_yields_at_once_after_each_change_and_ends_when_the_study_is_closed() -> None:
    seen, time, _ = followed(Service(OPEN, OPEN, HELD, HELD, DONE))
    assert [one.state for one in seen] == ["OPEN", "OPEN", "CLOSED"]
    assert [one.next_deadline for one in seen] == [CLOSES, SOON, None]
    assert [slot.slot for slot in seen[1].since(seen[0])] == ["A/C1/2"]
    assert len(seen[0].since(None)) == len(SLOTS)
    assert set(time.pauses) == {5}


def test_watch_asks_with_the_tag_of_the_last_answer() -> None:
    service = Service(OPEN, OPEN, DONE)
    followed(service)
    assert service.tags[0] is None
    assert all(service.tags[1:])


def test_watch_gives_up_when_its_time_is_up_and_sleeps_no_longer_than_that() -> None:
    seen, time, _ = followed(Service(OPEN), timeout_s=12)
    assert len(seen) == 1
    assert time.pauses == [5, 5, 2]
    assert followed(Service(OPEN), timeout_s=0)[1].pauses == []


def test_watch_never_asks_more_than_once_a_second() -> None:
    _, time, _ = followed(Service(OPEN, OPEN, DONE), every_s=0)
    assert set(time.pauses) == {1}


def test_watch_goes_on_after_the_network_or_the_service_failed() -> None:
    busy = [503] * TRIES
    seen, _, told = followed(Service(OPEN, *busy, HELD, DONE))
    assert [one.state for one in seen] == ["OPEN", "OPEN", "CLOSED"]
    assert told == ["the service is busy; the watch goes on"]
    service = Service(OPEN, DONE)
    asked = 0

    def broken(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        if 2 < asked <= 2 + TRIES:
            raise httpx.ConnectError("gone")
        return service(request)

    told = []
    transport = httpx.MockTransport(broken)
    with Client("http://ledger.example", transport=transport, pause=lambda _s: None) as client:
        how = Watch(5, None, told.append, lambda _s: None)
        assert [one.state for one in watch(client, STUDY, how)] == ["OPEN", "CLOSED"]
    assert told == ["no answer; the watch goes on"]


def test_watch_of_what_is_not_there_ends() -> None:
    with pytest.raises(Refused):
        followed(Service(404))


def test_progress_is_told_by_its_sum_and_by_arm_and_cell() -> None:
    transport = httpx.MockTransport(Service(("OPEN", "MISSING", "OPEN")))
    with Client("http://ledger.example", transport=transport) as client:
        now = look(client, STUDY)
    assert now.sum == "planned 3 = open 2 + missing 1"
    assert now.grid() == ("A/C1  OPEN 1, MISSING 1", "B/C1  OPEN 1")
    assert now.of_state("OPEN") == ("A/C1/1", "B/C1/1")
