# SPDX-License-Identifier: Apache-2.0
"""The studies of a public thread, in the order they are told, and what its repository asks for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.core.digest import sha256_hex
from app.core.identity import Scope
from app.core.statement.encoding import encode
from app.core.statement.policy import Claim, RequiredScope
from app.core.statement.protocol_document import ProtocolDocument
from app.demo.clock import DAY, HOUR
from app.demo.thread import (
    contention,
    dual_capacity,
    early_canary,
    endurance,
    helper_registry,
    image_boot,
    landing,
    long_prefill,
    natural_pressure,
    repository_checks,
    source_review,
    starved,
    wrong_url,
)
from app.demo.told import CHANGE, REPOSITORY
from app.demo.writer import Writer
from app.runner.compose import HeadPlace

__all__ = ["CHANGE", "CLAIMS", "PROTOCOLS", "REPOSITORY", "STORIES", "write_replays"]

CANARY: Final = "contention-canary.v1.json"
CANARY_ONCE: Final = "contention-canary-once.v1.json"
NATURAL_PRESSURE: Final = "natural-pressure.v1.json"
LANDING: Final = "landing.v1.json"
LONG_PREFILL: Final = "long-prefill-overlap.v1.json"
DUAL_CAPACITY: Final = "dual-capacity.v1.json"
CONTENTION: Final = "contention-study.v1.json"
CHECKS: Final = "repository-checks.v1.json"
BOOT: Final = "image-boot.v1.json"
REGISTRY: Final = "helper-registry.v1.json"
ENDURANCE: Final = "endurance.v1.json"
REVIEW: Final = "source-review.v1.json"


@dataclass(frozen=True, slots=True)
class Story:
    """One study of the thread.

    Attributes:
        place: its head.
        what: which case it is and what it shows, in a line.
        protocol: file name of the shipped protocol it is told under.
        write: tells it, once the protocol is locked and the policy stands.
    """

    place: HeadPlace
    what: str
    protocol: str
    write: Callable[[Writer, ProtocolDocument], Awaitable[None]]


STORIES: Final = (
    Story(
        early_canary.HEAD,
        "A2, an early canary: passes for the tested commit, which is not this head",
        CANARY_ONCE,
        early_canary.write,
    ),
    Story(
        starved.HEAD,
        "A1, a starved newcomer: the canary fails for the tested commit, cause not established",
        CANARY,
        starved.write,
    ),
    Story(
        wrong_url.HEAD,
        "A3, a wrong URL: nothing measured, neither a pass nor a regression",
        CANARY,
        wrong_url.write,
    ),
    Story(
        natural_pressure.HEAD,
        "A4, natural pressure: three invalid trials; cpu passes with 65 not tested, both boot",
        NATURAL_PRESSURE,
        natural_pressure.write,
    ),
    Story(
        repository_checks.HEAD,
        "A4, the repository's checks: 379 passed, 65 skipped",
        CHECKS,
        repository_checks.write,
    ),
    Story(
        image_boot.HEAD,
        "A4, both images boot",
        BOOT,
        image_boot.write,
    ),
    Story(
        landing.HEAD,
        "A5, landing: the canary holds in every arm, the controls spread too far for the default",
        LANDING,
        landing.write,
    ),
    Story(
        helper_registry.HEAD,
        "strict helper registry: published bytes taken, every other refused without a write",
        REGISTRY,
        helper_registry.write,
    ),
    Story(
        long_prefill.HEAD,
        "long-prefill overlap: a short peer answers during a prompt of a million tokens",
        LONG_PREFILL,
        long_prefill.write,
    ),
    Story(
        dual_capacity.HEAD,
        "dual capacity: two prompts of nearly a million tokens complete; no throughput claim",
        DUAL_CAPACITY,
        dual_capacity.write,
    ),
    Story(
        endurance.HEAD,
        "endurance: two processes work for 5 h 16 min 57 s",
        ENDURANCE,
        endurance.write,
    ),
    Story(
        source_review.HEAD,
        "source review: COMMENT, no independent acceptance",
        REVIEW,
        source_review.write,
    ),
    Story(
        contention.HEAD,
        "the contention study: not run anywhere",
        CONTENTION,
        contention.write,
    ),
)
PROTOCOLS: Final = tuple(dict.fromkeys(story.protocol for story in STORIES))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A claim: its question, and for each scope the protocols that may satisfy it."""

    question: str
    scopes: Mapping[Scope, Sequence[str]]


_ANSWERS: Final = (CANARY, CANARY_ONCE, LANDING)
CLAIMS: Final = {
    "land": Wanted(
        "May the source land with defaults unchanged?", {Scope.LIVE_CORRECTNESS: _ANSWERS}
    ),
    "default-chunk0": Wanted(
        "May TP=2 CHUNK=0 become the default?",
        {
            Scope.LIVE_CORRECTNESS: _ANSWERS,
            Scope.PERFORMANCE: (LANDING, NATURAL_PRESSURE, CONTENTION),
            Scope.FAIRNESS: (CONTENTION,),
        },
    ),
    "systems": Wanted(
        "Do the systems that change 180 adds do what they are for?",
        {
            Scope.SOURCE: (REVIEW,),
            Scope.CPU: (REGISTRY, CHECKS),
            Scope.BOOT: (BOOT,),
            Scope.LIVE_CORRECTNESS: (LONG_PREFILL,),
            Scope.ENDURANCE: (ENDURANCE,),
            Scope.CAPACITY: (DUAL_CAPACITY,),
        },
    ),
}


async def write_replays(writer: Writer, documents: Mapping[str, ProtocolDocument]) -> None:
    """Lock the protocols, make the claims they serve, and retell every study.

    Args:
        writer: who speaks.
        documents: the shipped protocols by file name.
    """
    for name in PROTOCOLS:
        await writer.lock(REPOSITORY, documents[name])
    await writer.set_policy(REPOSITORY, _claims(documents))
    writer.pass_time(DAY)
    for story in STORIES:
        await story.write(writer, documents[story.protocol])
        writer.pass_time(2 * HOUR)


def _claims(documents: Mapping[str, ProtocolDocument]) -> list[Claim]:
    digests = {name: sha256_hex(encode(documents[name])) for name in PROTOCOLS}
    return [
        Claim(
            name=name,
            question=wanted.question,
            required=[
                RequiredScope(scope=scope, protocols=[digests[each] for each in protocols])
                for scope, protocols in wanted.scopes.items()
            ],
        )
        for name, wanted in CLAIMS.items()
    ]
