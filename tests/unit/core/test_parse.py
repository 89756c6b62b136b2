# SPDX-License-Identifier: Apache-2.0
"""Statements and captures are read strictly, from the signed bytes, and nothing is echoed."""

import ast
from pathlib import Path
from typing import Any

import pytest

from app.core.canonical import canonical
from app.core.digest import sha256_hex
from app.core.errors import (
    FairtrialError,
    MalformedDocument,
    NotCanonical,
    SchemaViolation,
)
from app.core.statement import parse
from app.core.statement.kinds import SHAPES, predicate_type
from app.core.statement.parse import (
    encode,
    parse_capture,
    parse_document,
    parse_pilot,
    parse_statement,
    parse_verdict_document,
)
from app.core.statement.schema import CAPTURES
from app.core.statement.violations import MOST_FINDINGS
from tests.vectors.example_declarations import (
    HEAD,
    ORIGIN,
    REPOSITORY,
    Document,
    policy_statement,
    protocol_statement,
    signing_key,
)
from tests.vectors.example_study import (
    receipt_statement,
    reservation_statement,
    study_statement,
)
from tests.vectors.example_verdict import verdict_statement
from tests.vectors.make_examples import GOOD, changed

P = "/predicate"
APP = Path(parse.__file__).resolve().parents[2]


def refusal(document: Document | bytes, **options: str) -> FairtrialError:
    data = document if isinstance(document, bytes) else canonical(document)
    with pytest.raises(FairtrialError) as refused:
        parse_statement(data, **options)
    return refused.value


def places(error: FairtrialError) -> list[tuple[str, str]]:
    return [(finding.pointer, finding.rule) for finding in error.findings]


def respelled(old: bytes, new: bytes) -> bytes:
    data = canonical(reservation_statement())
    assert old in data
    return data.replace(old, new, 1)


def test_statement_keeps_the_verified_bytes_and_their_digest() -> None:
    payload = canonical(receipt_statement())
    parsed = parse_statement(payload, expect="receipt")
    assert parsed.payload is payload
    assert parsed.digest == sha256_hex(payload)
    assert parsed.kind == "receipt"
    assert parsed.signer == signing_key("runner").key_id
    assert parsed.audience.origin == ORIGIN
    assert parsed.subject.name == f"git+https://{REPOSITORY}"
    assert encode(parsed.statement) == payload


def test_encoding_of_shapes_is_the_canonical_form() -> None:
    for kind, make in GOOD.items():
        if kind != "leaf":
            data = canonical(make())
            readers: dict[str, Any] = {
                **dict.fromkeys(CAPTURES.values(), parse_capture),
                "protocol-document": parse_document,
                "pilot": parse_pilot,
                "verdict-document": parse_verdict_document,
            }
            shape = readers[kind](data) if kind in readers else parse_statement(data).statement
            assert encode(shape) == data


def test_text_beyond_ascii_is_encoded_as_jcs_does() -> None:
    document = changed(
        policy_statement(), f"{P}/claims/0/question", 'Gr\u00fc\u00dfe \U0001f600 "/\\?'
    )
    assert encode(parse_statement(canonical(document)).statement) == canonical(document)


def test_j01_duplicate_member_is_refused() -> None:
    error = refusal(respelled(b'"attempt":1', b'"attempt":2,"attempt":1'))
    assert isinstance(error, MalformedDocument)
    assert (error.code, places(error)[0][0]) == ("duplicate-member", f"{P}/attempt")


def test_s10_duplicate_member_of_the_frame_is_not_read_as_its_last() -> None:
    kind = b'"predicateType":"urn:fairtrial:reservation:v1"'
    other = b'"predicateType":"urn:fairtrial:receipt:v1",'
    assert refusal(respelled(kind, other + kind)).code == "duplicate-member"


def test_s10_statements_are_decoded_at_one_place_only() -> None:
    decoding = {"decode", "Decoder", "convert", "loads", "JSONDecoder"}
    found = {
        path.relative_to(APP).as_posix()
        for path in APP.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and node.attr in decoding
        and isinstance(node.value, ast.Name | ast.Attribute)
        and ast.unparse(node.value) in {"msgspec.json", "msgspec", "json"}
    }
    assert found == {
        "core/canonical.py",  # the strict reader
        "core/log/leaf.py",  # a leaf whose re-encode is the same bytes
        "core/signing/envelope.py",  # an envelope whose re-encode is the same bytes
        "core/statement/parse.py",  # statements, captures, documents
        "core/verdict/trust.py",  # a reader's own trust file, which is signed by nobody
        "core/verdict/bundle_file.py",  # the records of a bundle, which hold payloads as bytes
        "edge/receipt_body.py",  # the two members of a receipt's request
        "runner/compose.py",  # what a person wrote and nobody has signed yet
    }


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"1.0", b"-0"])
def test_j02_number_that_is_no_integer_is_refused(number: bytes) -> None:
    error = refusal(respelled(b'"attempt":1', b'"attempt":' + number))
    assert isinstance(error, MalformedDocument)
    assert error.code == "invalid-number"


