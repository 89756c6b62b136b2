# SPDX-License-Identifier: Apache-2.0
"""Every code is given to a document, and every change that is offered heals what it is for."""

from fractions import Fraction

import pytest

from app.core.protocol.decimals import decimal_text
from app.core.protocol.lint import LintFinding, lint
from app.core.protocol.lint_codes import CODES
from app.core.protocol.patch import append, operations, patch_text, put, remove
from app.core.statement.protocol_document import ProtocolDocument
from tests.patches import patched
from tests.refused import REFUSED, each_refused

CASES = [
    pytest.param(code, document, id=f"{code}-{number}")
    for number, (code, document) in enumerate(each_refused())
]


def test_every_code_of_the_table_has_a_document_that_gets_it() -> None:
    assert {code for code, of in CODES.items() if of.found_by == "lint"} == set(REFUSED)


@pytest.mark.parametrize(("code", "document"), CASES)
def test_finding_is_healed_by_its_change_or_says_what_to_decide(
    code: str, document: ProtocolDocument
) -> None:
    findings = lint(document)
    assert code in {each.code for each in findings}
    for finding in findings:
        assert finding.code in CODES
        if finding.change:
            heals(document, finding, findings)
        else:
            assert "decide" in finding.detail.lower(), finding


def heals(
    document: ProtocolDocument, finding: LintFinding, before: tuple[LintFinding, ...]
) -> None:
    after = lint(patched(document, finding.change))
    place = (finding.code, finding.pointer)
    assert place not in {(each.code, each.pointer) for each in after}
    known = {each.code for each in before if each.pointer == finding.pointer}
    new = {
        each.code for each in after if each.severity == "error" and each.pointer == finding.pointer
    }
    assert new <= known


@pytest.mark.parametrize(("code", "document"), CASES)
def test_numbers_are_decimals_and_never_fractions(code: str, document: ProtocolDocument) -> None:
    of_code = [each for each in lint(document) if each.code == code]
    said = " ".join(f"{each.formula} {patch_text(each.change)}" for each in of_code)
    assert not any(f"{digit}/{other}" in said for digit in "0123456789" for other in "123456789")


def test_patch_is_written_as_rfc_6902_has_it() -> None:
    patch = put("/a/b", 1) + put("/a/0", "x") + append("/a", None) + remove("/a/1")
    assert operations(patch) == [
        {"op": "add", "path": "/a/b", "value": 1},
        {"op": "replace", "path": "/a/0", "value": "x"},
        {"op": "add", "path": "/a/-", "value": None},
        {"op": "remove", "path": "/a/1"},
    ]
    assert patch_text(remove("/a")) == '[{"op":"remove","path":"/a"}]'
    assert patch_text(()) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(5, 2), "2.5"),
        (Fraction(1, 20), "0.05"),
        (Fraction(10**12 + 1, 10**12), "1.000000000001"),
        (Fraction(1, 70), "0.0142857"),
        (Fraction(-1, 3), "-0.333333"),
        (Fraction(1, 2**40), "0.000000000000909495"),
    ],
)
def test_decimal_is_exact_where_twelve_places_are_enough(value: Fraction, text: str) -> None:
    assert decimal_text(value) == text
