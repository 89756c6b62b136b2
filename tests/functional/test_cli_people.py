# SPDX-License-Identifier: Apache-2.0
"""What people say from the command line, and how keys end."""

from pathlib import Path

import pytest

from tests.functional import papers
from tests.functional.conftest import Service
from tests.functional.papers import REPOSITORY
from tests.functional.processes import Here, problem, read

HEAD = "ab" * 20
HOLD = (
    *("hold", "place", "--why", "The newcomer starved.", "--until", "A comparison passes."),
    *("--next", "ada", "--what", "lock it", "--author-action", "rebase", "--tested", "30 checks"),
)


def new_key(service: Service, folder: Path, role: str, holder: str) -> str:
    """Register a key of a role and return its file."""
    file = str(folder / f"{holder}.pem")
    Here().result("key", "new", file)
    where = () if role == "admin" else ("--repository", REPOSITORY)
    owner = Here({"FAIRTRIAL_URL": service.url, "FAIRTRIAL_KEY": file})
    asked = owner.result("key", "request", "--role", role, "--holder", holder, *where)
    request = folder / f"{holder}.json"
    request.write_bytes(asked)
    service.speak("admin").result("key", "register", str(request))
    return file


@pytest.fixture(scope="module")
def reviewer(on_sqlite: Service, tmp_path_factory: pytest.TempPathFactory) -> Here:
    file = new_key(on_sqlite, tmp_path_factory.mktemp("reviewer"), "reviewer", "rita")
    settings = {"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_REPOSITORY": REPOSITORY}
    return Here({**settings, "FAIRTRIAL_KEY": file})


def test_hold_is_placed_over_changes_and_again_is_the_same(reviewer: Here) -> None:
    arguments = (*HOLD, "--change", "180", "--change", "149", "--json")
    first = read(reviewer.result(*arguments))
    assert first["line"] == f"repo:{REPOSITORY}"
    assert read(reviewer.result(*arguments))["index"] == first["index"]


