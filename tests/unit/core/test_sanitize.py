# SPDX-License-Identifier: Apache-2.0
"""What must not be published is refused by rule and place; what is legitimate passes.

Planted credentials are put together here from parts, so that no scanner takes them for real ones.
"""

import sys
from types import FrameType

import pytest

from app.core.canonical import canonical
from app.core.errors import NotSanitized
from app.core.statement import sanitize
from app.core.statement.sanitize import refuse_unsanitary
from tests.vectors.example_declarations import Document, policy_statement, protocol_statement
from tests.vectors.example_study import capture, deviation_statement, receipt_statement
from tests.vectors.make_examples import GOOD, changed

WHAT = "/predicate/what"
A, N = "abcdefghABCDEFGH", "0123456789"

PLANTED = {
    "token": [
        "sk-" + A + N,
        "it failed with sk-" + "proj-" + A + N + " in the log",
        "sk_" + "live_" + N + A,
        "hf_" + A * 2,
        "hf_" + "abc1defghij",
        *(f"gh{kind}_" + A * 2 for kind in "pousr"),
        "github" + "_pat_" + A + N,
        "glpat-" + A,
        "AKIA" + "IOSFODNN7EXAMPLE",
        "ASIA" + "IOSFODNN7EXAMPLE",
        "AIza" + A + A + "abc",
        "xoxb-" + N + "-" + N,
        "npm_" + A + A + N,
        "pypi-" + A + A,
        "nvapi-" + A + A,
        "tskey-" + "auth-" + A,
        "(" + "hf_" + A * 2 + ")",
    ],
    "private-key": [
        "-----BEGIN OPENSSH PRIVATE " + "KEY-----",
        "-----BEGIN EC PRIVATE " + "KEY----- MHcCAQEE",
        "-----BEGIN PGP PRIVATE " + "KEY BLOCK-----",
        "AGE-SECRET-" + "KEY-1QQQQ",
    ],
    "jwt": ["eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0.sig", "eyJhbGciOiJub25lIn0." + "e30."],
    "authorization": [
        "Bearer " + A,
        "bearer  " + N,
        "Authorization: Basic dXNlcg==",
        "proxy-authorization=x",
        "Set-Cookie: session=1",
    ],
    "credential": [
        "api_key=" + A,
        "API-KEY: " + A,
        "password = " + A,
        '"token": "' + A + '"',
        "it used HF_TOKEN=" + A,
        "client_secret:" + A,
    ],
    "url-credentials": ["https://user:pw@host.example/v1", "https://" + A + "@github.com/a/b"],
    "email-address": ["rosa@example.org", "Signed-off-by: R <rosa.b+x@mail.example.co.uk>"],
    "private-address": [
        *("10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.1.20"),
        *("100.64.0.1", "100.127.255.255", "127.0.0.1", "169.254.169.254", "010.0.0.1"),
        *("http://10.1.2.3:8000/v1", "from 192.168.0.0/16", "::1", "[::1]:8000", "fe80::1%eth0"),
        *("fd12:3456:789a::1", "fe80:0:0:0:0:0:0:1", "FC00::7", "::ffff:10.0.0.1"),
    ],
    "home-path": [
        *("/home/rosa/run", "log=/home/rosa", "file:///home/rosa/x", "/var/home/rosa/x"),
        *("/root", "/root/.ssh/id", "see /root.", "/Users/rosa/x", "C:\\Users\\rosa", "d:/Users/x"),
    ],
    "not-nfc": ["Gru\u0308\u00dfe", "\u212bngstr\u00f6m"],
    "hidden-character": ["harmless\U000e0041\U000e0042"],
}
LEGITIMATE = [
    "git+https://github.com/home/assistant",
    "https://in-toto.io/Statement/v1",
    "sha256:" + "fc12" * 16,
    "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
    "2026-10-01T10:00:22.300000Z",
    "10:00:22 and 21:00:01",
    "10.0.0-beta",
    "580.95.05",
    "8.8.8.8",
    "172.32.0.1 and 100.128.0.1 and 11.0.0.1 and 192.169.0.1",
    "1.10.0.0.1.2",
    "10.0.0.256",
    "2001:db8::1",
    "urn:fairtrial:capture:streams:v1",
    "the risk-assessment-of-many-words was read",
    "hf_overrides and hf_transformers",
    "task-specific sk-learn",
    "The Authorization header was missing.",
    "max_tokens=1024, LONG_PREFILL_TOKEN_THRESHOLD=1024",
    "tokenizer: llama",
    "by secret ballot; no password was asked for",
    "vllm/vllm-openai@sha256:" + "ab" * 32,
    "actions/checkout@v4",
    "docs/root and at home/away, in /homework or /rooted",
    "Gr\u00fc\u00dfe \U0001f600, \u65e5\u672c\u8a9e",
    "std::vector<int>",
    "the bearer",
    "C:/data",
]


