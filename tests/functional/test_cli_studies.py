# SPDX-License-Identifier: Apache-2.0
"""Slots, receipts, deviations and the log of a study, from the command line."""

import signal
import subprocess
from pathlib import Path

from tests.functional import papers
from tests.functional.conftest import Opened, Service
from tests.functional.papers import SLOTS, write
from tests.functional.processes import COMMAND, PROJECT, Here, environment_of, problem, read


def test_slots_of_an_arm_are_reserved_by_its_letter(on_sqlite: Service, study: Opened) -> None:
    arguments = ("slot", "reserve", study.digest, "--arm", "A", "--host", "spark-1")
    runner = on_sqlite.speak("runner")
    first = read(runner.result(*arguments, "--json"))
    assert read(runner.result(*arguments, "--json"))["index"] == first["index"]
    printed = runner.result("study", "status", study.digest).decode()
    assert "planned 6 = open 4 + reserved 2" in printed
    assert "A/C2-mixed/1  RESERVED" in printed
    nothing = runner(*arguments[:3], "--arm", "P", "--host", "spark-1", "--json")
    assert (nothing.code, read(nothing.out)["code"]) == (43, "no-slots")


def test_without_a_slot_the_next_ones_in_order_are_reserved(
    on_sqlite: Service, study: Opened
) -> None:
    runner = on_sqlite.speak("runner")
    runner.result("slot", "reserve", study.digest, SLOTS[1], "--host", "spark-1")
    runner.result("slot", "reserve", study.digest, "--host", "spark-1")
    runner.result("slot", "reserve", study.digest, "--count", "2", "--host", "spark-1")
    printed = runner.result("study", "status", study.digest).decode()
    assert "planned 6 = open 2 + reserved 4" in printed
    assert [f"{slot}  RESERVED" in printed for slot in SLOTS] == [True] * 4 + [False] * 2
    runner.result("slot", "reserve", study.digest, "--count", "99", "--host", "spark-1")
    nothing = runner("slot", "reserve", study.digest, "--host", "spark-1", "--json")
    assert (nothing.code, read(nothing.out)["code"]) == (43, "no-slots")


def test_slot_that_is_not_planned_ends_with_43_like_all_that_is_unknown(
    on_sqlite: Service, study: Opened
) -> None:
    ended = on_sqlite.speak("runner")(
        "slot", "reserve", study.digest, "B/no-such-cell/1", "--host", "spark-1", "--json"
    )
    assert (ended.code, read(ended.out)["code"]) == (43, "unknown-slot")


