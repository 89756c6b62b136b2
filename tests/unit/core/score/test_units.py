# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: ANN401  what a test changes in a gate or a capture is any JSON
"""What one unit of a comparison is: a wave, a boot, and the inside of a boot."""

from copy import deepcopy
from fractions import Fraction
from typing import Any

import msgspec

from app.core.protocol.gate import Domain
from app.core.protocol.plan import PlannedSlot, plan
from app.core.reason import Reason
from app.core.score.boot_ratio import boot_ratios
from app.core.score.interval import finite
from app.core.score.judge import ScoredSlot, judge_study
from app.core.score.judgement import counts_of
from app.core.score.observe import Evidence, Unit
from app.core.score.observed import Absence, Basis, Observed, above, absent, between, exact, unknown
from app.core.statement.protocol_document import ProtocolDocument
from tests import facts
from tests.claims import answered, compared, share, times
from tests.documents import document, streams_cell
from tests.gates import population
from tests.judged import ARMS, SAME, SLOW, filled_by, judged, record_of
from tests.scores import ABANDONED, MISSING, Filled, only, protocol, said


def test_slots_of_one_boot_count_once() -> None:
    boots = {f"A{each}": "one" for each in range(1, 7)}
    got = judged(compared(), boots=boots)
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert got.inference.subsets[0].subsets == 2
    unnamed = {f"B{each}": None for each in range(1, 7)}
    assert judged(compared(), boots=unnamed).inference.subsets[0].subsets == 2
    pair = {"B1": "one", "B2": "one"}
    assert judged(compared(), boots=pair).inference.subsets[0].subsets == 32


def test_slots_of_one_boot_are_folded_in_each_arm_of_a_bracket() -> None:
    bracket = compared("non_inferiority", "A", "A2", slot_summary="max")
    got = judged(bracket, boots={"B1": "one", "B2": "one"})
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert got.inference.against[0].pairs == 30
    gone = judged(bracket, {"B": [MISSING, *SAME[1:]]}, boots={"B3": "one", "B2": "one"})
    assert gone.inference.against[0].pairs == 30


def waves(arms: Any, *, of: int = 3, boots: Any = None, **gate_members: Any) -> Any:
    """Judge blocks of six repetitions in a row of which ``of`` were planned in one boot."""
    made = protocol(compared(slot_summary="median", **gate_members), repetitions=6)
    planned = msgspec.structs.replace(made.cells[0], waves=of)
    planned_in = msgspec.structs.replace(made, cells=[planned])
    named = {f"{arm}{n}": f"{arm}{(n - 1) // of}" for arm in ("A", "B") for n in range(1, 7)}
    got = times(planned_in, {**ARMS, **arms}, boots={**named, **(boots or {})})
    return only(got, "comparison-b")


def test_waves_of_one_boot_are_one_unit_and_all_slots_stay_in_sight() -> None:
    got = waves({"B": [SAME[0], 99_000_000, SAME[0], *SAME[3:]]}, of=3)
    assert (got.inference.subsets[0].subsets, len(got.inference.differences)) == (4, 2)
    assert (got.counts.planned, got.counts.exact) == (12, 12)
    assert said(got) == ("INCONCLUSIVE", "INSUFFICIENT_N")
    assert waves({}, of=1).inference.subsets[0].subsets == 64


def test_missing_wave_makes_no_unit_of_its_own() -> None:
    one_gone = waves({"B": [MISSING, *SAME[1:]]}, of=3)
    assert one_gone.inference.subsets[0].subsets == 4
    boot_gone = waves({"B": [MISSING, ABANDONED, MISSING, *SAME[3:]]}, of=3)
    assert boot_gone.inference.subsets[0].subsets == 4


def test_waves_that_ran_in_other_boots_than_planned_are_no_more_units() -> None:
    others = {f"B{n}": f"new-{n}" for n in range(1, 7)}
    assert waves({}, of=3, boots=others).inference.subsets[0].subsets == 4


