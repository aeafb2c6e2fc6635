from __future__ import annotations

import tracemalloc

import pytest

from engine.documents.reader import Unreadable
from engine.documents.safe_xml import elements, tree


def refused(data: bytes) -> str:
    with pytest.raises(Unreadable) as raised:
        tree(data)
    with pytest.raises(Unreadable) as in_pieces:
        list(elements(data, "b"))
    assert raised.value.reason == in_pieces.value.reason
    return raised.value.reason


@pytest.mark.parametrize(
    "declared",
    [
        '<!ENTITY e "eee">',
        '<!ENTITY % p "eee">',
        '<!ENTITY e SYSTEM "file:///etc/hostname">',
        f'<!ATTLIST b c CDATA "{"long" * 100}">',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_nothing_may_be_declared(declared: str, encoding: str) -> None:
    assert refused(f"<!DOCTYPE a [{declared}]><a><b/></a>".encode(encoding)) == "unsafe_xml"


def test_a_document_type_without_declarations_is_harmless() -> None:
    assert (
        tree(b'<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://x/ncx.dtd"><ncx>a &lt; b</ncx>').text
        == "a < b"
    )


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<a>",
        b"<a></b>",
        b"text",
        b"<a>&unknown;</a>",
        b"\xff\xfe\x00",
        b'<?xml version="1.0" encoding="nothing"?><a/>',
        b"<a>\xff</a>",
    ],
)
def test_damage(data: bytes) -> None:
    assert refused(data) == "damaged"


def test_what_would_grow_is_refused() -> None:
    assert refused(b"<a>" * 300 + b"</a>" * 300) == "unsafe_xml"
    assert refused(b'<a xmlns="' + b"n" * 5000 + b'"><b/></a>') == "unsafe_xml"
    assert refused(b"<a>" + b"".join(b"<n%d/>" % number for number in range(20_000)) + b"</a>") == "unsafe_xml"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1251"])
def test_encodings_are_those_that_the_file_names(encoding: str) -> None:
    data = f'<?xml version="1.0" encoding="{encoding}"?><a>\u043f\u0440\u0438</a>'.encode(encoding)
    assert tree(data).text == "\u043f\u0440\u0438"


def test_names_are_short_where_they_are_given_and_whole_elsewhere() -> None:
    root = tree(b'<p:a xmlns:p="urn:one" xmlns="urn:two" p:k="1" l="2"><b/></p:a>', {"urn:one": "o"})
    assert (root.tag, dict(root.attrib), root[0].tag) == ("{o}a", {"{o}k": "1", "l": "2"}, "{urn:two}b")


def test_what_is_skipped_leaves_the_text_after_it() -> None:
    root = tree(b"<a>one<s>two<s/>three</s>four<b/></a>", skip=lambda name, _: name == "s")
    assert (root.text, [child.tag for child in root]) == ("onefour", ["b"])


def test_elements_come_whole_with_what_they_belong_to() -> None:
    data = b"<a><t n='1'><r>x<r>inner</r></r></t><t n='2'><r/></t></a>"
    found = list(elements(data, "r", starts=("t",)))
    assert [(element.tag, element.get("n"), len(element)) for element in found] == [
        ("t", "1", 0), ("r", None, 1), ("t", "2", 0), ("r", None, 0)
    ]  # fmt: skip


def test_what_comes_before_the_damage_is_given() -> None:
    given = elements(b"<a><r>1</r><r>2</r></wrong>", "r")
    assert [next(given).text, next(given).text] == ["1", "2"]
    with pytest.raises(Unreadable):
        next(given)


def test_many_rows_need_the_memory_of_a_few() -> None:
    data = b"<a>" + b"<r><c>text</c></r>" * 50_000 + b"</a>"
    tracemalloc.start()
    assert sum(1 for _ in elements(data, "r")) == 50_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2_000_000
