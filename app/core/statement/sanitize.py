# SPDX-License-Identifier: Apache-2.0
"""What must never be published is refused at the door: named by rule and place, never masked.

The shapes have no member for prompts, answers or endpoints; this is the second net, for what people
and tools write into free text, settings and names. It refuses the usual forms of credentials,
private addresses, home folders and e-mail addresses, and text that is not in Unicode NFC or hides
characters. It cannot know every secret, and says so in SECURITY.md.

One pass of plain searches accepts what holds none of the forms' marks. Only a document that does is
parsed and its texts held against the rules, so the marks may be generous and the rules exact. Every
expression is of bounded width, so both passes are linear in the document.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Final, TypeAlias

import re2  # type: ignore[import-untyped]  # it comes without types

from app.core.canonical import JsonValue, parse_strict
from app.core.errors import Finding, NotSanitized

Rule: TypeAlias = Callable[[str], bool]

_MARKS: Final = (
    # Of credentials:
    *("sk[-_]", "rk_", "hf_", "gh[pousr]_", "github_pat_", "glpat-", "akia", "asia", "aiza", "xox"),
    *("npm_", "pypi-", "nvapi-", "tskey-", "eyj", "private", "age-secret-key", "bearer"),
    *("authorization", "cookie", "secret", "passw", "passphrase", "credential"),
    *("(?:api|access)[_-]?key", r"token[\"'\\=: ]"),
    # Of addresses, folders and people; JSON doubles a backslash:
    *("/home/", "/root", "/users/", r":[\\/]{1,4}users", "@"),
    *("::", ":[0-9a-f]{1,4}:[0-9a-f]{1,4}:", r"\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]"),
    # Of text that may not be in its one form:
    r"[\x80-\xff]",
)


def _bytewise() -> re2.Options:
    options = re2.Options()
    options.case_sensitive = False
    options.encoding = re2.Options.Encoding.LATIN1
    return options


# An automaton: one pass over the bytes, however many marks there are.
_MARKED: Final = re2.compile("|".join(_MARKS).encode(), options=_bytewise())

_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk-|sk_|gsk_|rk_)(?:[A-Za-z0-9_-]{16}|[A-Za-z_-]{0,16}[0-9][A-Za-z0-9_-]{7})"
    r"|hf_(?:[A-Za-z0-9]{16}|[A-Za-z]{0,16}[0-9][A-Za-z0-9]{7})"
    r"|gh[pousr]_[A-Za-z0-9]{8}|github_pat_[A-Za-z0-9_]{8}|glpat-[A-Za-z0-9_-]{8}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{12}|AIza[A-Za-z0-9_-]{20}|xox[abeoprs]-[A-Za-z0-9-]{8}"
    r"|npm_[A-Za-z0-9]{20}|pypi-[A-Za-z0-9_-]{20}|nvapi-[A-Za-z0-9_-]{12}"
    r"|tskey-[a-z]{1,16}-[A-Za-z0-9]{6})"
)
_JWT: Final = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{6,2048}\.[A-Za-z0-9_-]{2}")
_PRIVATE_KEY: Final = re.compile(r"PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-1", re.IGNORECASE)
_HEADER: Final = re.compile(
    r"\bbearer\s{1,4}[A-Za-z0-9._~+/=-]{6}|\b(?:proxy-)?authorization\s{0,4}[:=]|\bset-cookie\s{0,4}:",
    re.IGNORECASE,
)
_CREDENTIAL_NOUN: Final = (
    r"(?:api[_-]?key|access[_-]?key|private[_-]?key|secret|token|passw(?:or)?d|passphrase|credentials?"
    r"|authorization|cookie)"
)
_ASSIGNED: Final = re.compile(
    _CREDENTIAL_NOUN + r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?[^\s\"',;]{8}", re.IGNORECASE
)
_CREDENTIAL_NAME: Final = re.compile(_CREDENTIAL_NOUN + r"$", re.IGNORECASE)
_SHORTEST_CREDENTIAL: Final = 6

_QUAD: Final = re.compile(r"(?<![0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?![0-9]|\.[0-9])")
_IPV6: Final = re.compile(r"(?<![0-9A-Za-z:.])(?:[0-9A-Fa-f]{0,4}:){2,8}[0-9A-Fa-f]{0,4}")
_PRIVATE_4: Final = tuple(
    IPv4Network(net)
    for net in (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),  # RFC 1918
        *("100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),  # CGNAT, loopback, link-local
    )
)
_PRIVATE_6: Final = tuple(IPv6Network(net) for net in ("fc00::/7", "fe80::/10", "::1/128"))

_HOME: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:/(?:var|mnt|data|export|net))?/home/[A-Za-z0-9._-]"
    r"|(?<![A-Za-z0-9])/root(?![A-Za-z0-9_-])"
    r"|(?<![A-Za-z0-9])/Users/[A-Za-z0-9._-]"
    r"|(?<![A-Za-z0-9])[A-Za-z]:[\\/]{1,2}Users[\\/]",
)
_EMAIL: Final = re.compile(r"(?<=[^\s@/])@[A-Za-z0-9.-]{1,253}\.[A-Za-z]{2,24}(?![A-Za-z0-9])")
_URL_LOGIN: Final = re.compile(r"://[^/?#\s@]{1,256}@")
# Tags and variation selectors beyond the first plane, with which text is hidden in text.
_HIDDEN: Final = re.compile("[\U000e0000-\U000e0fff]")


def refuse_unsanitary(payload: bytes) -> None:
    """Refuse a canonical document that holds something which must not be published.

    Raises:
        NotSanitized: with the rule and the JSON pointer of the first place; where a member's name
            is at fault, that of the object that holds it.
    """
    if not _is_suspect(payload):
        return
    for place, name, text in _texts(parse_strict(payload)):
        rule = _broken_rule(name, text)
        if rule is not None:
            detail = "Expected text that may be published: remove what this rule is about."
            message = f"The document holds something that must not be published (rule {rule})."
            raise NotSanitized(message, findings=(Finding(place, rule, detail),))


def _is_suspect(payload: bytes) -> bool:
    return _MARKED.search(payload) is not None


def _texts(root: JsonValue) -> Iterator[tuple[str, str, str]]:
    """Yield (JSON pointer, member name, text) of every text and every name, in document order."""
    waiting: list[tuple[str, str, JsonValue]] = [("", "", root)]
    while waiting:
        place, name, value = waiting.pop()
        if isinstance(value, str):
            yield place, name, value
        elif isinstance(value, dict):
            for member in value:
                yield place, "", member
            # Names are slugs and settings by now, so no token needs an escape.
            waiting += [(f"{place}/{m}", m, value[m]) for m in reversed(value)]
        elif isinstance(value, list):
            waiting += [(f"{place}/{i}", name, value[i]) for i in reversed(range(len(value)))]


def _broken_rule(name: str, text: str) -> str | None:
    if len(text) >= _SHORTEST_CREDENTIAL and _CREDENTIAL_NAME.search(name):
        return "credential"
    if not _is_suspect(text.encode()):
        return None
    return next((rule for rule, breaks in _RULES.items() if breaks(text)), None)


def _is_private_4(text: str) -> bool:
    return any(
        any(_address(octets) in net for net in _PRIVATE_4)
        for octets in ([int(o) for o in found[0].split(".")] for found in _QUAD.finditer(text))
        if max(octets) <= 0xFF
    )


def _address(octets: list[int]) -> IPv4Address:
    # From numbers, because 010.0.0.1 is an address to some programs and none to this library.
    return IPv4Address(bytes(octets))


def _is_private_6(text: str) -> bool:
    for found in _IPV6.finditer(text):
        try:
            address = IPv6Address(found[0])
        except AddressValueError:
            continue  # a time of day, a digest with its algorithm
        if any(address in net for net in _PRIVATE_6):
            return True
    return False


def _found_by(expression: re.Pattern[str]) -> Rule:
    return lambda text: expression.search(text) is not None


_RULES: Final[dict[str, Rule]] = {
    "private-key": _found_by(_PRIVATE_KEY),
    "token": _found_by(_TOKEN),
    "jwt": _found_by(_JWT),
    "authorization": _found_by(_HEADER),
    "credential": _found_by(_ASSIGNED),
    "url-credentials": _found_by(_URL_LOGIN),
    "email-address": _found_by(_EMAIL),
    "private-address": lambda text: _is_private_4(text) or _is_private_6(text),
    "home-path": _found_by(_HOME),
    "not-nfc": lambda text: not unicodedata.is_normalized("NFC", text),
    "hidden-character": _found_by(_HIDDEN),
}
