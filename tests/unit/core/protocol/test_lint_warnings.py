# SPDX-License-Identifier: Apache-2.0
"""What is not warned of: the other side of each warning's boundary."""

import pytest

from app.core.protocol.lint import lint
from app.core.statement.protocol_document import ProtocolDocument
from tests.claims import compared, share
from tests.gates import bound
from tests.lints import changed, gated, with_
from tests.refused_makers import eight

CACHED = eight(
    compared(),
    bound(),
    request_controls={"stream": "true"},
    disclosed_settings=["MIXED_PREFILL_CHUNK", "ENABLE_PREFIX_CACHING"],
)


@pytest.mark.parametrize(
    ("code", "quiet"),
    [
        ("W_MARGIN_UNJUSTIFIED", eight(with_(compared(), comparison__margin="0.2"), bound())),
        ("W_MARGIN_UNJUSTIFIED", eight(with_(compared("superiority"), comparison__margin="-0.1"))),
        ("W_CACHE_STATE", CACHED),
        ("W_CACHE_STATE", eight(with_(compared(), metric__name="max_content_gap"))),
        ("W_CLOSED_LOOP_TAIL", gated(share(p="0.89"), repetitions=30)),
        (
            "W_CLOSED_LOOP_TAIL",
            gated(with_(share(p="0.9"), population__stream_role="incumbent"), repetitions=30),
        ),
        ("W_MEAN_STATISTIC", gated(bound(statistic="sum"))),
        ("W_MANY_PRIMARY", eight(*[share(id=f"s{each}") for each in range(3)])),
        (
            "W_MANY_PRIMARY",
            eight(*[share(id=f"s{each}", role="secondary") for each in range(4)]),
        ),
        ("W_DEGENERATE_EXPECTED", eight(compared(), bound())),
        ("E_NO_FAULT_TABLE", changed(lambda d: d)),
        (
            "E_DEADLINE_LT_LIMIT",
            eight(with_(compared(), comparison__margin="0.2"), bound(arm="A", limit="100000000")),
        ),
    ],
)
def test_boundary_is_not_warned_of(code: str, quiet: ProtocolDocument) -> None:
    assert code not in {each.code for each in lint(quiet)}


def test_deadline_of_a_comparison_is_twice_what_its_control_may_take_and_the_margin() -> None:
    gates = (with_(compared(), comparison__margin="0.2"), bound(arm="A", limit="100000001"))
    (finding,) = [each for each in lint(eight(*gates)) if each.code == "E_DEADLINE_LT_LIMIT"]
    assert finding.formula == "240000000 us < 2 (1 + 0.2) x the control's bound"
    assert [each.value for each in finding.change] == [240000003]
