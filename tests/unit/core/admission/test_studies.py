# SPDX-License-Identifier: Apache-2.0
"""May this protocol be applied to this head, with these pins?"""

from typing import Any

import pytest
from msgspec.structs import replace as changed

from app.core.errors import Conflict, NotAllowed, UnknownThing, Unprocessable
from app.core.identity import Role, instant_of
from app.core.statement.study import ArmPin, Head, ModelPin, Replay
from tests.documents import DAY_US, SETTING, commit, digest, document
from tests.factories import HEAD, TICK_US, Story, begun
from tests.facts import HARNESS, MODELS, TOPOLOGY, pin
from tests.unit.core.admission.refused import refused

DRAFT = ModelPin(repository="example/draft", revision=None)


def pins(**arms: ArmPin) -> dict[str, ArmPin]:
    """Return pins as they should be, save those given."""
    whole = {arm.id: pin(arm.id, head=HEAD) for arm in document().arms}
    return whole | arms


def test_study_opens_with_every_planned_slot() -> None:
    story = begun(document(repetitions=2))
    step = story.open()
    study = story.study()
    assert study.digest == step.digest
    assert list(study.slots) == [f"{arm}/C2-canary/{n}" for arm in ("A", "B", "A2") for n in (1, 2)]
    assert study.opened_at_us == story.now_us


def test_study_by_a_runner_is_refused() -> None:
    story = begun()
    with refused(story, NotAllowed, "role"):
        story.open(signer="runner")


def test_study_of_a_protocol_that_is_not_locked_here_is_refused() -> None:
    story = begun()
    with refused(story, UnknownThing, "unknown-protocol"):
        story.open(protocol=digest("a protocol"))


@pytest.mark.parametrize("ordinal", [1, 3])
def test_ordinal_gap_or_repetition_is_refused(ordinal: int) -> None:
    story = begun()
    story.open()
    with refused(story, Conflict, "ordinal"):
        story.open(ordinal=ordinal)
    story.open()
    assert [s.predicate.ordinal for s in story.standing().head.studies] == [1, 2]  # type: ignore[union-attr]  # the story's head


def test_first_study_of_a_head_is_number_one() -> None:
    story = begun()
    with refused(story, Conflict, "ordinal"):
        story.open(ordinal=2)


@pytest.mark.parametrize(
    "changes",
    [
        {"topology": changed(TOPOLOGY, tensor_parallel=1)},
        {"topology": changed(TOPOLOGY, nodes=1, hosts=["spark-1"])},
        {"topology": changed(TOPOLOGY, gpu_model="NVIDIA GB20")},
        {"topology": changed(TOPOLOGY, hosts=["spark-1"])},
        {"harness": changed(HARNESS, name="homemade")},
        {"harness": changed(HARNESS, version="9")},
    ],
)
def test_study_outside_the_locked_conditions_is_refused(changes: dict[str, Any]) -> None:
    story = begun()
    with refused(story, Unprocessable, "conditions"):
        story.open(**changes)


class TestRunners:
    """A study names runners that could act."""

    @pytest.mark.parametrize("runner", ["maintainer", "admin", "ledger", "nobody"])
    def test_key_that_is_no_runner_here_is_refused(self, runner: str) -> None:
        story = begun()
        with refused(story, Unprocessable, "runner"):
            story.open(runners=["runner", runner])

    def test_runner_of_another_repository_is_refused(self) -> None:
        story = begun()
        story.register("stranger", Role.RUNNER, repositories=["github.com/a/b"])
        with refused(story, Unprocessable, "runner"):
            story.open(runners=["stranger"])


class TestClosing:
    """A study ends after it began and within the locked window."""

    @staticmethod
    def open(story: Story, after_us: int) -> None:
        story.open(closes_at=instant_of(story.now_us + TICK_US + after_us))

    @pytest.mark.parametrize("after_us", [-1, 0, 7 * DAY_US + 1])
    def test_closing_outside_the_window_is_refused(self, after_us: int) -> None:
        story = begun()
        with refused(story, Unprocessable, "closes-at"):
            self.open(story, after_us)

    @pytest.mark.parametrize("after_us", [1, 7 * DAY_US])
    def test_closing_at_the_window_s_ends_is_taken(self, after_us: int) -> None:
        self.open(begun(), after_us)

    def test_window_of_a_replay_counts_from_opening_too(self) -> None:
        story = begun()
        replay = Replay(source="a public thread", not_published=[])
        long_ago = instant_of(story.now_us - 300 * DAY_US)
        with refused(story, Unprocessable, "closes-at"):
            story.open(replay=replay, closes_at=long_ago)
        story.open(replay=replay)