def test_receipt_is_shown_in_words_and_its_state_is_sealed_until_the_study_closes(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    runner = on_sqlite.speak("runner")
    runner.result("slot", "reserve", study.digest, SLOTS[0], "--host", "spark-1")
    receipt = write(tmp_path, "receipt.json", papers.receipt(study.paper, study.digest, SLOTS[0]))
    capture = write(tmp_path, "capture.json", papers.capture(SLOTS[0]))
    pushed = read(runner.result("receipt", "push", receipt, "--capture", capture, "--json"))
    show = ("receipt", "show", pushed["statement"])
    told = runner.result(*show).decode()
    assert f"slot     {SLOTS[0]}, attempt 1, in time" in told
    assert "state    sealed until closure; the study is OPEN" in told
    assert "capture  streams, " in told
    assert f"head     {study.head} of {papers.REPOSITORY}" in told
    shown = read(runner.result(*show, "--json"))
    assert shown["statement"]["predicate"]["slot"] == SLOTS[0]
    assert (shown["sealed"], shown["state"]) == (True, None)
    runner.result("deviate", study.digest, "--what", "It ends.", "--phase", "after", "--end")
    assert "state    COMPLETE" in runner.result(*show).decode()
    closed = read(runner.result(*show, "--json"))
    assert (closed["sealed"], closed["state"], closed["late"]) == (False, "COMPLETE", False)
    other = runner("receipt", "show", study.digest, "--json")
    assert (other.code, read(other.out)["code"]) == (43, "unknown-thing")


def test_receipt_for_a_slot_that_nobody_reserved_is_not_signed(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    runner = on_sqlite.speak("runner")
    capture = write(tmp_path, "capture.json", papers.capture(SLOTS[0]))
    unreserved = write(tmp_path, "other.json", papers.receipt(study.paper, study.digest, SLOTS[-1]))
    ended = runner("receipt", "push", unreserved, "--capture", capture, "--json")
    assert read(ended.out)["code"] == "not-reserved"


def test_capture_with_a_private_address_never_leaves_the_machine(tmp_path: Path) -> None:
    capture = papers.capture(SLOTS[0])
    capture["boot_id"] = "10.1.2.3"
    file = write(tmp_path, "capture.json", capture)
    receipt = write(tmp_path, "receipt.json", {"study": "0" * 64, "slot": SLOTS[0]})
    # No service is asked: nothing listens there.
    ended = Here({"FAIRTRIAL_URL": "http://127.0.0.1:9"})(
        "receipt", "push", receipt, "--capture", file, "--json"
    )
    document = read(ended.out)
    assert ended.code == 7
    assert document["errors"][0]["pointer"] == "/boot_id"
    assert "10.1.2.3" not in ended.out.decode() + ended.err


def test_deviation_ends_a_study(on_sqlite: Service, study: Opened) -> None:
    arguments = ("deviate", study.digest, "--what", "The power went.", "--phase", "before", "--end")
    maintainer = on_sqlite.speak("maintainer")
    first = read(maintainer.result(*arguments, "--json"))
    assert read(maintainer.result(*arguments, "--json"))["index"] == first["index"]
    state = read(maintainer.result("study", "status", study.digest, "--json"))["state"]
    assert state in {"DRAINING", "CLOSED"}


def test_ended_study_prints_what_became_missing(on_sqlite: Service, study: Opened) -> None:
    runner, maintainer = on_sqlite.speak("runner"), on_sqlite.speak("maintainer")
    runner.result("slot", "reserve", study.digest, SLOTS[0], "--host", "spark-1")
    arguments = ("study", "end", study.digest, "--why", "spark-2 lost its GPU.")
    planned = read(maintainer.result(*arguments, "--dry-run", "--json"))
    assert (planned["sent"], planned["state"], planned["missing"]) == (False, "OPEN", SLOTS[1:])
    assert "would become missing: " in maintainer.result(*arguments, "--dry-run").decode()
    ended = read(maintainer.result(*arguments, "--json"))
    assert (ended["sent"], ended["state"], ended["missing"]) == (True, "DRAINING", SLOTS[1:])
    assert [one["slot"] for one in ended["reserved"]] == [SLOTS[0]]
    again = maintainer.result(*arguments).decode()
    assert f"index      {ended['index']}" in again
    assert f"missing: {' '.join(SLOTS[1:])}" in again
    assert f": {SLOTS[0]}\n" in again.partition("reserved until ")[2]
    other = maintainer(*arguments[:-1], "Something else.", "--json")
    assert (other.code, problem(other)) == (6, "study-closed")


def test_watch_gives_up_with_12_and_follows_a_study_to_its_end(
    on_sqlite: Service, study: Opened
) -> None:
    somebody = on_sqlite.speak()
    given_up = somebody("study", "watch", study.digest, "--timeout", "0", "--json")
    assert given_up.code == 12
    (line,) = given_up.out.splitlines()
    assert [one["slot"] for one in read(line)["changed"]] == SLOTS
    assert "planned 6 = open 6" in given_up.err
    assert "next deadline " in given_up.err
    assert "A/C2-mixed   OPEN 2" in given_up.err
    on_sqlite.speak("maintainer").result("study", "end", study.digest, "--why", "No more.")
    closed = somebody("study", "watch", study.digest)
    assert closed.code == 0
    assert closed.out == b"CLOSED  planned 6 = missing 6\n"
    unknown = somebody("study", "watch", "0" * 64, "--json")
    assert (unknown.code, problem(unknown)) == (43, "unknown-study")


def test_interrupted_watch_ends_with_130(on_sqlite: Service, study: Opened) -> None:
    process = subprocess.Popen(
        [*COMMAND, "study", "watch", study.digest, "--url", on_sqlite.url],
        cwd=PROJECT,
        env=environment_of({}),
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    )
    assert process.stderr is not None
    process.stderr.readline()  # the first answer is told; now it waits
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130


def test_log_is_shown_by_line_and_by_checkpoint(on_sqlite: Service, study: Opened) -> None:
    somebody = on_sqlite.speak()
    entries = read(somebody.result("log", "show", "--json"))["entries"]
    assert [one["index"] for one in entries] == list(range(len(entries)))
    heads = read(somebody.result("log", "show", "--line", "head:", "--json"))["entries"]
    assert study.digest in {one["statement"] for one in heads}
    note = somebody.result("log", "show", "--checkpoint").decode()
    assert note.startswith("ledger.example/functional\n")
    assert read(somebody.result("log", "show", "--checkpoint", "--json"))["checkpoint"] == note