def test_planned_boots_are_the_number_required() -> None:
    assert waves({"B": SLOW}, of=2, alpha="0.4").reason == "WORSE_IN_BLOCKS"
    assert said(waves({}, of=2, alpha="0.4")) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    short = waves({"B": [MISSING, *(each - 3_000_000 for each in SAME[1:])]}, of=2, alpha="0.4")
    assert short.state == "INCONCLUSIVE"


def test_boot_with_contradicted_receipts_is_unknown_for_pass_and_a_hull_for_fail() -> None:
    slow = answered(99_000_000, "B0")
    both = (*answered(98_000_000, "B0")[3], *slow[3])
    conflict: Filled = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), both)
    worse = {"B": [conflict, conflict, conflict, *SLOW[3:]]}
    assert waves(worse, of=3, alpha="0.4").reason == "WORSE_IN_BLOCKS"
    good = answered(SAME[0], "B0")
    near: Filled = ("INVALID", None, (Reason.CONFLICTING_RECEIPTS,), (*good[3], *good[3]))
    kept = waves({"B": [near, *SAME[1:]]}, of=3, alpha="0.4", required_n=1)
    assert kept.state == "INCONCLUSIVE"


def test_share_counts_planned_boots_where_its_unit_is_the_boot() -> None:
    at = population("B", role="newcomer", unit="boot")
    record = share(population=at, slot_summary="max", alpha="0.2")
    made = protocol(record, repetitions=6)
    of = msgspec.structs.replace(made, cells=[msgspec.structs.replace(made.cells[0], waves=2)])
    named = {f"B{n}": f"B{(n - 1) // 2}" for n in range(1, 7)}
    score = times(of, ARMS, boots=named)
    found = record_of(score, "quantile-b").share
    assert found is not None
    assert (found.n, only(score, "quantile-b").counts.planned) == (3, 6)
    assert said(only(score, "quantile-b")) == ("PASS", "CLAIM_ESTABLISHED")
    gone = times(of, {**ARMS, "B": [MISSING, *SAME[1:]]}, boots={**named, "B1": None})
    kept = record_of(gone, "quantile-b").share
    assert kept is not None
    assert kept.n == 3


def test_share_whose_unit_is_the_slot_requires_each_wave_of_a_boot() -> None:
    made = protocol(share(alpha="0.2"), repetitions=6)
    of = msgspec.structs.replace(made, cells=[msgspec.structs.replace(made.cells[0], waves=2)])
    assert said(only(times(of, ARMS), "quantile-b")) == ("PASS", "CLAIM_ESTABLISHED")
    one_gone = times(of, {**ARMS, "B": [MISSING, *SAME[1:]]})
    assert said(only(one_gone, "quantile-b")) == ("INCONCLUSIVE", "INSUFFICIENT_N")


# ---- ratios inside a boot ----


def two_cells() -> ProtocolDocument:
    value = msgspec.to_builtins(protocol(compared(), repetitions=6))
    solo = deepcopy(value["cells"][0])
    solo["id"] = "C1-solo"
    value["cells"].append(solo)
    value["gates"][0]["population"]["against_cell"] = "C1-solo"
    return msgspec.convert(value, ProtocolDocument)


def ratio_study(solo: Any = None, *, other_boot: bool = False) -> Any:
    of, slots = two_cells(), []
    for slot in plan(of):
        boot = f"{slot.arm}{slot.repetition}"
        if slot.cell == "C1-solo":
            filled = answered(4_000_000, f"{boot}x" if other_boot else boot)
            filled = filled if solo is None or slot.arm != "B" else solo[slot.repetition - 1]
        else:
            filled = answered(ARMS[slot.arm][slot.repetition - 1], boot)
        slots.append(ScoredSlot(slot, *filled))
    return only(judge_study(of, slots), "comparison-b")


def test_ratio_is_taken_inside_a_boot_and_nowhere_else() -> None:
    got = ratio_study()
    assert said(got) == ("PASS", "NON_INFERIOR_IN_BLOCKS")
    assert " over C1-solo of " in got.rule
    assert said(ratio_study(other_boot=True)) == ("INCONCLUSIVE", "MISSING_UNDECIDED")


