# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any value of it
"""Did the programs stay, and how long did the client wait?"""

from typing import Any

import pytest
from msgspec.structs import replace

from app.core.reason import Reason
from app.core.receipt.components import client_timeout_us, components_changed, gives_up_early
from app.core.receipt.faults import stream_fault
from app.core.score.reading import Ending, readings_of
from app.core.statement.receipt import Component, Components
from tests.documents import SLOT_DEADLINE_US, digest, document, streams_cell
from tests.factories import opened
from tests.facts import IMAGE, capture, incumbent, starved_newcomer, stream
from tests.unit.core.receipt.make import DOCUMENT, REPLAYED, STUDY, outcome, with_identities

CELL = streams_cell(document())


def part(role: str = "gateway", name: str = "litellm", **changes: Any) -> Component:
    whole = Component(
        role=role,  # type: ignore[arg-type]  # tests name any
        name=name,
        version="1.0",
        image=IMAGE,
        timeout_us=None,
        basis="observed",
    )
    return replace(whole, **changes)


OTHER_IMAGE = replace(IMAGE, digest=f"sha256:{digest('other image')}")


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        ([part()], False),
        ([part(basis="declared")], False),
        ([part(version="1.1")], True),
        ([part(image=OTHER_IMAGE)], True),
        ([part(timeout_us=5)], False),
        ([part(version=None, image=None)], False),
        ([part(name="nginx")], True),
        ([part(), part(name="nginx")], True),
        ([part(role="proxy", name="nginx")], False),
        ([], False),
        (None, False),
    ],
)
def test_program_that_was_exchanged_meanwhile_shows(
    after: list[Component] | None, *, changed: bool
) -> None:
    assert components_changed(Components(before=[part()], after=after)) is changed


def test_timeout_that_was_changed_meanwhile_shows() -> None:
    before, after = part(timeout_us=5), part(timeout_us=6)
    assert components_changed(Components(before=[before], after=[after]))


def test_program_that_went_down_with_the_server_excuses_nothing() -> None:
    two = [part("engine", "vllm"), part("engine", "vllm")]
    assert not components_changed(Components(before=two, after=two[:1]))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([], None, None),
        ([part("client", "httpx")], [], None),
        ([part("gateway", "litellm", timeout_us=1)], [], None),
        ([part("client", "httpx", timeout_us=9)], None, 9),
        ([part("client", "httpx", timeout_us=9)], [part("client", "httpx", timeout_us=7)], 7),
    ],
)
def test_client_waits_as_long_as_its_least_timeout(
    before: list[Component], after: list[Component] | None, expected: int | None
) -> None:
    assert client_timeout_us(Components(before=before, after=after)) == expected


SENT_AT = 680_000
LEFT = SLOT_DEADLINE_US - SENT_AT


def test_client_that_waits_to_the_deadline_or_says_nothing_gives_up_in_time() -> None:
    sent = starved_newcomer()
    assert not gives_up_early(sent, SLOT_DEADLINE_US, LEFT)
    assert gives_up_early(sent, SLOT_DEADLINE_US, LEFT - 1)
    assert not gives_up_early(sent, SLOT_DEADLINE_US, None)
    assert not gives_up_early(stream("newcomer", 1, submitted_us=None), SLOT_DEADLINE_US, 1)


@pytest.mark.parametrize("error", ["timeout", "deadline"])
@pytest.mark.parametrize(
    ("timeout_us", "fault", "ending"),
    [
        (LEFT, "sut", Ending.SERVER_FAILURE),
        (LEFT - 1, "harness", Ending.UNKNOWN),
        (None, "sut", Ending.SERVER_FAILURE),
    ],
)
def test_timeout_of_a_client_that_waits_less_than_the_deadline_is_the_harness_s(
    error: Any, timeout_us: int | None, fault: str, ending: Ending
) -> None:
    given_up = starved_newcomer(error_class=error, observed_until_us=SLOT_DEADLINE_US)
    seen = capture(incumbent(), given_up)
    table = DOCUMENT.fault_table
    said = stream_fault(given_up, seen, cell=CELL, table=table, timeout_us=timeout_us)
    read = readings_of(DOCUMENT, CELL, seen, timeout_us=timeout_us)
    assert (said, read[1].ending) == (fault, ending)


def waiting(timeout_us: int | None, **changes: Any) -> Any:
    client = part("client", "httpx", image=None, timeout_us=timeout_us)
    return with_identities(components=Components(before=[client], after=None), **changes)


def test_slot_whose_client_waited_less_than_the_deadline_is_invalid_and_no_failure() -> None:
    given_up = starved_newcomer(error_class="timeout", observed_until_us=SLOT_DEADLINE_US)
    seen = capture(incumbent(), given_up)
    early, patient = outcome(seen, said=waiting(LEFT - 1)), outcome(seen, said=waiting(LEFT))
    assert (early.state, early.fault, early.reasons) == (
        "INVALID",
        "harness",
        (Reason.HARNESS_FAULT,),
    )
    assert (patient.state, patient.fault) == ("FAILED", "sut")


def test_slot_whose_gateway_was_exchanged_meanwhile_is_invalid_by_identity() -> None:
    swapped = Components(before=[part()], after=[part(version="1.1")])
    found = outcome(said=with_identities(components=swapped))
    assert (found.state, found.fault) == ("INVALID", "identity")
    assert found.reasons == (Reason.COMPONENTS_CHANGED,)
    told = replace(STUDY, replay=REPLAYED)
    assert outcome(said=with_identities(components=swapped), pins=told).state == "INVALID"


def test_client_s_timeout_reaches_the_score_through_the_receipt() -> None:
    story = opened()
    slot = "B/C2-canary/1"
    story.reserve(slot)
    given_up = starved_newcomer(error_class="timeout", observed_until_us=SLOT_DEADLINE_US)
    said = waiting(LEFT - 1)
    story.push(slot, capture(incumbent(), given_up), identities=said.identities)
    (receipt,) = story.study().slots[slot].attempts[0].receipts
    assert (receipt.outcome.state, receipt.outcome.fault) == ("INVALID", "harness")
