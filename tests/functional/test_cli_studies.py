# SPDX-License-Identifier: Apache-2.0
"""Slots, receipts, deviations and the log of a study, from the command line."""

from pathlib import Path

from tests.functional import papers
from tests.functional.conftest import Opened, Service
from tests.functional.papers import SLOTS, write
from tests.functional.processes import Here, read


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


def test_receipt_is_shown_as_it_was_signed(
    on_sqlite: Service, study: Opened, tmp_path: Path
) -> None:
    runner = on_sqlite.speak("runner")
    runner.result("slot", "reserve", study.digest, SLOTS[0], "--host", "spark-1")
    receipt = write(tmp_path, "receipt.json", papers.receipt(study.paper, study.digest, SLOTS[0]))
    capture = write(tmp_path, "capture.json", papers.capture(SLOTS[0]))
    pushed = read(runner.result("receipt", "push", receipt, "--capture", capture, "--json"))
    shown = read(runner.result("receipt", "show", pushed["statement"]))
    assert shown["predicate"]["slot"] == SLOTS[0]
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


def test_log_is_shown_by_line_and_by_checkpoint(on_sqlite: Service, study: Opened) -> None:
    somebody = on_sqlite.speak()
    entries = read(somebody.result("log", "show", "--json"))["entries"]
    assert [one["index"] for one in entries] == list(range(len(entries)))
    heads = read(somebody.result("log", "show", "--line", "head:", "--json"))["entries"]
    assert study.digest in {one["statement"] for one in heads}
    note = somebody.result("log", "show", "--checkpoint").decode()
    assert note.startswith("ledger.example/functional\n")
    assert read(somebody.result("log", "show", "--checkpoint", "--json"))["checkpoint"] == note
