# SPDX-License-Identifier: Apache-2.0
"""A block that went through a thread: what it survives, and where it says it was changed."""

import textwrap

import pytest

from app.core.errors import FairtrialError, MalformedDocument
from app.core.signing.envelope import parse_envelope, to_json
from app.core.statement.key import CheckpointRef
from app.runner.armour import BEGIN, END, armoured, read_armoured, read_request
from tests.documents import digest
from tests.makers import Maker

CHECKPOINT = CheckpointRef(size=7, root=digest("a root"))
ENVELOPE = parse_envelope(
    Maker(genesis_digest=digest("genesis")).key("runner", checkpoint=CHECKPOINT).json
)
BLOCK = armoured(ENVELOPE)
LINES = BLOCK.splitlines()


def wrapped(text: str, width: int) -> str:
    return "\n".join(textwrap.wrap(" ".join(text.split("\n")), width, break_on_hyphens=False))


@pytest.mark.parametrize(
    "text",
    [
        BLOCK,
        f"Hello,\n\nplease sign:\n```\n{BLOCK}\n```\nThanks > all",
        "\r\n".join(LINES),
        "\n".join(f"> {line}" for line in LINES),
        "\n".join(f"> > {line}  " for line in LINES),
        "\n".join(f">{line}" for line in wrapped(BLOCK, 40).splitlines()),
        wrapped(BLOCK, 23),
        wrapped(BLOCK, 200),
        BLOCK.replace(" ", "\u00a0"),
        BLOCK.replace("\n", "\n\n\t"),
    ],
)
def test_block_is_read_quoted_wrapped_and_with_words_around_it(text: str) -> None:
    assert read_armoured(text) == ENVELOPE
    assert read_request(text.encode()) == ENVELOPE


def test_block_is_short_enough_to_paste() -> None:
    assert len(LINES) < 25
    assert max(map(len, LINES)) < 80


def test_envelope_itself_is_taken_too() -> None:
    assert read_request(b" \n" + to_json(ENVELOPE)) == ENVELOPE


@pytest.mark.parametrize("line", range(1, len(LINES) - 1))
def test_changed_character_is_named_by_its_line(line: int) -> None:
    old = LINES[line]
    for place in (0, len(old) - 1):
        new = "A" if old[place] != "A" else "B"
        changed = old[:place] + new + old[place + 1 :]
        with pytest.raises(MalformedDocument) as refused:
            read_armoured("\n".join([*LINES[:line], changed, *LINES[line + 1 :]]))
        assert f"on line {line + 1} of what was read" in refused.value.detail
        assert refused.value.code == "armour"


@pytest.mark.parametrize("line", range(1, len(LINES) - 2))
def test_line_that_was_lost_doubled_or_moved_is_noticed_there(line: int) -> None:
    lost = [*LINES[:line], *LINES[line + 1 :]]
    doubled = [*LINES[: line + 1], *LINES[line:]]
    swapped = [*LINES[:line], LINES[line + 1], LINES[line], *LINES[line + 2 :]]
    for lines, at in ((lost, line + 1), (doubled, line + 2), (swapped, line + 1)):
        if lines == LINES:
            continue
        with pytest.raises(MalformedDocument, match=rf"on line {at} "):
            read_armoured("\n".join(lines))


@pytest.mark.parametrize(
    "text", ["", "no block", BEGIN, f"{BEGIN}\n{END}", "\n".join(LINES[:-1]), "\n".join(LINES[1:]),
             f"{BEGIN}\n{END}\n{BLOCK}"],
)  # fmt: skip
def test_what_holds_no_whole_block_is_refused(text: str) -> None:
    with pytest.raises(FairtrialError):
        read_armoured(text)


def test_last_line_that_was_lost_is_noticed() -> None:
    with pytest.raises(MalformedDocument, match=r"ends too early|was changed"):
        read_armoured("\n".join([*LINES[:-2], LINES[-1]]))
