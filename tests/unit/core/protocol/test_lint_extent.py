# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a document is any JSON
"""A protocol without an end, of any size, or with something that must stay unwritten is refused."""

from typing import Any

import pytest

from app.core.protocol.lint_extent import LONGEST_US
from tests.documents import document
from tests.lints import changed, found

FOREVER = 9_007_199_254_740_991


def test_window_or_reservation_without_an_end_is_refused() -> None:
    assert found(document(window={"max_us": LONGEST_US})) == set()
    assert found(document(window={"max_us": FOREVER})) == {("E_UNBOUNDED_WINDOW", "/window/max_us")}
    rule = {"ahead_max": 12, "allowance_us": FOREVER}
    assert found(document(reservation=rule)) == {
        ("E_UNBOUNDED_WINDOW", "/reservation/allowance_us")
    }


def test_plan_of_too_many_slots_is_refused() -> None:
    def cells(value: Any, many: int) -> None:
        (one,) = value["cells"]
        value["cells"] = [one, *({**one, "id": f"c{number}"} for number in range(many))]

    assert found(changed(lambda d: cells(d, 9), arms=("B",), repetitions=1000)) == set()
    assert found(changed(lambda d: cells(d, 10), arms=("B",), repetitions=1000)) == {
        ("E_TOO_MANY_SLOTS", "/cells")
    }


@pytest.mark.parametrize("number", [1, 9])
def test_concurrency_that_is_not_the_number_of_streams_is_refused(number: int) -> None:
    of = changed(lambda d: d["cells"][0].update(concurrency=number))
    assert found(of) == {("E_CONCURRENCY", "/cells/0/concurrency")}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("api_key", "abc"),
        ("authorization", "Bearer x"),
        ("password", "hunter2"),
        ("HF_TOKEN", "x"),
        ("prompt", "hello"),
        ("system_prompt", "x"),
        ("note", "Please write me a story about my client ACME"),
    ],
)
def test_credential_or_prompt_among_the_settings_is_refused(name: str, value: str) -> None:
    place = f"/request_controls/{name}"
    assert found(document(request_controls={name: value})) == {("E_SECRET_FIELD", place)}


def test_arms_settings_and_names_to_be_disclosed_are_looked_at_too() -> None:
    def secret(value: Any) -> None:
        for arm in value["arms"]:
            arm["settings"]["api_key"] = "x"
        value["disclosed_settings"].append("api_key")

    assert found(changed(secret)) == {
        ("E_SECRET_FIELD", "/disclosed_settings"),
        *(("E_SECRET_FIELD", f"/arms/{number}/settings/api_key") for number in range(3)),
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_NUM_BATCHED_TOKENS", "8192"),
        ("LONG_PREFILL_TOKEN_THRESHOLD", "0"),
        ("eos_token", "</s>"),
        ("tokenizer", "auto"),
        ("thinking", "off"),
        ("speculative_config", '{"method": "mtp", "num_speculative_tokens": 3}'),
    ],
)
def test_setting_of_a_server_is_no_secret(name: str, value: str) -> None:
    assert found(document(request_controls={name: value})) == set()
