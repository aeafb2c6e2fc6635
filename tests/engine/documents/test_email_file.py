from __future__ import annotations

import base64
from email.message import EmailMessage

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents import email_file
from engine.documents.email_file import open_email
from engine.documents.email_headers import words
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Unreadable
from engine.documents.source import Source

HEAD = b"From: Ada <ada@tern.org>\r\nTo: Bo <bo@tern.org>\r\nSubject: Tides\r\nMIME-Version: 1.0\r\n"


def read(data: bytes, how: How | None = None) -> tuple[list[Page], list[LeftOut]]:
    reader = open_email(Source("a.eml", data=data), how or How())
    pages = list(reader.pages())
    assert [page.number for page in pages] == list(range(1, len(pages) + 1))
    assert list(reader.pages()) == pages
    return pages, list(reader.left_out)


def body(data: bytes) -> str:
    pages, _ = read(data)
    return pages[0].text.partition("\n\n")[2]


def message(text: str = "The tide is at nine.", html: str | None = None) -> EmailMessage:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ada <ada@tern.org>", "bo@tern.org", "Tides"
    made.set_content(text)
    if html is not None:
        made.add_alternative(html, subtype="html")
    return made


def pdf(words: str) -> bytes:
    document = pymupdf.open()
    for number in (1, 2):
        document.new_page().insert_text((50, 50), f"{words} {number}")
    data: bytes = document.tobytes()
    document.close()
    return data


def test_a_message_is_its_head_and_its_text() -> None:
    made = message()
    made["Cc"], made["Date"] = "Zo\u00eb <z@tern.org>", "Mon, 01 Jun 2026 09:00:00 +0200"
    pages, left_out = read(made.as_bytes())
    assert pages[0].text == (
        "From: Ada <ada@tern.org>\nTo: bo@tern.org\nCc: Zo\u00eb <z@tern.org>\nDate: Mon, 01 Jun 2026 09:00:00 +0200\n"
        "Subject: Tides\n\nThe tide is at nine."
    )
    assert (len(pages), pages[0].label, left_out) == (1, "message", [])


def test_the_plain_text_is_read_unless_it_only_stands_in() -> None:
    page = "<p>The <b>formatted</b> text of the whole letter, with all that it says about the tide.</p>"
    assert body(message("The plain text of the letter, which says it all.", page).as_bytes()).startswith("The plain")
    assert body(message("See HTML.", page).as_bytes()).startswith("The formatted text")
    assert body(message("", page).as_bytes()).startswith("The formatted text")


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (b"text/plain; charset=koi8-r", "\u041a\u043b\u044e\u0447".encode("koi8_r"), "\u041a\u043b\u044e\u0447"),
        (b"text/plain; charset=utf-8", "caf\u00e9 au lait".encode("latin-1"), "caf\u00e9 au lait"),
        (b"text/plain; charset=nonsense", "caf\u00e9".encode(), "caf\u00e9"),
        (b"text/plain; charset=us-ascii", "caf\u00e9".encode(), "caf\u00e9"),
        (b"text/html; charset=windows-1251", "<meta charset=utf-8>\u041a\u043b".encode("cp1251"), "\u041a\u043b"),
        (b"text/plain; format=flowed", b"one \r\ntwo\r\n> a \r\n> b\r\n-- \r\nAda", "one two\n> a b\n-- \nAda"),
        (b"text/plain; format=flowed; delsp=yes", b"o \r\nne", "one"),
        (b"multipart/mixed", b"no boundary at all", "no boundary at all"),
        (b"multipart/mixed; boundary=x", b"--x\r\n\r\nnever closed", "never closed"),
        (b"text/plain", b"On Monday Bo wrote:\r\n> quoted\r\n>> again", "On Monday Bo wrote:\n> quoted\n>> again"),
    ],
)
def test_text_as_it_comes(kind: bytes, text: bytes, expected: str) -> None:
    assert body(HEAD + b"Content-Type: " + kind + b"\r\n\r\n" + text) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("=?utf-8?B?w6l0w6k=?= =?utf-8?q?_=C3=A0?= x", "\u00e9t\u00e9 \u00e0 x"),
        ("=?utf-8?b?w6k?=", "\u00e9"),
        ("=?utf-8?q?=E2=82?= =?utf-8?q?=AC?=", "\u20ac"),
        ("=?ISO-2022-JP?B?GyRCPHw4bRsoQg==?=", "\u56da\u8aa4"),
        ("a =?x-none?q?b?= c", "a b c"),
        ("caf\udcc3\udca9", "caf\u00e9"),
        ("caf\udce9 au lait", "caf\u00e9 au lait"),
        ("no =? word ?=", "no =? word ?="),
    ],
)
def test_encoded_words(raw: str, expected: str) -> None:
    assert words(raw) == expected


