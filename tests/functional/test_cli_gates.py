# SPDX-License-Identifier: Apache-2.0
"""Every gate of a verdict in words in a terminal: the sentences of the page, from one source."""

from msgspec import structs

from app.cli.judged import judged_lines
from app.core.statement.judgement import Judgement
from app.core.statement.verdict import VerdictDocument
from app.core.verdict.bundle import write_bundle
from app.core.verdict.judgement_text import how_text
from tests import facts
from tests.claims import compared, times
from tests.factories import begun
from tests.functional.processes import Here, read
from tests.reviews import reviewed_story
from tests.scores import only, protocol
from tests.unit.core.verdict.tales import B, bundled, fill, run_study, word
from tests.unit.core.verdict.test_review_gate import speak


def lines_of(document: VerdictDocument, *gates: Judgement) -> list[str]:
    (study,) = document.studies
    of = structs.replace(document, studies=[structs.replace(study, judgements=list(gates))])
    return list(judged_lines(of if gates else document))


def test_score_prints_every_gate_with_its_rule_its_numbers_and_why_units_are_unknown() -> None:
    story = begun()
    wrong = facts.capture(facts.incumbent(), facts.newcomer(answer_matched=False))
    run_study(story, {B: wrong})
    story.close_due()
    data = write_bundle(bundled(story))
    ended = Here()("score", "-", "--gates", "--claim", "land", stdin=data)
    assert ended.code == 0
    text = ended.out.decode()
    assert text.startswith("NOT_QUALIFIED for land\n")
    (document,) = [word(story)]
    for gate in document.studies[0].judgements:
        assert f"study 1, gate {gate.gate}: {gate.state} ({gate.reason})" in text
        assert f"  rule: {gate.rule}\n" in text
    assert f"  {B}: WRONG_ANSWER: newcomer lane 1: another answer than expected\n" in text
    assert "  cause: not established\n" in text
    as_json = Here()("score", "-", "--gates", "--claim", "land", "--json", stdin=data)
    assert as_json.out == Here()("score", "-", "--claim", "land", stdin=data).out
    assert read(as_json.out)["word"] == "NOT_QUALIFIED"


def test_blocks_say_their_bounds_in_the_words_of_the_page() -> None:
    story = begun()
    run_study(story)
    of = protocol(compared(), repetitions=6)
    judged = times(of, {arm: [1_000_000] * 6 for arm in ("A", "B", "A2")})
    gate = only(judged, "comparison-b")
    said = lines_of(word(story), gate)
    assert f"  {how_text(gate)}" in said
    assert "bounds: shift above" in how_text(gate)
    assert "  limit 1.1 (ratio, above 1 is worse); observed no value; margin no number" in said


def test_study_without_judgements_and_reviews_are_said_too() -> None:
    story = begun()
    story.open()
    fill(story, skip=[B])
    assert lines_of(word(story)) == ["", "study 1: no gate is judged"]
    reviewed = reviewed_story(2)
    speak(reviewed)
    speak(reviewed, "remy", "changes_requested")
    assert "  rita accepts, remy asks for changes" in lines_of(word(reviewed))
