# SPDX-License-Identifier: Apache-2.0
"""XML from outside: what could fetch, grow, hide or exhaust is refused; the rest is elements."""

import socket
from pathlib import Path

import pytest

from app.core.errors import FairtrialError, MalformedDocument, TooLarge
from app.importers import elements
from app.importers.elements import read_elements

LAUGHS = (
    '<?xml version="1.0"?>\n<!DOCTYPE lolz [\n <!ENTITY lol "lol">\n'
    + "".join(f' <!ENTITY lol{n} "{f"&lol{n - 1};" * 10}">\n' for n in range(2, 10)).replace(
        "&lol1;", "&lol;"
    )
    + "]>\n<testsuites>&lol9;</testsuites>"
)
QUADRATIC = f'<!DOCTYPE a [<!ENTITY a "{"a" * 50_000}">]><testsuites>{"&a;" * 50_000}</testsuites>'


def refusal(data: bytes) -> FairtrialError:
    with pytest.raises(FairtrialError) as caught:
        read_elements(data)
    return caught.value


def test_elements_come_in_document_order_with_their_attributes_and_no_text() -> None:
    root = read_elements(b'\xef\xbb\xbf<a x="1"><b/>text<!-- c --><c y="&lt;&#65;"><d/></c></a>')
    assert (root.name, root.attributes) == ("a", {"x": "1"})
    assert [one.name for one in root.below()] == ["b", "c", "d"]
    assert root.children[1].attributes == {"y": "<A"}


@pytest.mark.parametrize(
    "text",
    [
        LAUGHS,
        QUADRATIC,
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:9/report.dtd"><testsuites/>',
        '<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><testsuites n="1">&e;</testsuites>',
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p"> %p;]><testsuites/>',
        '<!DOCTYPE a PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://127.0.0.1:9/x"><testsuites/>',
        "<!DOCTYPE testsuites><testsuites/>",
        "<!DOCTYPE a [<!NOTATION n SYSTEM 'n'><!ENTITY u SYSTEM 'u' NDATA n>]><testsuites/>",
        "<!DOCTYPE a [<!ATTLIST testsuites tests CDATA '9'>]><testsuites/>",
    ],
    ids=[
        *("billion-laughs", "quadratic-blow-up", "external-dtd", "external-entity"),
        *("parameter-entity", "public-id", "bare-doctype", "unparsed-entity", "default-attribute"),
    ],
)
def test_document_type_is_refused_before_anything_of_it_acts(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def touched(*_arguments: object, **_named: object) -> None:
        raise AssertionError("the reader opened something")

    monkeypatch.setattr(socket, "socket", touched)
    monkeypatch.setattr(Path, "open", touched)
    monkeypatch.setattr("builtins.open", touched)
    refused = refusal(text.encode())
    assert (type(refused), refused.code) == (MalformedDocument, "xml-doctype")


@pytest.mark.parametrize("entity", ["&lol;", "&nbsp;", "&#0;", "&#xD800;", "&#x110000;"])
def test_entity_that_nothing_declares_is_refused(entity: str) -> None:
    assert refusal(f"<testsuites>{entity}</testsuites>".encode()).code == "xml"
    assert refusal(f'<testsuites n="{entity}"/>'.encode()).code == "xml"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" \n",
        b"no markup",
        b'{"testsuites": []}',
        b"<testsuites>",
        b"<testsuites></testsuite>",
        b"<testsuites/><testsuites/>",
        b"<testsuites/>junk",
        b'<testsuites a="1" a="2"/>',
        b"<testsuites a=1/>",
        b'<testsuites a="<"/>',
        b"<testsuites>\x00</testsuites>",
        b'<testsuites name="a\x00b"/>',
        b"\x00<testsuites/>",
        b"<testsuites>\xff</testsuites>",
        b"<testsuites>\xed\xa0\x80</testsuites>",
        b"<testsuites>\xc0\xaf</testsuites>",
        "<testsuites/>".encode("utf-16"),
        "<testsuites/>".encode("utf-16-be"),
        "<testsuites/>".encode("utf-32"),
        '<?xml version="1.0" encoding="utf-16"?><testsuites/>'.encode("utf-16"),
        b'<?xml version="1.0"><testsuites/>',
        b"+ADw-testsuites/+AD4-",
    ],
)
def test_what_is_no_xml_in_utf_8_is_refused_and_never_quoted(data: bytes) -> None:
    refused = refusal(data)
    assert (type(refused), refused.code) == (MalformedDocument, "xml")
    assert "testsuites" not in refused.detail


@pytest.mark.parametrize(
    "encoding", ["utf-7", "iso-8859-1", "windows-1252", "utf-16", "us-ascii", "rot13", "no-such"]
)
def test_document_that_says_it_is_in_another_encoding_is_refused(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><testsuites/>'.encode()
    assert refusal(data).code == "xml-encoding"


@pytest.mark.parametrize("encoding", ["utf-8", "UTF-8", "Utf-8"])
def test_utf_8_may_be_said(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}" standalone="no"?><a n="é"/>'.encode()
    assert read_elements(data).attributes == {"n": "é"}


def test_attribute_of_ten_megabytes_is_refused() -> None:
    refused = refusal(b'<testsuites name="%b"/>' % (b"a" * 10_000_000))
    assert (type(refused), refused.code) == (TooLarge, "xml-limits")


def test_limit_of_an_attribute_is_its_own() -> None:
    longest = b"a" * elements.MAX_ATTRIBUTE_CHARACTERS
    assert len(read_elements(b'<a n="%b"/>' % longest).attributes["n"]) == len(longest)
    assert refusal(b'<a n="%ba"/>' % longest).code == "xml-limits"


def test_limit_of_depth_is_its_own() -> None:
    depth = elements.MAX_DEPTH
    assert len(list(read_elements(b"<a>" * depth + b"</a>" * depth).below())) == depth - 1
    assert refusal(b"<a>" * (depth + 1) + b"</a>" * (depth + 1)).code == "xml-limits"


def test_nesting_of_a_million_is_refused_at_its_thirty_third_element() -> None:
    assert refusal(b"<a>" * 1_000_000).code == "xml-limits"


def test_limit_of_attributes_is_their_own() -> None:
    def with_attributes(number: int) -> bytes:
        return b"<a %b/>" % b" ".join(b'n%d=""' % n for n in range(number))

    most = elements.MAX_ATTRIBUTES
    assert len(read_elements(with_attributes(most)).attributes) == most
    assert refusal(with_attributes(most + 1)).code == "xml-limits"
    assert refusal(with_attributes(50_000)).code == "xml-limits"


def test_limit_of_elements_is_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "MAX_ELEMENTS", 10)
    assert len(list(read_elements(b"<a>" + b"<b/>" * 9 + b"</a>").below())) == 9
    assert refusal(b"<a>" + b"<b/>" * 10 + b"</a>").code == "xml-limits"


def test_limit_of_bytes_is_held_before_anything_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements, "MAX_BYTES", 10)
    assert read_elements(b"<abcdefg/>").name == "abcdefg"
    assert refusal(b"<abcdefgh/>").code == "xml-limits"