def test_hold_is_cleared_by_whom_a_policy_names_and_is_not_placed_by_saying_the_same_again(
    on_sqlite: Service, reviewer: Here, tmp_path: Path
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    # One story, since a ledger that was given a policy has one for good.
    early = read(reviewer.result(*HOLD, "--head", HEAD, "--json"))
    assert early["line"] == f"head:{REPOSITORY}@{HEAD}"
    ended = maintainer("hold", "clear", early["statement"], "--why", "It passes.", "--json")
    assert (ended.code, read(ended.out)["code"]) == (4, "hold-clear")
    linted = read(maintainer.result("protocol", "lint", str(papers.PROTOCOL), "--json"))
    warnings = [f"--acknowledge={one['code']}" for one in linted["findings"]]
    maintainer.result("protocol", "lock", str(papers.PROTOCOL), *warnings)
    maintainer.result("policy", "set", papers.write(tmp_path, "policy.json", papers.policy()))
    held = (*HOLD, "--change", "281", "--json")
    placed = read(reviewer.result(*held))
    maintainer.result("hold", "clear", placed["statement"], "--why", "It passes.")
    again = reviewer(*held)
    assert (again.code, problem(again)) == (6, "hold-ended")
    assert f"--supersedes {placed['statement']}" in again.err
    anew = read(reviewer.result(*held, "--supersedes", placed["statement"]))
    assert anew["index"] > placed["index"]
    assert read(reviewer.result(*held, "--supersedes", placed["statement"])) == anew


def test_decision_that_was_taken_back_is_not_made_by_saying_the_same_again(
    on_sqlite: Service,
) -> None:
    maintainer = on_sqlite.speak("maintainer")
    said = ("decide", "cd" * 20, "declined", "--reason", "Not now.", "--json")
    first = read(maintainer.result(*said))
    assert read(maintainer.result(*said))["index"] == first["index"]
    back = ("--reason", "After all.", "--supersedes", first["statement"])
    maintainer.result(*said[:3], *back)
    again = maintainer(*said)
    assert (again.code, problem(again)) == (6, "decision-moved")
    assert f"--supersedes {first['statement']}" in again.err


def test_person_with_two_keys_has_one_say(
    on_sqlite: Service, reviewer: Here, tmp_path: Path
) -> None:
    del reviewer
    said = ("review", "ef" * 20, "--scope", "source", "--did", "read it", "--json")
    first = read(on_sqlite.speak("reviewer").result(*said))
    other = new_key(on_sqlite, tmp_path, "reviewer", "ada")
    settings = {"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_REPOSITORY": REPOSITORY}
    mine = Here({**settings, "FAIRTRIAL_KEY": other})
    second = read(mine.result(*said))
    assert second["index"] > first["index"]
    assert read(mine.result(*said))["index"] == second["index"]


def test_review_supersedes_ones_own_and_the_same_again_writes_nothing(reviewer: Here) -> None:
    reviewer.result(*HOLD, "--json")
    said = ("review", HEAD, "--scope", "source", "--did", "read it", "--did-not", "tests")
    first = read(reviewer.result(*said, "--json"))
    assert read(reviewer.result(*said, "--json"))["index"] == first["index"]
    second = read(reviewer.result(*said, "--outcome", "accepted", "--json"))
    assert second["index"] > first["index"]
    third = read(reviewer.result(*said, "--json"))
    assert third["index"] > second["index"]
    assert read(reviewer.result(*said, "--json"))["index"] == third["index"]


def test_decision_stands_beside_the_word(on_sqlite: Service, reviewer: Here) -> None:
    reviewer.result(*HOLD, "--json")
    maintainer = on_sqlite.speak("maintainer")
    landed = ("decide", HEAD, "landed_through", "--through-change", "309", "--reason", "Split.")
    maintainer.result(*landed)
    waived = ("decide", HEAD, "waived", "--scope", "performance", "--reason", "Off by default.")
    maintainer.result(*waived, "--expires", "2027-01-01T00:00:00Z")
    shown = read(maintainer.result("verdict", HEAD, "--json"))
    documents = shown.get("verdicts", [shown])
    assert [one["decided"] for one in documents[0]["decisions"]] == ["landed_through", "waived"]
    nothing = maintainer("decide", HEAD, "waived", "--reason", "Which scope?", "--json")
    assert (nothing.code, read(nothing.out)["code"]) == (7, "schema-violation")


def test_key_is_laid_down_by_its_holder_and_taken_away_by_an_admin(
    on_sqlite: Service, tmp_path: Path
) -> None:
    settings = {"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_REPOSITORY": REPOSITORY}
    mine = new_key(on_sqlite, tmp_path, "reviewer", "laid")
    holder = Here({**settings, "FAIRTRIAL_KEY": mine})
    holder.result("key", "retire", "--reason", "A new machine.")
    after = holder(*HOLD, "--why", "Later.", "--json")
    assert (after.code, read(after.out)["code"]) == (4, "key-retired")
    other = new_key(on_sqlite, tmp_path, "reviewer", "taken")
    key_id = read(Here().result("key", "new", str(tmp_path / "x.pem"), "--json"))["key"]
    unknown = on_sqlite.speak("admin")("key", "revoke", key_id, "--json")
    assert read(unknown.out)["code"] == "unknown-key"
    rows = read(on_sqlite.speak().result("key", "list", "--json"))["keys"]
    (taken,) = [row["key"] for row in rows if row["holder"] == "taken"]
    on_sqlite.speak("admin").result("key", "revoke", taken, "--reason", "Lost.")
    revoked = Here({**settings, "FAIRTRIAL_KEY": other})(*HOLD, "--why", "Last.", "--json")
    assert (revoked.code, read(revoked.out)["code"]) == (4, "key-revoked")


def test_s08_two_admins_doubt_a_key_at_once_or_one_after_the_other(
    on_sqlite: Service, tmp_path: Path
) -> None:
    second = new_key(on_sqlite, tmp_path, "admin", "second-admin")
    for holder in ("stolen-one", "stolen-two"):
        new_key(on_sqlite, tmp_path, "reviewer", holder)
    rows = read(on_sqlite.speak().result("key", "list", "--json"))["keys"]
    ids = {row["holder"]: row["key"] for row in rows}
    admin = on_sqlite.speak("admin")
    doubt = ("--reason", "The disk was lost.", "--suspect-from", "1")
    alone = admin("key", "revoke", ids["stolen-one"], *doubt, "--json")
    assert read(alone.out)["code"] == "threshold"
    admin.result("key", "revoke", ids["stolen-one"], *doubt, "--also", second)
    drafted = admin.result("key", "revoke", ids["stolen-two"], *doubt, "--draft")
    file = tmp_path / "draft.json"
    file.write_bytes(drafted)
    other = Here({"FAIRTRIAL_URL": on_sqlite.url, "FAIRTRIAL_KEY": second})
    answer = read(other.result("key", "revoke", "--request", str(file), "--json"))
    assert answer["kind"] == "key"
