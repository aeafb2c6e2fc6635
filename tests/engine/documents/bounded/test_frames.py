"""What comes from the other process is believed only if it has the right form."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest

from engine.documents.bounded import frames, messages
from engine.documents.bounded.frames import BadFrame, Frame
from engine.documents.events import Event, GotPage, Opened, Through
from engine.documents.page import Page
from engine.documents.reader import How, LeftOut, Recognition, Unreadable

EVENTS: list[Event] = [
    Opened("pdf", 3),
    Opened("docx", None),
    GotPage(Page(1, "read", None, "text \u4e00\n\ud800", "The long tow", "Loans", "ocr"), 3),
    GotPage(Page(2, "failed", "damaged", ""), None),
    Through(None, (LeftOut("attachment", "a.txt"), LeftOut("part", "", "unsafe_xml"))),
]


def there_and_back(frame: Frame) -> Frame:
    stream = BytesIO()
    frames.write(stream, frame)
    frames.write(stream, Frame({"next": 1}))
    stream.seek(0)
    found = frames.read(stream)
    assert frames.read(stream) == Frame({"next": 1}) and frames.read(stream) is None
    assert found is not None
    return found


@pytest.mark.parametrize("event", EVENTS)
def test_events_travel_unchanged(event: Event) -> None:
    assert messages.event_of(there_and_back(messages.event_frame(event))) == event


def test_a_payload_may_hold_anything() -> None:
    assert there_and_back(Frame({"image": True}, b'{"bytes":3}\n\x00\xff')) == Frame(
        {"image": True}, b'{"bytes":3}\n\x00\xff'
    )


def test_how_a_document_is_to_be_read_travels_unchanged() -> None:
    how = How("p\u00e4ss", Recognition(("eng", "deu"), "/data"))
    frame = there_and_back(Frame(messages.asked_fields(Path("caf\udce9.pdf"), "a/b.txt", how)))
    assert messages.asked_how(frame.fields) == how
    assert (frame.fields["path"], frame.fields["member"]) == (str(Path("caf\udce9.pdf").absolute()), "a/b.txt")
    assert messages.asked_how(there_and_back(Frame(messages.asked_fields(Path("a"), None, How()))).fields) == How()


def test_why_nothing_can_be_read_travels_unchanged() -> None:
    found = messages.unreadable_of(there_and_back(messages.unreadable_frame(Unreadable("damaged", "So.", "pdf"))))
    assert found is not None
    assert (found.reason, found.message, found.kind) == ("damaged", "So.", "pdf")
    assert messages.unreadable_of(Frame({"end": None})) is None


@pytest.mark.parametrize(
    "line",
    [
        b"}{",
        b"[1]",
        b'{"bytes":-1}',
        b'{"bytes":true}',
        b'{"bytes":99999999999}',
        b'{"end":null}',
        b'{"bytes":4}\nabc',
        b'{"bytes":0',
        b"[" * 100_000,
        b"\xff\xfe{}",
    ],
)
def test_what_is_no_frame_is_refused(line: bytes) -> None:
    with pytest.raises(BadFrame):
        frames.read(BytesIO(line if b"\nabc" in line or line.endswith(b"0") else line + b"\n"))


def test_a_line_without_end_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "LONGEST_LINE", 100)
    with pytest.raises(BadFrame):
        frames.read(BytesIO(b'{"a":"' + b"x" * 1000 + b'","bytes":0}\n'))
    with pytest.raises(ValueError, match="too long"):
        frames.write(BytesIO(), Frame({"a": "x" * 100}))


PAGE = {"number": 1, "outcome": "read", "reason": None, "label": None, "section": None, "source": "text"}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"opened": {"kind": 1, "page_count": 1}},
        {"opened": {"kind": "pdf", "page_count": "1"}},
        {"opened": {"kind": "pdf"}},
        {"opened": 7},
        {"page": {**PAGE, "number": 0}, "page_count": 1},
        {"page": {**PAGE, "number": True}, "page_count": 1},
        {"page": {**PAGE, "outcome": "fine"}, "page_count": 1},
        {"page": {**PAGE, "reason": "nobody knows"}, "page_count": 1},
        {"page": {**PAGE, "reason": ["damaged"]}, "page_count": 1},
        {"page": {**PAGE, "label": 3}, "page_count": 1},
        {"page": {**PAGE, "source": "thin air"}, "page_count": 1},
        {"page": PAGE, "page_count": -1},
        {"page": PAGE},
        {"through": {"page_count": 1, "left_out": [{"what": "soul", "name": "", "reason": None}]}},
        {"through": {"page_count": 1, "left_out": 5}},
    ],
)
def test_what_is_no_event_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(BadFrame):
        messages.event_of(Frame(fields))


def test_text_that_is_no_utf_8_is_refused() -> None:
    with pytest.raises(BadFrame):
        messages.event_of(Frame({"page": PAGE, "page_count": 1}, b"\xff"))


@pytest.mark.parametrize("said", [[1, None, None], ["damaged"], ["nobody knows", None, None], 3])
def test_what_is_no_reason_is_refused(said: object) -> None:
    with pytest.raises(BadFrame):
        messages.unreadable_of(Frame({"unreadable": said}))