def test_j03_lone_surrogate_is_refused() -> None:
    error = refusal(respelled(b'"annotations":{}', b'"annotations":{"a":"\\ud800"}'))
    assert (error.code, places(error)[0][0]) == ("invalid-unicode", f"{P}/annotations/a")


def test_j03_bytes_that_are_not_utf_8_are_refused() -> None:
    assert refusal(respelled(b"spark-1", b"spark\xff1")).code == "invalid-unicode"


@pytest.mark.parametrize(("depth", "code"), [(64, "schema-violation"), (65, "too-deep")])
def test_j05_depth_beyond_64_never_reaches_a_validator(depth: int, code: str) -> None:
    assert refusal(b"[" * depth + b"]" * depth).code == code


def test_j05_ten_thousand_brackets_are_refused_everywhere() -> None:
    data = b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    assert refusal(data).code == "too-deep"
    for read in (parse_capture, parse_document, parse_verdict_document):
        with pytest.raises(MalformedDocument):
            read(data)


@pytest.mark.parametrize("number", [b"9007199254740992", b"9223372036854775808", b"9" * 5000])
def test_j06_integer_beyond_2_53_is_refused(number: bytes) -> None:
    assert refusal(respelled(b'"attempt":1', b'"attempt":' + number)).code == "int-range"


@pytest.mark.parametrize("value", ["1", True, None, [], {}, [1], "", "true", -1, 0, 3])
def test_j07_nothing_is_coerced_to_a_count(value: object) -> None:
    error = refusal(changed(reservation_statement(), f"{P}/attempt", value))
    assert isinstance(error, SchemaViolation)
    assert places(error)[0][0] == f"{P}/attempt"


def test_j07_unknown_member_is_refused_and_its_name_is_not_repeated() -> None:
    error = refusal(changed(reservation_statement(), f"{P}/sk-live-abcdef123456", 1))
    assert places(error) == [(P, "additional-properties")]
    assert "sk-live" not in str(error) + repr(error.findings)


BAD_NAMES = [
    ("study", f"{P}/head/commit", HEAD + "\n"),
    ("study", f"{P}/head/commit", HEAD.upper()),
    ("study", f"{P}/head/commit", HEAD[:7]),
    ("study", f"{P}/head/commit", HEAD[:39]),
    ("study", f"{P}/head/commit", "\uff14" * 40),
    ("study", f"{P}/head/commit", "\u0664" * 40),
    ("study", f"{P}/head/commit", "main"),
    ("study", f"{P}/arms/B/image/digest", "vllm/vllm-openai:latest"),
    ("study", f"{P}/arms/B/image/digest", "sha256:" + "a" * 63),
    ("study", f"{P}/closes_at", "nope"),
    ("study", f"{P}/closes_at", "2026-10-03T24:00:00Z"),
    ("study", f"{P}/closes_at", "2026-13-03T00:00:00Z"),
    ("study", f"{P}/closes_at", "2026-10-03 00:00:00Z"),
    ("study", f"{P}/repository", "github.com/example-org/two-spark-recipe/tree"),
    ("study", f"{P}/repository", "https://github.com/a/b"),
    ("study", "/subject/0/name", "git+https://github.com/a"),
    ("reservation", f"{P}/host", "10.0.0.1"),
    ("reservation", f"{P}/slots/0", "B/C2-canary/0"),
]


@pytest.mark.parametrize(("kind", "place", "value"), BAD_NAMES)
def test_j08_name_in_another_form_is_refused(kind: str, place: str, value: str) -> None:
    error = refusal(changed(GOOD[kind](), place, value))
    assert places(error)[0][0] == place
    assert repr(value) not in repr(error.findings)


def test_j08_day_that_does_not_exist_is_refused() -> None:
    error = refusal(changed(study_statement(), f"{P}/closes_at", "2026-02-30T00:00:00Z"))
    assert places(error) == [(f"{P}/closes_at", "instant")]