def test_a_header_cannot_add_another() -> None:
    pages, _ = read(b"From: a@b.c\nSubject: =?utf-8?q?Hi=0D=0AFrom:_boss@tern.org?=\n\nText")
    assert pages[0].text == "From: a@b.c\nSubject: Hi From: boss@tern.org\n\nText"


def test_attachments_are_documents_of_their_own() -> None:
    made = message()
    made.add_attachment(pdf("The chart shows reef"), maintype="application", subtype="pdf", filename="../chart.pdf")
    made.add_attachment(b'a;b\n1;"2"\n3;4', maintype="application", subtype="octet-stream", filename="fees.csv")
    made.add_attachment(b"\x7fELF\2\1\1" + bytes(50), maintype="application", subtype="x-program", filename="run.bin")
    made.add_attachment(b"\x78\x9f\x3e\x22" * 9, maintype="application", subtype="ms-tnef", filename="winmail.dat")
    pages, left_out = read(made.as_bytes())
    assert [(page.label, page.text.strip()) for page in pages[1:]] == [
        ("chart.pdf, page 1", "The chart shows reef 1"),
        ("chart.pdf, page 2", "The chart shows reef 2"),
        ("fees.csv", "a | b\n1 | 2\n3 | 4"),
    ]
    assert left_out == [
        LeftOut("attachment", "winmail.dat", "unsupported_type"),
        LeftOut("attachment", "run.bin", "binary"),
    ]


def test_pictures_between_the_lines_are_no_documents() -> None:
    made = message("", "<p>The tide table is below.</p><img src='cid:logo'>")
    made.get_payload()[1].add_related(
        b"\x89PNG\r\n\x1a\n", maintype="image", subtype="png", cid="<logo>", filename="l.png"
    )
    pages, left_out = read(made.as_bytes())
    assert (len(pages), left_out) == (1, [LeftOut("picture", "l.png")])


def test_messages_within_messages_end_somewhere() -> None:
    made = message("Innermost.")
    for depth in range(4):
        outer = message(f"Level {depth}.")
        outer.add_attachment(made)
        made = outer
    pages, left_out = read(made.as_bytes())
    assert [page.text.rpartition("\n")[2] for page in pages] == ["Level 3.", "Level 2.", "Level 1."]
    assert [page.label for page in pages] == ["message", "Tides, message", "Tides, Tides, message"]
    assert [part.reason for part in left_out] == ["too_deep"]


def test_a_message_that_is_attached_packed() -> None:
    packed = base64.encodebytes(message("Inside.").as_bytes())
    data = HEAD + b"Content-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n" + packed
    assert [page.text.rpartition("\n")[2] for page in read(data)[0]][-1] == "Inside."


def test_what_is_locked_is_said() -> None:
    locked = HEAD + b"Content-Type: application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m\r\n\r\nxx"
    assert read(locked)[1] == [LeftOut("part", "smime.p7m", "locked")]
    signed = (
        HEAD + b"Content-Type: multipart/signed; boundary=x\r\n\r\n--x\r\n\r\nSaid.\r\n--x\r\n"
        b"Content-Type: application/pgp-signature; name=s.asc\r\n\r\nsig\r\n--x--"
    )
    pages, left_out = read(signed)
    assert pages[0].text.endswith("Said.") and left_out == [LeftOut("part", "s.asc")]


def test_a_message_packed_into_its_signature_is_not_silently_empty() -> None:
    data = HEAD + b"Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m\r\n\r\nxx"
    assert read(data)[1] == [LeftOut("part", "smime.p7m", "unsupported_type")]


