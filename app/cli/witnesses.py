# SPDX-License-Identifier: Apache-2.0
"""What ``log witness`` does: it serves a small witness until it is interrupted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.cli.misconfigured import Misconfigured
from app.cli.output import emit
from app.cli.serving import address, listen, require_free
from app.core.errors import FairtrialError
from app.core.log.cosignature import witness_of
from app.core.log.note import NoteVerifier, parse_vkey
from app.core.signing.keys import SigningKey
from app.runner.cosigner import Cosigner
from app.runner.witness_state import WitnessState
from app.storage.clock import SystemClock

MICROS = 1_000_000


@dataclass(frozen=True, slots=True)
class WitnessPlace:
    """Where a witness listens and what it remembers in."""

    state: Path
    host: str
    port: int


def serve_witness(
    name: str, key: SigningKey, logs: Sequence[str], place: WitnessPlace, *, as_json: bool
) -> None:
    """Serve a witness of the logs with these verifier keys.

    Raises:
        Misconfigured: a key that is none, or a name that no note can carry.
        IntegrityBroken: ``witness-state``.
    """
    known: defaultdict[str, list[NoteVerifier]] = defaultdict(list)
    try:
        witness = witness_of(name, key.public)
        for vkey in logs:
            log = parse_vkey(vkey)
            known[log.name].append(log)
    except FairtrialError as error:
        raise Misconfigured(error.detail) from error
    state = WitnessState(place.state)
    for origin in known:
        state.last(origin)
    require_free(place.host, place.port)
    clock = SystemClock()
    app = Cosigner(name, key, dict(known), state, lambda: clock.now_us() // MICROS)
    url = address(place.host, place.port)

    def listening() -> None:
        rows = {"url": url, "witness": witness.to_vkey()}
        emit(rows, [url, witness.to_vkey()], as_json=as_json)

    listen(app, host=place.host, port=place.port, listening=listening)
