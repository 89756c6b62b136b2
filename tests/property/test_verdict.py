# SPDX-License-Identifier: Apache-2.0
"""What holds for every head: no gap helps, restraints only lower, order changes nothing."""

from collections.abc import Callable, Mapping

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from app.core.identity import Scope, micros_of
from app.core.protocol.parse import document_digest
from app.core.statement.capture import StreamsCapture
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.bundle import score_bundle, write_bundle
from app.core.verdict.fold import verdict_bytes
from tests import documents, facts
from tests.documents import DAY_US
from tests.factories import Story, begun
from tests.unit.core.verdict.tales import bundled, word

MAKERS: Mapping[str, Callable[[], StreamsCapture]] = {
    "good": facts.capture,
    "starved": facts.starved,
    "server error": facts.server_error,
    "wrong url": lambda: facts.warmup_failed(405),
    "interrupted": facts.interrupted,
}
# An example is a whole ledger with its signatures: a quarter of the usual number is minutes enough.
FEWER = settings(max_examples=max(15, settings().max_examples // 4))
DOCUMENT = documents.document(repetitions=2, stop_rule={"on": []}, max_void_studies=1)
SLOTS = tuple(f"{arm}/{documents.CELL}/{n}" for arm in ("A", "B", "A2") for n in (1, 2))

Outcomes = Mapping[str, str]
# Good ones often, so that heads that qualify, and nearly qualify, are among the examples.
outcome = st.one_of(st.just("good"), st.just("good"), st.sampled_from([*MAKERS, "nothing"]))
outcomes = st.fixed_dictionaries(dict.fromkeys(SLOTS, outcome))
some_slots = st.sets(st.sampled_from(SLOTS), min_size=1)


def run(story: Story, filled: Outcomes, *, order: tuple[str, ...] = SLOTS) -> None:
    """Open a study, reserve every slot on its own, then fill them in ``order``."""
    story.open()
    for slot in SLOTS:
        story.reserve(slot)
    for slot in order:
        if filled[slot] != "nothing":
            story.push(slot, changed(MAKERS[filled[slot]](), boot_id=f"boot-{SLOTS.index(slot)}"))


def told(*studies: Outcomes) -> Story:
    """Return a story whose studies are all closed."""
    story = begun(DOCUMENT)
    for filled in studies:
        run(story, filled)
    story.wait(8 * DAY_US)
    return story


def green(document: VerdictDocument) -> bool:
    return document.word == "QUALIFIED"


@FEWER
@given(outcomes)
def test_a_study_qualifies_exactly_if_every_candidate_slot_was_measured_and_is_good(
    filled: Outcomes,
) -> None:
    """And nothing of its cell was reserved and then abandoned, in whatever arm."""
    candidates = {filled[slot] for slot in SLOTS if slot.startswith("B/")}
    controls = [{filled[s] for s in SLOTS if s.startswith(f"{arm}/")} for arm in ("A", "A2")]
    unusable = {"wrong url", "nothing"}
    scored = all(control - unusable for control in controls)
    kept = "nothing" not in filled.values()
    assert green(word(told(filled))) == (candidates == {"good"} and scored and kept)


@FEWER
@given(outcomes, some_slots)
def test_deleting_all_receipts_of_any_slots_never_qualifies(
    filled: Outcomes, gone: set[str]
) -> None:
    before = word(told(filled))
    after = word(told({**filled, **dict.fromkeys(gone, "nothing")}))
    assert green(before) or not green(after)


@FEWER
@given(outcomes, outcomes)
def test_a_further_study_only_lowers(first: Outcomes, second: Outcomes) -> None:
    story = told(first)
    before = word(story)
    run(story, second)
    during = word(story)
    story.wait(8 * DAY_US)
    after = word(story)
    assert green(before) or not (green(during) or green(after))
    if before.word == "NOT_QUALIFIED":
        assert (during.word, after.word) == ("NOT_QUALIFIED", "NOT_QUALIFIED")


@FEWER
@given(outcomes, some_slots, st.sampled_from(sorted(MAKERS)))
def test_a_second_receipt_only_lowers(filled: Outcomes, slots: set[str], second: str) -> None:
    story = begun(DOCUMENT)
    run(story, filled)
    for slot in sorted(slots):
        if filled[slot] != "nothing":
            story.push(slot, changed(MAKERS[second](), boot_id="boot-again"))
    story.wait(8 * DAY_US)
    after = word(story)
    candidates = {slot for slot in slots if slot.startswith("B/") and filled[slot] != "nothing"}
    assert green(word(told(filled))) or not green(after)
    assert not (candidates and green(after))


@FEWER
@given(outcomes, st.sampled_from(["scope", "protocol", "branch"]))
def test_a_stricter_policy_only_lowers(filled: Outcomes, stricter: str) -> None:
    story = told(filled)
    before = word(story)
    if stricter == "branch":
        story.policy(protocols=[document_digest(DOCUMENT)], tracked_branch="main")
    else:
        scopes = [Scope.LIVE_CORRECTNESS, Scope.ENDURANCE]
        story.lock(documents.document(name="other", scopes=scopes))
        story.policy(scopes=scopes if stricter == "scope" else scopes[:1])
    after = word(story)
    assert not green(after)
    assert before.word != "NOT_QUALIFIED" or after.word == "NOT_QUALIFIED"


@FEWER
@given(outcomes, st.permutations(SLOTS))
def test_upload_order_of_different_reservations_changes_no_judgement(
    filled: Outcomes, order: list[str]
) -> None:
    straight, mixed = begun(DOCUMENT), begun(DOCUMENT)
    run(straight, filled)
    run(mixed, filled, order=tuple(order))
    for story in (straight, mixed):
        story.wait(8 * DAY_US)
    one, other = word(straight), word(mixed)
    assert one.word == other.word
    assert one.required == other.required
    assert one.studies[0].judgements == other.studies[0].judgements
    assert one.studies[0].scopes == other.studies[0].scopes


@FEWER
@given(outcomes, st.booleans())
def test_a_bundle_gives_the_served_bytes(filled: Outcomes, closed: bool) -> None:
    story = begun(DOCUMENT)
    run(story, filled)
    if closed:
        story.wait(8 * DAY_US)
    data = write_bundle(bundled(story))
    assert score_bundle(data) == {"land": verdict_bytes(word(story))}


@FEWER
@given(outcomes, st.integers(min_value=0, max_value=8 * DAY_US))
def test_a_verdict_reads_the_same_at_the_log_time_it_names(filled: Outcomes, later: int) -> None:
    story = begun(DOCUMENT)
    run(story, filled)
    document = word(story, after_us=later)
    named = micros_of(document.as_of.log_time)
    assert named <= story.now_us + later
    assert verdict_bytes(word(story, after_us=named - story.now_us)) == verdict_bytes(document)
    for study in document.studies:
        flow = study.flow
        states = [getattr(flow, name) for name in type(flow).__struct_fields__ if name != "planned"]
        assert flow.planned == sum(states) == len(SLOTS)