class TestArms:
    """One pin an arm, different only where the protocol says so."""

    @pytest.mark.parametrize(
        "arms",
        [
            {"A": pin("A", head=HEAD), "B": pin("B", head=HEAD)},
            pins(C=pin("C", head=HEAD)),
        ],
    )
    def test_arm_missing_or_too_many_is_refused(self, arms: dict[str, ArmPin]) -> None:
        story = begun()
        with refused(story, Unprocessable, "arms"):
            story.open(arms=arms)

    @pytest.mark.parametrize(
        "settings",
        [
            {SETTING: "skip"},
            {},
            {SETTING: "0", "SECRET_FLAG": "1"},
            {SETTING: "0", "MAX_NUM_SEQS": "8"},
        ],
    )
    def test_settings_that_do_not_make_the_arm_are_refused(self, settings: dict[str, str]) -> None:
        story = begun()
        with refused(story, Unprocessable, "settings"):
            story.open(arms=pins(B=pin("B", head=HEAD, settings=settings)))

    def test_disclosed_setting_that_all_arms_share_is_taken(self) -> None:
        story = begun()
        shared = {
            name: changed(one, settings={**one.settings, "MAX_NUM_SEQS": "8"})
            for name, one in pins().items()
        }
        story.open(arms=shared)

    @pytest.mark.parametrize(
        "changes",
        [
            {"commit": commit("other")},
            {"image": changed(pins()["A"].image, of="config")},  # type: ignore[type-var]  # a Struct
            {"settings_digest": digest("one flag more")},
        ],
    )
    def test_l08_return_control_that_is_not_its_control_is_refused(
        self, changes: dict[str, Any]
    ) -> None:
        story = begun()
        with pytest.raises(Unprocessable) as caught:
            story.open(arms=pins(A2=pin("A2", head=HEAD, **changes)))
        (finding,) = caught.value.findings
        assert (caught.value.code, finding.rule) == ("control", "E_CONTROL_NOT_UNCHANGED")
        assert finding.pointer == f"/predicate/arms/A2/{next(iter(changes))}"

    def test_candidate_that_differs_in_what_is_not_disclosed_is_refused(self) -> None:
        story = begun()
        flag = {"settings_digest": digest("one flag more")}
        with pytest.raises(Unprocessable) as caught:
            story.open(arms=pins(B=pin("B", head=HEAD, **flag)))
        (finding,) = caught.value.findings
        assert (caught.value.code, finding.rule) == ("settings", "E_UNDECLARED_DIFFERENCE")
        assert finding.pointer == "/predicate/arms/B/settings_digest"

    def test_candidate_may_run_another_commit_and_image_than_its_control(self) -> None:
        story = begun()
        base = {"commit": commit("base"), "relation": "the base it was made on"}
        story.open(arms=pins(A=pin("A", head=HEAD, **base), A2=pin("A2", head=HEAD, **base)))


NULLS: list[tuple[str, dict[str, Any]]] = [
    ("head.tree", {"head": Head(commit=HEAD, tree=None)}),
    ("arms.B.commit", {"arms": pins(B=pin("B", head=HEAD, commit=None))}),
    ("arms.B.image", {"arms": pins(B=pin("B", head=HEAD, image=None))}),
    ("arms.B.settings_digest", {"arms": pins(B=pin("B", head=HEAD, settings_digest=None))}),
    (
        "models.target.revision",
        {"models": changed(MODELS, target=changed(MODELS.target, revision=None))},
    ),
    ("models.draft.revision", {"models": changed(MODELS, draft=DRAFT)}),
    ("harness.sha256", {"harness": changed(HARNESS, sha256=None)}),
]


class TestNulls:
    """What is not pinned cannot be tested; what was not published is said."""

    @pytest.mark.parametrize(("path", "changes"), NULLS)
    def test_null_pin_outside_a_replay_is_refused(self, path: str, changes: dict[str, Any]) -> None:
        story = begun()
        with refused(story, Unprocessable, "pin-missing"):
            story.open(**changes)
        with refused(story, Unprocessable, "pin-missing"):
            story.open(**changes, replay=Replay(source="a public thread", not_published=[]))
        story.open(**changes, replay=Replay(source="a public thread", not_published=[path]))

    def test_null_base_and_change_are_no_pins_but_may_be_listed_in_a_replay(self) -> None:
        story = begun()
        story.open(base=None, change=None)
        listed = Replay(source="a public thread", not_published=["base", "change"])
        story.open(base=None, change=None, replay=listed)

    def test_pattern_names_every_arm_at_once(self) -> None:
        story = begun()
        arms = {name: changed(one, settings_digest=None) for name, one in pins().items()}
        listed = Replay(source="a public thread", not_published=["arms.*.settings_digest"])
        story.open(arms=arms, replay=listed)

    @pytest.mark.parametrize(
        "listed",
        [
            ["arms.*.settings_digest"],
            ["arms.A.commit"],
            ["arms.Z.commit"],
            ["closes_at"],
            ["*"],
        ],
    )
    def test_listing_what_is_not_null_is_refused(self, listed: list[str]) -> None:
        story = begun()
        arms = pins(B=pin("B", head=HEAD, settings_digest=None))
        replay = Replay(source="a public thread", not_published=["arms.B.settings_digest", *listed])
        with refused(story, Unprocessable, "not-published"):
            story.open(arms=arms, replay=replay)