def refused(document: Document) -> tuple[str, str]:
    with pytest.raises(NotSanitized) as refusal:
        refuse_unsanitary(canonical(document))
    (finding,) = refusal.value.findings
    return finding.pointer, finding.rule


@pytest.mark.parametrize(("rule", "text"), [(r, t) for r, texts in PLANTED.items() for t in texts])
def test_l15_planted_secret_is_refused_by_rule_and_place_and_not_echoed(
    rule: str, text: str
) -> None:
    with pytest.raises(NotSanitized) as refusal:
        refuse_unsanitary(canonical(changed(deviation_statement(), WHAT, text)))
    (finding,) = refusal.value.findings
    assert (finding.pointer, finding.rule) == (WHAT, rule)
    assert text not in refusal.value.detail + finding.detail + repr(refusal.value)


@pytest.mark.parametrize("text", LEGITIMATE)
def test_legitimate_text_passes(text: str) -> None:
    refuse_unsanitary(canonical(changed(deviation_statement(), WHAT, text)))


@pytest.mark.parametrize("kind", sorted(GOOD))
def test_examples_pass(kind: str) -> None:
    refuse_unsanitary(canonical(GOOD[kind]()))


@pytest.mark.parametrize("name", ["HF_TOKEN", "VLLM_API_KEY", "db-password", "Authorization"])
def test_l15_setting_named_like_a_credential_is_refused(name: str) -> None:
    place = f"/predicate/identities/settings/{name}"
    assert refused(changed(receipt_statement(), place, "abcdef")) == (place, "credential")
    refuse_unsanitary(canonical(changed(receipt_statement(), place, "none")))


def test_l15_secret_in_a_name_is_refused_without_naming_it() -> None:
    name = "sk-" + "abcdefgh12345678"
    place = "/predicate/annotations"
    assert refused(changed(receipt_statement(), f"{place}/{name}", "x")) == (place, "token")


def test_l15_secret_in_a_list_and_in_a_capture_is_refused() -> None:
    place = "/predicate/document/not_claimed/1"
    assert refused(changed(protocol_statement(), place, "mail a@b.example"))[0] == place
    place = "/observations/events/0/name"
    assert refused(changed(capture(), place, "hf_" + "abcd1234" * 4)) == (place, "token")


def test_j11_text_in_another_normal_form_is_refused() -> None:
    place = "/predicate/claims/0/question"
    composed = changed(policy_statement(), place, "Gr\u00fc\u00dfe?")
    decomposed = changed(policy_statement(), place, "Gru\u0308\u00dfe?")
    refuse_unsanitary(canonical(composed))
    assert refused(decomposed) == (place, "not-nfc")


def test_document_without_marks_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: bytes) -> None:
        pytest.fail("parsed")

    monkeypatch.setattr(sanitize, "parse_strict", fail)
    refuse_unsanitary(canonical(capture()))


def calls_to_sanitize(payload: bytes) -> int:
    """Count the work of one pass, in calls and returns of Python and of C."""
    count = 0

    def tick(_frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal count
        count += 1

    sys.setprofile(tick)
    try:
        refuse_unsanitary(payload)
    finally:
        sys.setprofile(None)
    return count


def test_j09_twice_the_texts_cost_at_most_two_and_a_half_times_the_work() -> None:
    def document(size: int) -> bytes:
        return canonical({"texts": ["task-1: a::b at 8.8.8.8, 'token' of @nobody"] * size})

    assert calls_to_sanitize(document(2000)) <= 2.5 * calls_to_sanitize(document(1000))


HOSTILE = [
    "eyJ",
    "sk-",
    "hf_",
    "a@",
    "a.",
    "1.",
    "::",
    "f:",
    "token=",
    "bearer ",
    "://",
    "/home/",
    "-",
]


@pytest.mark.parametrize("part", HOSTILE)
def test_j09_no_rule_backtracks_over_a_long_text(part: str) -> None:
    # A quadratic rule would take minutes here; linear ones take well under a second.
    text = part * ((1 << 18) // len(part))
    refuse_or_pass = canonical([text])
    try:
        refuse_unsanitary(refuse_or_pass)
    except NotSanitized:
        return
