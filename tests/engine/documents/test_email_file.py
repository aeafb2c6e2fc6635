from __future__ import annotations

import base64
from email import message_from_bytes, policy
from email.message import EmailMessage

import pymupdf
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.documents import email_file
from engine.documents.email_file import open_email
from engine.documents.email_headers import words
from engine.documents.judge import judge
from engine.documents.ocr.languages import recognition_for
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Unreadable
from engine.documents.source import Source
from tests.engine.documents.test_inner_pictures import FOUND, drawn

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
    page = "<p>The formatted text of the <b>whole</b> letter, with all that it says about the tide.</p><i>Online</i>"
    plain = "The formatted text of the whole letter, with all that it says about the tide:\n[1] https://tern.org/7"
    assert body(message(plain, page).as_bytes()) == plain
    assert body(message("See HTML.", page).as_bytes()).startswith("The formatted text")
    assert body(message("", page).as_bytes()).startswith("The formatted text")


def test_what_only_the_formatted_text_says_is_read() -> None:
    prices = "<p>See the prices.</p><table><tr><td>Chairs</td><td>240 euro</td></tr></table>"
    address = "https://shop.example.com/orders/view?id=8347593847593&token=ab8d7f6a8d7f6a8d7f6a8sd7f6a8s7df6a8sd7f6a"
    assert body(message(f"See the prices: {address}", prices).as_bytes()) == "See the prices.\n\nChairs | 240 euro"
    both = body(message("See the prices. The code is 77.", prices).as_bytes())
    assert both == "See the prices. The code is 77.\n\nSee the prices.\n\nChairs | 240 euro"


def test_the_same_words_in_a_script_without_blanks_are_the_same_however_they_are_broken() -> None:
    plain = "\u6f6e\u6c50\u8868\u4eca\u5929\u53d1\n\u5e03\u4e86"
    page = f"<p>{plain.replace(chr(10), '')}</p>"
    assert body(message(plain, page).as_bytes()) == plain


PACKED = base64.encodebytes("Gr\u00fc\u00dfe: the tide is at noon on Friday, at pier 12.".encode())
AS_BASE64 = HEAD + b"Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n\n"


@pytest.mark.parametrize("text", ["Gr\u00fc\u00dfe: at noon!!", "At noon, on Friday."])
def test_what_a_mailing_list_puts_behind_packed_text_is_text(text: str) -> None:
    packed, foot = base64.encodebytes(text.encode()), "_______\nlist@tern.org\nhttps://tern.org/list"
    if b"=" in packed:  # nothing else shows that this is no more of it
        foot = "Unsubscribe\nhttps://tern.org/list"
    assert (b"=" in packed) == (text == "At noon, on Friday.")
    assert body(AS_BASE64 + packed + foot.encode() + b"\n") == f"{text}\n\n{foot}"


def test_packed_text_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    for broken in (PACKED.strip()[:-3] + b"!!\n", PACKED[:41]):
        pages, left_out = read(AS_BASE64 + broken)
        assert "Gr\u00fc\u00dfe: the tide is at" in pages[0].text and "\ufffd" not in pages[0].text
        assert left_out == [LeftOut("part", "", "damaged")]


def test_a_broken_line_of_packed_text_loses_no_other() -> None:
    packed = base64.encodebytes(b"The tide is at noon. " * 20).splitlines(keepends=True)
    packed.insert(3, b"?? ?? ??\n")
    assert body(AS_BASE64 + b"".join(packed)).count("The tide is at noon.") == 20


def test_what_is_called_packed_and_is_not_is_read_as_it_is() -> None:
    assert body(AS_BASE64 + b"Said plainly: at noon.\n") == "Said plainly: at noon."
    attached = AS_BASE64.replace(b"utf-8\n", b"utf-8; name=a.txt\n") + b"Said plainly: at noon.\n"
    assert [page.text for page in read(attached)[0]][1:] == ["Said plainly: at noon.\n"]


def test_what_nobody_sees_of_a_formatted_message_is_named() -> None:
    pages, left_out = read(message("", "<p>Seen<p style='display:none'>UNSEEN").as_bytes())
    assert pages[0].text.endswith("\n\nSeen") and left_out == [LeftOut("hidden", "")]


def test_an_attachment_that_breaks_off_is_damaged() -> None:
    data = (
        HEAD + b"Content-Type: multipart/mixed; boundary=x\n\n--x\n\nSee.\n--x\nContent-Type: application/pdf; "
        b"name=x.pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0xLjQKJ"
    )
    pages, left_out = read(data)
    assert len(pages) == 1 and {part.reason for part in left_out} == {"damaged"}


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


def shown(data: bytes, text: str = "<p>The tide table is below.</p>") -> bytes:
    """A message that shows a picture between its lines."""
    made = message("", f"{text}<img src='cid:shot'>")
    made.get_payload()[1].add_related(data, maintype="image", subtype="png", cid="<shot>", filename="shot.png")
    return made.as_bytes()


def test_pictures_between_the_lines_are_recognised() -> None:
    how = How(recognition=recognition_for("auto", "en_US"))
    pages, left_out = read(shown(drawn()), how)
    assert (len(pages), left_out) == (1, [])
    assert pages[0].text.endswith(f"The tide table is below.\n\n{FOUND}")
    pages, left_out = read(shown(drawn(), ""), how)
    assert pages[0].text.endswith(f"Subject: Tides\n\n{FOUND}") and pages[0].reason is None
    twice = message("Both.")
    for _ in range(2):
        twice.add_attachment(message_from_bytes(shown(drawn(), ""), policy=policy.default))
    assert [FOUND in page.text for page in read(twice.as_bytes(), how)[0]] == [False, True, False]


def test_a_message_of_nothing_but_a_picture_says_that_it_was_not_read() -> None:
    pages, left_out = read(shown(drawn(), ""))
    assert (pages[0].reason, left_out) == ("no_text_layer", [LeftOut("picture", "shot.png")])
    judged = judge("email", None, pages, None, left_out)
    assert judged.outcome == "partial" and judged.message is not None and "text recognition" in judged.message
    pages, left_out = read(shown(drawn()))
    assert (pages[0].reason, left_out) == (None, [LeftOut("picture", "shot.png")])


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


def test_of_messages_a_thousand_deep_the_outer_ones_are_read() -> None:
    data = HEAD + b"Content-Type: text/plain\n\nInnermost."
    for _ in range(1000):
        data = HEAD + b"Content-Type: message/rfc822\n\n" + data
    pages, left_out = read(data)
    assert [page.label for page in pages] == ["message", "Tides, message", "Tides, Tides, message"]
    assert left_out == [LeftOut("attachment", "Tides", "too_deep")]


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
    pages, left_out = read(deep)
    assert pages[0].text.startswith("From: Ada") and left_out == [LeftOut("part", "", "too_deep")]


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
    b"Content-Type: image/png\n",
    b"Zm9vIGJhciBiYXo=\nZm9",
    b"<img src='data:image/gif;base64,Zm9v'>",
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