def test_ratio_without_its_denominator_is_unknown() -> None:
    got = ratio_study([MISSING] * 6)
    assert said(got) == ("NOT_RUN", "NO_MEASURED_SLOT")
    assert got.counts.unknown == 6
    zero = answered(0, "B1")
    some = ratio_study([zero, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
    assert some.state == "INCONCLUSIVE"


def test_ratio_with_anything_missing_is_unknown() -> None:
    gone = ratio_study([MISSING, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
    assert gone.counts.unknown == 1
    arms: Any = {**ARMS, "B": [MISSING, *SAME[1:]]}
    of = two_cells()
    slots = [
        ScoredSlot(slot, *filled_by(arms[slot.arm][slot.repetition - 1], slot)) for slot in plan(of)
    ]
    assert only(judge_study(of, slots), "comparison-b").counts.unknown == 1


def test_ratio_needs_both_values() -> None:
    place = PlannedSlot("B/C/1", "B", "C", 1)
    capture = facts.capture(boot_id="boot")
    slot = ScoredSlot(place, "COMPLETE", None, (), (capture,))
    evidence = Evidence(slot, (capture,), (), streams_cell(document()))
    domain = Domain(Fraction(0), None)

    def ratio(top: Observed, bottom: Observed | None) -> Observed:
        over = [(evidence, Unit(place.id, None, top))]
        under = [] if bottom is None else [(evidence, Unit(place.id, None, bottom))]
        (unit,) = boot_ratios(over, under, domain=domain)
        return unit.observed

    assert ratio(exact(6), exact(3)) == exact(2)
    assert ratio(exact(6), None) == unknown()
    assert ratio(exact(6), unknown()) == unknown()
    assert ratio(unknown(), exact(3)) == unknown()
    assert ratio(exact(6), exact(0)) == unknown()
    censored, bounded = above(6), between(finite(1), finite(2))
    assert ratio(censored, bounded).basis is ratio(bounded, censored).basis is Basis.CENSORED
    for gone in (absent(Absence.ABANDONED), absent(Absence.UNSCORABLE, Reason.IMAGE_MISMATCH)):
        assert ratio(gone, exact(3)) == gone
        assert ratio(exact(6), gone) == gone


def test_slots_of_one_boot_of_which_one_has_no_value_are_unknown_together() -> None:
    unsent = facts.capture(facts.incumbent(), facts.newcomer(submitted_us=None), boot_id="one")
    silent: Filled = ("COMPLETE", None, (), (unsent,))
    arms = {"B": [*SAME[:4], answered(SAME[4], "one"), silent]}
    got = judged(compared(slot_summary="max"), arms)
    assert got.inference.subsets[0].subsets == 32
    assert got.state == "INCONCLUSIVE"


# ---- what caps and breaks every gate, for gates with a p-value too ----


def test_denominator_that_the_server_failed_makes_no_ratio() -> None:
    crashed: Filled = ("FAILED", "sut", (Reason.SERVER_FAULT,), ())
    failed = facts.capture(
        facts.incumbent(),
        facts.stream("newcomer", 680_000, error_class="connection_reset"),
        boot_id="B1",
    )
    for first in (crashed, ("FAILED", "sut", (Reason.SERVER_FAULT,), (failed,))):
        got = ratio_study([first, *(answered(4_000_000, f"B{each}") for each in range(2, 7))])
        assert got.counts.unknown == 1
        assert got.state == "INCONCLUSIVE"


def test_every_planned_unit_is_counted_as_exact_bounded_or_unknown() -> None:
    bases = [exact(1), exact(2), above(3), above(4), between(finite(1), finite(2)), unknown()]
    counts = counts_of([Unit("s", None, each) for each in bases])
    assert (counts.planned, counts.exact, counts.bounded, counts.unknown) == (6, 2, 3, 1)