def test_only_so_many_attachments_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(email_file, "MOST_ATTACHMENTS", 1)
    made = message()
    for name in ("a.txt", "b.txt"):
        made.add_attachment("text", filename=name)
    pages, left_out = read(made.as_bytes())
    assert [page.label for page in pages] == ["message", "a.txt"] and left_out[0].name == "b.txt"


def test_a_mailbox_is_its_messages_one_by_one() -> None:
    mailbox = b"".join(
        b"From ada@tern.org Mon Jun  1 09:00:00 2026\nFrom: ada@tern.org\nSubject: No %d\n\nText %d\n>From here on\n\n"
        % (n, n)
        for n in (1, 2)
    )
    pages, _ = read(mailbox)
    assert [(page.label, page.text.rpartition("\n\n")[2]) for page in pages] == [
        ("No 1", "Text 1\nFrom here on"),
        ("No 2", "Text 2\nFrom here on"),
    ]


def test_a_sentence_that_begins_like_a_new_message_is_kept() -> None:
    mailbox = (
        b"From ada@tern.org Mon Jun  1 09:00:00 2026\nSubject: a\n\nText.\n\nFrom then, 11:30, on it rained.\n\nEnd.\n"
    )
    pages, _ = read(mailbox)
    assert [page.text.partition("\n\n")[2] for page in pages] == ["Text.\n\nFrom then, 11:30, on it rained.\n\nEnd."]


def test_a_saved_page_is_read_as_a_page() -> None:
    data = (
        b"From: <Saved by Blink>\r\nSubject: Terns\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x\r\n"
        b"Content-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        b"<title>Terns</title><nav>MENU</nav><p>A bird=20of the s=\r\nea</p>"
        b"\r\n--x\r\nContent-Type: text/css\r\n\r\np {}\r\n--x--"
    )
    pages, left_out = read(data)
    assert (pages[0].text, pages[0].label) == ("# Terns\n\nA bird of the sea", "Terns")
    assert left_out == [LeftOut("part", "navigation")]


def test_a_draft_is_no_saved_page() -> None:
    assert read(b"Subject: Draft\nContent-Type: text/html\n\n<p>Text")[0][0].text == "Subject: Draft\n\nText"


def test_oddities_are_read() -> None:
    assert read(b"Hello")[0][0].text == "Hello"
    assert read(b"47\nSubject: kept by another program\n\nIts text stays<?xml settings?>")[0][0].text.endswith(
        "Its text stay"
    )
    assert read(b"Subject: nothing else\n\n")[0][0].text == "Subject: nothing else"
    deep = (
        HEAD
        + b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(3000))
        + b"\nx"
    )
    with pytest.raises(Unreadable) as refused:
        read(deep)
    assert refused.value.reason == "damaged"


PIECES = (
    HEAD,
    b"\n\n",
    b"\n--x\n",
    b"\n--x--\n",
    b"Content-Type: multipart/mixed; boundary=x\n",
    b"Content-Type: multipart/alternative; boundary=x\n",
    b"Content-Type: multipart/related; boundary=x\n",
    b"Content-Type: message/rfc822\n",
    b"Content-Type: text/html\n",
    b"Content-Transfer-Encoding: base64\n",
    b"Content-Disposition: attachment; filename*=utf-8''%FF\n",
    b"Subject: =?utf-8?b?//8?=\n",
    b"From a 10:10\n",
    b"<html><p>text",
    b"\xff\x00",
)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=20))
def test_any_order_of_its_pieces_has_an_outcome(pieces: list[bytes]) -> None:
    try:
        read(b"".join(pieces))
    except Unreadable as unreadable:
        assert unreadable.reason in ("damaged", "no_text")


def test_a_password_opens_what_is_attached() -> None:
    made = message()
    with pymupdf.open() as document:
        document.new_page().insert_text((50, 50), "The lease ends in June.")
        locked = document.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="heron-7", owner_pw="owner")
    made.add_attachment(locked, maintype="application", subtype="pdf", filename="lease.pdf")
    for password, reason in ((None, "encrypted"), ("otter", "wrong_password")):
        pages, left_out = read(made.as_bytes(), How(password))
        assert (len(pages), left_out) == (1, [LeftOut("attachment", "lease.pdf", reason)])
    pages, left_out = read(made.as_bytes(), How("heron-7"))
    assert (pages[1].text, pages[1].label, left_out) == ("The lease ends in June.", "lease.pdf, page 1", [])
