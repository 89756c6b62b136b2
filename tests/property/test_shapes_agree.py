# SPDX-License-Identifier: Apache-2.0
"""The decoder, two JSON Schema validators and the two ways of reading accept the same documents.

Good examples, and documents that leave out no member of their shape, are damaged at random: a
member dropped or added, a value of another type, another form of a name, a list grown or emptied.
Whatever comes out must be judged alike by all.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

import jsonschema
import jsonschema_rs
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.canonical import canonical, parse_canonical
from app.core.errors import FairtrialError
from app.core.log.leaf import parse_leaf
from app.core.statement.capture import CAPTURE_SHAPES
from app.core.statement.encoding import encode
from app.core.statement.kinds import SHAPES
from app.core.statement.protocol_document import ProtocolDocument
from app.core.statement.schema import CAPTURES, DOCUMENTS, schema_of
from app.core.statement.verdict import VerdictDocument
from tests.property.whole import Whole, filled_in, members_of
from tests.vectors.example_declarations import Document
from tests.vectors.example_refusals import REMOVED
from tests.vectors.make_examples import GOOD, changed

TYPES: dict[str, Any] = {
    **SHAPES,
    "protocol-document": ProtocolDocument,
    **{CAPTURES[named]: shape for named, shape in CAPTURE_SHAPES.items()},
    "verdict-document": VerdictDocument,
}
KINDS = sorted(TYPES)

OTHER_VALUES = [
    REMOVED,
    *(None, True, False, 0, 1, -1, 7, 2, 2**53 - 1, "7", "", "x", [], {}, ["x"], {"a": 1}),
    *("a" * 64, "a" * 64 + "\n", "A" * 64, "\uff11" * 64, "a" * 63, "a" * 40, "a" * 501, "a" * 500),
    *("sha256:" + "a" * 64, "vllm:latest", "2026-10-01T00:00:00Z", "2026-10-01T24:00:00Z", "1.5"),
    *("B/C2-canary/1", "B/C2-canary/0", "caf\u00e9", "a\u202eb", "a\u200bb", "a\nb", "\U0001f600"),
    *("a\ud7ffb", "\ue000", "/a/b", "//", "W_X", "FAIL", "inf", "-inf", "1/3", "any", "NOT_BEFORE"),
    *("checks", "jobs", "claim", "review", "streams", "nan"),
]
SUFFIXES = ["\n", " ", "x", "\uff11", "\u0660", "\u202e", "/"]


def places_of(node: object, place: str = "") -> Iterator[str]:
    members: list[tuple[Any, Any]] = []
    if isinstance(node, dict):
        members = list(node.items())
    elif isinstance(node, list):
        members = list(enumerate(node))
    for name, value in members:
        yield f"{place}/{name}"
        yield from places_of(value, f"{place}/{name}")


@cache
def whole(kind: str) -> Document:
    """Return a document of a kind that leaves out nothing of its shape."""
    made: Document = Whole([make() for make in GOOD.values()]).of(TYPES[kind])
    return made


def start(draw: st.DrawFn, kind: str) -> Document:
    is_whole = kind in TYPES and draw(st.booleans())
    return whole(kind) if is_whole else GOOD[kind]()


def at(document: Document, place: str) -> Any:  # noqa: ANN401 - any JSON
    node: Any = document
    for step in place.split("/")[1:]:
        node = node[int(step) if isinstance(node, list) else step]
    return node


@st.composite
def damaged(draw: st.DrawFn, kind: str) -> Document:
    """Return a good document of a kind with one place, or a few, changed."""
    document = start(draw, kind)
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(list(places_of(document)) or ["/x"]))
        way = draw(st.sampled_from(["value", "suffix", "member", "longer", "bool"]))
        value = at(document, place)
        if way == "suffix" and isinstance(value, str):
            document = changed(document, place, value + draw(st.sampled_from(SUFFIXES)))
        elif way == "member" and isinstance(value, dict):
            name = draw(st.sampled_from(["extra", "nonce", "A", "a b", "x" * 65, "\u00e9", "k"]))
            document = changed(document, f"{place}/{name}", draw(st.sampled_from(["x", 1, None])))
        elif way == "longer" and isinstance(value, list) and value:
            document = changed(document, place, value * draw(st.sampled_from([2, 17, 70])))
        elif way == "bool" and type(value) is int:
            document = changed(document, place, bool(value % 2))
        else:
            other = draw(st.sampled_from(OTHER_VALUES))
            if other is REMOVED and place.rpartition("/")[2].isdecimal():
                other = None
            document = changed(document, place, other)
    return document


@cache
def validators(name: str) -> tuple[jsonschema.Draft202012Validator, Any]:
    schema = schema_of(name)
    return jsonschema.Draft202012Validator(schema), jsonschema_rs.Draft202012Validator(schema)


@cache
def decoder(kind: str) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(TYPES[kind])


def decodes(kind: str, data: bytes) -> bool:
    try:
        return encode(decoder(kind).decode(data)) == data
    except msgspec.MsgspecError:
        return False


def is_described(kind: str, document: Document) -> tuple[bool, bool]:
    """Return what the two validators say, the document inside a statement included."""
    python, rust = validators(kind)
    answers = (python.is_valid(document), rust.is_valid(document))
    if kind in DOCUMENTS and any(answers):
        inner = document["predicate"]["document"]
        both = is_described(DOCUMENTS[kind], inner)
        return answers[0] and both[0], answers[1] and both[1]
    return answers


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_damaged_leaves_out_no_member_of_any_shape(kind: str) -> None:
    document = whole(kind)
    data = canonical(document)
    assert filled_in(decoder(kind).decode(data)) >= members_of(TYPES[kind])
    assert decodes(kind, data)
    assert is_described(kind, document) == (True, True)


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_decoder_and_both_validators_accept_the_same_documents(
    kind: str, data: st.DataObject
) -> None:
    document = data.draw(damaged(kind))
    accepted = decodes(kind, canonical(document))
    assert is_described(kind, document) == (accepted, accepted)


@given(data=st.data())
def test_leaf_reader_and_both_validators_accept_the_same_records(data: st.DataObject) -> None:
    record = data.draw(damaged("leaf"))
    try:
        parse_leaf(canonical(record))
        accepted = True
    except FairtrialError:
        accepted = False
    # The schema cannot say that a day exists; nothing here makes one that does not.
    assert is_described("leaf", record) == (accepted, accepted)


@st.composite
def respelled(draw: st.DrawFn, kind: str) -> bytes:
    """Return the bytes of an example with a piece of text put in, taken out or replaced."""
    data = canonical(start(draw, kind))
    at_byte = draw(st.integers(0, len(data)))
    length = draw(st.sampled_from([0, 0, 1, 2, 9]))
    piece = draw(
        st.sampled_from(
            [
                b"",
                b" ",
                b"\n",
                b",",
                b'"',
                b"\\",
                b"1",
                b"0",
                b"-",
                b".0",
                b"e1",
                b"[",
                b"}",
                b"\xff",
                b'"a":1,',
                b"null",
                b"true",
                b"NaN",
                b"\\u0000",
                b"\\ud800",
                b"\xef\xbb\xbf",
                b"\xc3\xa9",
                b"\\u0041",
                b"\\/",
                b"\xed\xa0\x80",
                b"9007199254740993",
                b"\\u00e9",
            ]
        )
    )
    return data[:at_byte] + piece + data[at_byte + length :]


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_fast_reading_accepts_exactly_what_slow_reading_accepts(
    kind: str, data: st.DataObject
) -> None:
    text = data.draw(st.one_of(respelled(kind), damaged(kind).map(canonical)))
    try:
        document = parse_canonical(text)
    except FairtrialError:
        slow = False
    else:
        slow = isinstance(document, dict) and all(is_described(kind, document))
    assert decodes(kind, text) == slow
