# SPDX-License-Identifier: Apache-2.0
"""From a lock to a verdict, from outside: the command line, a served process, both databases."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.functional import papers
from tests.functional.conftest import Service
from tests.functional.papers import CLAIM, DIGEST, HEAD, PROTOCOL, REPOSITORY, SLOTS, write


def said(service: Service, role: str, *arguments: str) -> Any:  # noqa: ANN401 - any answer
    return json.loads(service.speak(role).result(*arguments, "--json"))


def test_main_path_gives_one_word_on_both_databases(service: Service, tmp_path: Path) -> None:
    linted = said(service, "maintainer", "protocol", "lint", str(PROTOCOL))
    assert linted["lockable"]
    assert linted["document"] == DIGEST
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]

    lock = ("protocol", "lock", str(PROTOCOL), *warnings)
    locked = said(service, "maintainer", *lock)
    policy = ("policy", "set", write(tmp_path, "policy.json", papers.policy()))
    named = said(service, "maintainer", *policy)

    closes_at = f"{datetime.now(UTC) + timedelta(hours=20):%Y-%m-%dT%H:%M:%SZ}"
    opened = papers.study(service.keys["runner"], closes_at)
    open_study = ("study", "open", write(tmp_path, "study.json", opened))
    study = said(service, "maintainer", *open_study)["statement"]

    reserve = ("slot", "reserve", study, *SLOTS, "--host", "spark-1")
    reserved = said(service, "runner", *reserve)
    assert reserved["challenge"] is not None
    held = json.loads(service.speak().result("verdict", HEAD, "--claim", CLAIM, "--json"))
    assert [one["code"] for one in held["reasons"]] == ["OPEN_STUDY", "SCOPE_NOT_PASS"]

    pushes = []
    for slot in SLOTS:
        name = slot.replace("/", "-")
        receipt = write(tmp_path, f"{name}.json", papers.receipt(opened, study, slot))
        capture = write(tmp_path, f"{name}.capture.json", papers.capture(slot))
        pushes.append(("receipt", "push", receipt, "--capture", capture))
        assert said(service, "runner", *pushes[-1])["effect"] == "scored"

    ended = service.speak()("verdict", HEAD, "--claim", CLAIM, "--exit-code")
    assert ended.code == 0
    assert ended.out.decode().startswith("QUALIFIED")

    bundle = str(tmp_path / "head.jsonl")
    service.speak().result("bundle", HEAD, "-o", bundle)
    path = f"{service.url}/v1/repos/{REPOSITORY}/heads/{HEAD}"
    served = httpx.get(path, params={"claim": CLAIM}, trust_env=False).content
    assert service.speak().result("score", bundle, "--claim", CLAIM) == served

    # The same again: the same places, and nothing written.
    size = len(said(service, "runner", "log", "show")["entries"])
    for role, first, again in (
        ("maintainer", locked, lock),
        ("maintainer", named, policy),
        ("runner", reserved, reserve),
    ):
        assert said(service, role, *again)["index"] == first["index"]
    assert said(service, "maintainer", *open_study)["statement"] == study
    for push in pushes:
        said(service, "runner", *push)
    assert len(said(service, "runner", "log", "show")["entries"]) == size

    status = said(service, "runner", "study", "status", study)
    assert status["state"] == "CLOSED"
    assert status["flow"]["complete"] == len(SLOTS)
