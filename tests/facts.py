# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a fact is any JSON
"""Good facts to start from: captures, pins and identities; tests change one member at a time.

``capture`` shows the canary of ``tests.documents`` as it should be: the newcomer answers while the
incumbent still decodes. The makers after it show what goes wrong.
"""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from app.core.statement.capture import (
    Clock,
    ContainerIdentity,
    Counter,
    Observations,
    Phases,
    Stream,
    StreamsCapture,
    Usage,
)
from app.core.statement.receipt import (
    Component,
    Components,
    Identities,
    IdentityBasis,
    Rank,
    ReceiptTopology,
)
from app.core.statement.study import ArmPin, HarnessPin, Image, ModelPin, ModelPins, StudyTopology
from tests.documents import SETTING, VALUES, commit, digest, document


def stream(role: str, lane: int, **facts: Any) -> Stream:
    """Return a measured stream that was sent at slot start and of which nothing else is known."""
    unknown: dict[str, Any] = {
        "planned_us": 0,
        "submitted_us": 0,
        "first_generated_us": None,
        "first_answer_us": None,
        "content_gaps_us": [],
        "last_content_us": None,
        "settled_us": None,
        "observed_until_us": 21_210_000,
        "http_status": 200,
        "finish_reason": None,
        "done_marker": False,
        "usage": None,
        "completion_basis": "none",
        "token_basis": "unknown",
        "prompt_sha256": None,
        "answer_matched": None,
        "answer_parts": None,
        "error_class": None,
    }
    given: dict[str, Any] = {"role": role, "lane": lane, "phase": "measured"}
    return Stream(**(given | unknown | facts))


def complete_stream(role: str, lane: int, **facts: Any) -> Stream:
    """Return a stream that came to its end; times from ``submitted_us``, ``first``, ``last``."""
    first, last = facts.pop("first", 430_000), facts.pop("last", 21_000_000)
    tokens, prompt = facts.pop("tokens", 1024), facts.pop("prompt", 64)
    ended = {
        "first_generated_us": first,
        "first_answer_us": first,
        "content_gaps_us": [last - first],
        "last_content_us": last,
        "settled_us": last + 10_000,
        "observed_until_us": last + 10_000,
        "finish_reason": "length",
        "done_marker": True,
        "usage": Usage(prompt=prompt, completion=tokens, cached=0, reasoning=None),
        "completion_basis": "finish_reason",
        "token_basis": "usage",
    }
    return stream(role, lane, **(ended | facts))


def incumbent(**facts: Any) -> Stream:
    """Return an incumbent that decoded its 1,024 tokens in 21 s."""
    return complete_stream("incumbent", 0, **facts)


def newcomer(**facts: Any) -> Stream:
    """Return a newcomer that answered while the incumbent still decoded."""
    sent = {"planned_us": 680_000, "submitted_us": 680_000, "finish_reason": "stop"}
    timing = {"first": 8_837_000, "last": 9_013_000, "answer_matched": True}
    amounts = {"prompt": 8037, "tokens": 2}
    return complete_stream("newcomer", 1, **(sent | timing | amounts | facts))


def starved_newcomer(**facts: Any) -> Stream:
    """Return a newcomer that got HTTP 200 and no token until it was given up by rule."""
    sent = {"planned_us": 680_000, "submitted_us": 680_000, "error_class": "cancelled_by_rule"}
    return stream("newcomer", 1, **(sent | facts))


def engine(
    before: str | None = "c-1", after: str | None = "c-1", *, exited: bool | None = False
) -> ContainerIdentity:
    """Return what was seen of the engine's container."""
    return ContainerIdentity(component="engine", before=before, after=after, exited=exited)


