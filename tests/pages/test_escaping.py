# SPDX-License-Identifier: Apache-2.0
"""W01 and W02: no text of a statement ever becomes markup, on any page and in any plot."""

import re

import msgspec
import pytest

from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.receipt import Original, Tool
from app.core.statement.study import HarnessPin
from app.pages.charts.badge import draw_badge
from app.pages.charts.strip import Row, Strip, draw_strip
from app.pages.charts.svg import element
from app.pages.charts.timeline import Span, draw_timeline
from tests import documents, facts
from tests.api.world import SLOTS
from tests.pages.reading import Node, read
from tests.pages.scenes import Scenes

POLYGLOT = (
    "'\"></title></script></svg></textarea><img src=x onerror=alert(1)>"
    "<script>alert(2)</script>{{7*7}}{% raw %}javascript:alert(3)//"
)
EXECUTABLE = frozenset(
    {"script", "img", "iframe", "object", "embed", "style", "form", "base", "foreignobject", "use"}
)


def assert_inert(page: Node) -> None:
    """Demand that nothing on the page could execute, load or navigate away."""
    for node in page.all():
        assert node.tag not in EXECUTABLE, node.tag
        for name, value in node.attributes.items():
            assert not name.startswith("on"), name
            assert name != "style"
            if name in {"href", "src", "action", "xlink:href"}:
                assert re.match(r"/[^/]|#|/$", value or ""), value


def hostile_document() -> ProtocolDocument:
    document = documents.document()
    return msgspec.structs.replace(
        document,
        question=POLYGLOT,
        not_claimed=[POLYGLOT],
        request_controls={"stream": POLYGLOT},
        arms=[
            msgspec.structs.replace(arm, settings=arm.settings | {"MAX_NUM_SEQS": POLYGLOT})
            for arm in document.arms
        ],
        conditions=msgspec.structs.replace(
            document.conditions,
            topology=msgspec.structs.replace(document.conditions.topology, gpu_model=POLYGLOT),
            harness=[
                msgspec.structs.replace(one, version=POLYGLOT)
                for one in document.conditions.harness
            ],
        ),
    )


async def hostile_paths(scenes: Scenes) -> list[str]:
    """Put the polyglot into every free text; return the pages that show it."""
    world = scenes.world
    world.document = hostile_document()
    await world.begin()
    scenes.on("hostile")
    notes = {"note": POLYGLOT}
    harness = HarnessPin(name="fairtrial-run", version=POLYGLOT, sha256=facts.HARNESS.sha256)
    study = await world.open(
        annotations=notes,
        topology=msgspec.structs.replace(facts.TOPOLOGY, gpu_model=POLYGLOT),
        harness=harness,
        arms={
            arm.id: facts.pin(
                arm.id,
                head=scenes.head,
                relation=POLYGLOT,
                settings=arm.settings,
            )
            for arm in world.document.arms
        },
    )
    receipts = await scenes.fill(
        study,
        {},
        annotations=notes,
        claims={"word": POLYGLOT},
        tool=Tool(name="tool", version=POLYGLOT),
        originals=[Original(name="a.json", sha256=documents.digest("a"), size=1)],
    )
    deviation = world.make.deviation(study.digest, [SLOTS[0]], what=POLYGLOT, annotations=notes)
    await world.put(deviation)
    repository = scenes.repository_path
    protocol = world.make.lock(world.document).parsed.statement.subject[0].digest.sha256
    return [
        "/", "/log", "/keys", "/reasons", "/problems",
        repository,
        f"{repository}/changes/180",
        scenes.head_path,
        f"{repository}/protocols/{protocol}",
        f"{repository}/studies/{study.digest}",
        *(f"{repository}/receipts/{one}" for one in receipts),
        *(f"/statements/{one}" for one in (study.digest, *receipts, deviation.digest)),
    ]  # fmt: skip


async def test_w01_polyglot_in_every_free_text_stays_text(world_scenes: Scenes) -> None:
    shown = 0
    for path in await hostile_paths(world_scenes):
        answer = await world_scenes.get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert "<script" not in answer.text
        assert "<img" not in answer.text
        page = read(answer.text)
        assert_inert(page)
        shown += POLYGLOT in page.text
    assert shown >= 7


async def test_w01_templates_are_not_filled_in_twice(world_scenes: Scenes) -> None:
    for path in await hostile_paths(world_scenes):
        assert "49" not in (await world_scenes.page(path)).text.split("7*7")[0][-10:]


def test_w02_text_of_a_plot_is_escaped_in_every_place() -> None:
    row = Row(POLYGLOT, "none", None, None, POLYGLOT)
    for drawn in (
        draw_strip(Strip(POLYGLOT, POLYGLOT, None, POLYGLOT, [row])),
        draw_timeline(POLYGLOT, [Span(POLYGLOT, POLYGLOT, note=POLYGLOT)]),
        draw_badge(POLYGLOT, POLYGLOT, colour=POLYGLOT),
    ):
        markup = str(drawn.to_markup())
        assert "<script" not in markup
        assert "<img" not in markup
        root = read(markup)
        assert_inert(root)
        assert POLYGLOT in root.all("title")[0].text


@pytest.mark.parametrize("name", ["script", "a", "image", "use", "foreignObject", "style"])
def test_w02_builder_knows_no_element_that_executes_or_loads(name: str) -> None:
    with pytest.raises(ValueError, match="No drawing uses the element"):
        element(name)


@pytest.mark.parametrize("name", ["onload", "onclick", "href", "xlink_href", "style", "x y", ""])
def test_w02_builder_takes_no_attribute_that_executes_or_loads(name: str) -> None:
    with pytest.raises(ValueError, match="No drawing uses the attribute"):
        element("g", **{name: "x"})


async def test_w02_badge_is_served_as_an_image_in_a_sandbox(scenes: Scenes) -> None:
    await scenes.qualified()
    answer = await scenes.get(f"{scenes.head_path}/badge.svg")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
