# SPDX-License-Identifier: Apache-2.0
"""The cut of a receipt's body into envelope and capture."""

import time

import pytest

from app.core.errors import FairtrialError
from app.edge.limits import MAX_ENVELOPE_BYTES
from app.edge.receipt_body import split_receipt


def refused(body: bytes) -> str:
    with pytest.raises(FairtrialError) as caught:
        split_receipt(body)
    return caught.value.code


def test_parts_come_out_as_they_were_sent() -> None:
    parts = split_receipt(b' { "capture" : "KLUv/Q==" ,\n"envelope": {"a": [1,  2]} }\n')
    assert parts.envelope == b'{"a": [1,  2]}'
    assert parts.capture == b"(\xb5/\xfd"


def test_large_capture_is_taken() -> None:
    text = b"A" * (4 * 1024 * 1024)
    parts = split_receipt(b'{"envelope":{},"capture":"%b"}' % text)
    assert len(parts.capture) == 3 * 1024 * 1024


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"envelope":{},"capture":"","capture":""}', "duplicate-member"),
        (b'{"envelope":{},"envelope":{},"capture":""}', "duplicate-member"),
        (b'{"envelope":{"n":1,"n":2},"capture":""}', "duplicate-member"),
        (b'{"envelope":{"n":NaN},"capture":""}', "invalid-number"),
        (b'{"envelope":{"n":1e999},"capture":""}', "invalid-number"),
        (b'{"envelope":{"n":9007199254740993},"capture":""}', "int-range"),
        (b'{"envelope":{"n":"\\ud800"},"capture":""}', "invalid-unicode"),
        (b'{"envelope":{"n":"\xff"},"capture":""}', "invalid-unicode"),
        (b'{"envelope":{"n":"a\\u0000b"},"capture":""}', "nul-character"),
        (b'{"envelope":' + b"[" * 100 + b"]" * 100 + b',"capture":""}', "too-deep"),
        (b'{"envelope":' + b"[" * 100_000, "too-deep"),
        (b'\xef\xbb\xbf{"envelope":{},"capture":""}', "invalid-unicode"),
        ('{"envelope":{},"capture":""}'.encode("utf-16"), "invalid-unicode"),
        (b'{"envelope":{},"capture":"aGl="}', "base64"),
        (b'{"envelope":{},"capture":"aGk"}', "base64"),
        (b'{"envelope":{},"capture":"_-8="}', "base64"),
        (b'{"envelope":{},"capture":"a\\/8="}', "base64"),
        (b'{"envelope":{},"capture":" aGk="}', "base64"),
        (b'{"envelope":{},"capture":7}', "schema-violation"),
        (b'{"envelope":{},"capture":"","more":1}', "schema-violation"),
        (b'{"envelope":{}}', "schema-violation"),
        (b"[]", "schema-violation"),
        (b"", "malformed-document"),
        (b"{", "malformed-document"),
    ],
)
def test_j01_to_j07_what_is_not_exactly_two_members_is_refused(body: bytes, code: str) -> None:
    assert refused(body) == code


def test_j09_sixteen_mebibytes_of_numbers_are_refused_without_reading_them() -> None:
    body = b'{"envelope":[' + b"1," * (8 * 1024 * 1024 - 32) + b'1],"capture":""}'
    started = time.perf_counter()
    assert refused(body) == "too-large"
    assert time.perf_counter() - started < 2


def test_envelope_beside_the_capture_is_no_larger_than_any_other() -> None:
    body = b'{"envelope":{"a":"%b"},"capture":""}' % (b"x" * MAX_ENVELOPE_BYTES)
    assert refused(body) == "too-large"


def test_capture_text_that_also_stands_in_the_envelope_is_cut_once() -> None:
    parts = split_receipt(b'{"envelope":{"a":"aGk="},"capture":"aGk="}')
    assert parts.envelope == b'{"a":"aGk="}'