def capture(
    *streams: Stream,
    warmup: str = "complete",
    measured: str = "started",
    identities: Sequence[ContainerIdentity] | None = None,
    boot_id: str | None = "boot-1",
) -> StreamsCapture:
    """Return a capture; without streams, of the incumbent and the newcomer that it waited for."""
    return StreamsCapture(
        schema="urn:fairtrial:capture:streams:v1",
        clock=Clock(kind="monotonic", zero="slot_start", resolution_us=1000),
        boot_id=boot_id,
        phases=Phases(warmup=warmup, measured=measured),  # type: ignore[arg-type]  # tests lie too
        streams=list(streams or (incumbent(), newcomer())),
        observations=Observations(
            counters=[Counter(name="restarts", before=0, after=0)],
            gauges=[],
            events=[],
            identities=[engine()] if identities is None else list(identities),
        ),
    )


def starved() -> StreamsCapture:
    """Return both HTTP 200, and a newcomer that never got a token: case A1."""
    return capture(incumbent(), starved_newcomer())


def warmup_failed(status: int | None = 404, error: str = "http_error") -> StreamsCapture:
    """Return a capture that ended in its warm-up: case A3."""
    failed = stream(
        "incumbent",
        0,
        phase="warmup",
        settled_us=9_000,
        observed_until_us=9_000,
        http_status=status,
        error_class=error,
    )
    return capture(failed, warmup="failed", measured="not_started")


def server_error(status: int = 500) -> StreamsCapture:
    """Return a capture whose newcomer got a server error."""
    facts = {"settled_us": 700_000, "observed_until_us": 700_000, "error_class": "http_error"}
    return capture(incumbent(), starved_newcomer(http_status=status, **facts))


def interrupted() -> StreamsCapture:
    """Return a capture whose newcomer was cut off by nobody knows whom."""
    return capture(incumbent(), starved_newcomer(error_class="interrupted"))


IMAGE = Image(digest=f"sha256:{digest('image')}", of="manifest")
MODELS = ModelPins(
    target=ModelPin(repository="example/model-exl3", revision=commit("model")), draft=None
)
HARNESS = HarnessPin(name="fairtrial-run", version="0.1.0", sha256=digest("harness"))
TOPOLOGY = StudyTopology(
    tensor_parallel=2,
    draft_tensor_parallel=None,
    nodes=2,
    hosts=["spark-1", "spark-2"],
    gpu_model="NVIDIA GB10",
)


def pin(arm: str, *, head: str, **changes: Any) -> ArmPin:
    """Return the pin of an arm that runs ``head``."""
    whole = ArmPin(
        commit=head,
        image=IMAGE,
        settings={SETTING: VALUES[arm]},
        settings_digest=digest("settings"),
        relation=None,
    )
    return replace(whole, **changes)


def rank(number: int, pinned: ArmPin, **changes: Any) -> Rank:
    """Return a rank that runs what was pinned."""
    whole = Rank(
        rank=number,
        host=f"spark-{number + 1}",
        gpu_model=TOPOLOGY.gpu_model,
        gpu_uuid_digest=digest(f"gpu {number}"),
        driver="580.95.05",
        commit=pinned.commit,
        image=pinned.image,
        target_revision=MODELS.target.revision,
        draft_revision=None,
        settings_digest=pinned.settings_digest,
        basis="observed",
    )
    return replace(whole, **changes)


def topology(pinned: ArmPin, **changes: Any) -> ReceiptTopology:
    """Return two ranks on two nodes that run what was pinned."""
    whole = ReceiptTopology(
        tensor_parallel=2,
        draft_tensor_parallel=None,
        nodes=2,
        ranks=[rank(0, pinned), rank(1, pinned)],
    )
    return replace(whole, **changes)


def identities(pinned: ArmPin, **changes: Any) -> Identities:
    """Return identities that are as pinned."""
    part = Component(
        role="engine", name="vllm", version="0.11.0", image=IMAGE, timeout_us=None, basis="observed"
    )
    whole = Identities(
        arm_commit=pinned.commit,
        image=pinned.image,
        models=MODELS,
        harness=HARNESS,
        workload=document().workload,
        settings=pinned.settings,
        settings_digest=pinned.settings_digest,
        components=Components(before=[part], after=[part]),
        basis=IdentityBasis(
            arm_commit="observed",
            image="observed",
            models="observed",
            harness="observed",
            workload="observed",
            settings="observed",
        ),
    )
    return replace(whole, **changes)