@pytest.mark.parametrize("text", ["9" * 400, "1e999", "-1e999", "1" + "0" * 400, "NaN"])
def test_j10_number_beyond_a_float_is_refused(text: str) -> None:
    error = refusal(respelled(b'"attempt":1', b'"attempt":' + text.encode()))
    assert error.code in {"int-range", "invalid-number"}


UNSEEN = ["\u202e", "\u2066", "\u200b", "\u200d", "\u00ad", "\ufeff", "\u2028", "\n", "\t", "\x7f"]


@pytest.mark.parametrize("character", UNSEEN)
def test_j11_text_with_an_unseen_character_is_refused(character: str) -> None:
    place = f"{P}/claims/0/question"
    error = refusal(changed(policy_statement(), place, f"May it{character} land?"))
    assert places(error) == [(place, "pattern")]


@pytest.mark.parametrize("name", ["l\u0430nd", "Land", "land\u200b", "la\u0301nd", "land "])
def test_j11_identifier_beyond_ascii_slugs_is_refused(name: str) -> None:
    error = refusal(changed(policy_statement(), f"{P}/claims/0/name", name))
    assert places(error) == [(f"{P}/claims/0/name", "pattern")]


def test_j12_nul_is_refused() -> None:
    data = canonical(policy_statement()).replace(b"May the", b"May\\u0000the", 1)
    error = refusal(data)
    assert (error.code, places(error)[0][0]) == ("nul-character", f"{P}/claims/0/question")


def test_other_spelling_is_not_canonical() -> None:
    for data in (respelled(b'"attempt":1', b'"attempt": 1'), canonical(GOOD["key"]()) + b"\n"):
        assert isinstance(refusal(data), NotCanonical)


def test_every_kind_has_its_predicate_type() -> None:
    for kind in SHAPES:
        assert GOOD[kind]()["predicateType"] == predicate_type(kind)


def test_kind_other_than_expected_is_refused() -> None:
    error = refusal(study_statement(), expect="receipt")
    assert (error.code, places(error)[0][0]) == ("wrong-kind", "/predicateType")


UNKNOWN = ["urn:fairtrial:tombstone:v1", "urn:fairtrial:study:v2", "study", "urn:fairtrial::v1", ""]


@pytest.mark.parametrize("predicate_type", UNKNOWN)
def test_unknown_kind_or_version_is_told_apart(predicate_type: str) -> None:
    error = refusal(changed(study_statement(), "/predicateType", predicate_type))
    assert (error.code, places(error)[0][0]) == ("unknown-kind", "/predicateType")


@pytest.mark.parametrize("document", [{}, [], "text", None, {"predicateType": 7}])
def test_document_without_a_predicate_type_is_no_statement(document: Document) -> None:
    assert places(refusal(document)) == [("/predicateType", "type")]


def test_findings_name_what_is_expected_and_stop_somewhere() -> None:
    error = refusal({"predicateType": "urn:fairtrial:policy:v1"})
    assert places(error) == [("", "required")]
    assert "every member; _type, subject and predicate are missing" in error.findings[0].detail
    named = policy_statement()
    error = refusal(changed(named, f"{P}/repository", "owner/name"))
    assert "host/owner/name in lower case" in error.findings[0].detail
    del named["predicate"]["repository"]
    assert "every member; repository is missing" in refusal(named).findings[0].detail
    slots = ["x"] * 100
    error = refusal(changed(reservation_statement(), f"{P}/slots", slots))
    assert len(error.findings) == MOST_FINDINGS


def test_error_inside_a_nullable_object_is_explained_by_its_shape() -> None:
    place = f"{P}/identities/image/digest"
    error = refusal(changed(receipt_statement(), place, "latest"))
    assert {found for found, _ in places(error)} == {place}


def test_disagreement_of_decoder_and_schema_is_still_a_refusal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parse, "violations", lambda *_, **__: ())
    assert places(refusal(changed(reservation_statement(), f"{P}/attempt", 9))) == [("", "shape")]
    with pytest.raises(SchemaViolation):
        parse_capture(b"{}")
    with pytest.raises(SchemaViolation):
        parse_verdict_document(b"{}")


def test_fault_inside_a_locked_document_has_its_whole_pointer() -> None:
    place = f"{P}/document/cells/0/repetitions"
    assert places(refusal(changed(protocol_statement(), place, 0))) == [(place, "minimum")]
    place = f"{P}/document/word"
    assert places(refusal(changed(verdict_statement(), place, "GREEN"))) == [(place, "enum")]
