"""Pictures of every kind that is read, made here."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from engine.documents.kinds import kind_of
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.pictures import frame, frame_count, opened
from engine.documents.reader import How, Recognition, Unreadable
from engine.documents.source import Source
from tests.engine.documents.ocr.test_tesseract import LINES, picture
from tests.engine.documents.test_recognition import recognition


def written(image: Image.Image, form: str, **how: Any) -> bytes:
    data = BytesIO()
    image.save(data, form, **how)
    return data.getvalue()


def pages(data: bytes, how: How | None = None, name: str = "a.bin") -> list[Page]:
    kind, reader = open_document(Source(name, data=data), how or How(recognition=recognition()))
    assert kind == "picture"
    try:
        return list(reader.pages())
    finally:
        reader.close()


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP"])
def test_every_form_of_picture_is_known_by_its_content_and_needs_recognition(form: str) -> None:
    found = pages(written(picture(LINES).convert("RGB"), form), How())
    assert [(page.outcome, page.reason, page.text) for page in found] == [("needs_ocr", "no_text_layer", "")]


def test_the_text_of_a_picture_is_recognised() -> None:
    (page,) = pages(written(picture(LINES), "PNG"))
    assert (page.outcome, page.source, page.text.split("\n")) == ("read", "ocr", list(LINES))


def test_a_picture_stays_unread_where_the_data_is_gone() -> None:
    (page,) = pages(written(picture(LINES), "PNG"), How(recognition=Recognition(("eng",), "nowhere")))
    assert (page.outcome, page.reason) == ("needs_ocr", "no_text_layer")


def test_small_letters_of_a_screen_are_recognised() -> None:
    (page,) = pages(written(picture(LINES, size=(500, 300), pixels=12), "PNG"))
    assert page.text.split("\n") == list(LINES)


def test_the_frames_of_a_tiff_are_pages_and_those_of_a_moving_picture_are_not() -> None:
    first, second = picture(LINES[:1]), picture(LINES[1:])
    found = pages(written(first, "TIFF", save_all=True, append_images=[second]))
    assert [page.text for page in found] == [LINES[0], "\n".join(LINES[1:])]
    assert len(pages(written(first, "GIF", save_all=True, append_images=[second]), How())) == 1


def test_a_photograph_is_turned_as_its_camera_says() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned a quarter to the right when shown
    data = written(picture(LINES).rotate(90, expand=True), "JPEG", exif=exif)
    shown = frame(opened(BytesIO(data)), 1)
    assert shown.size == (1000, 700)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16", "F"])
def test_pixels_of_any_kind_are_shown_dark_on_white(mode: str) -> None:
    grey = Image.new("L", (8, 8), 255)
    grey.paste(0, (0, 0, 4, 8))
    if mode in ("LA", "RGBA"):
        image = Image.new(mode, (8, 8), 0)  # nothing to be seen but the dark half
        image.paste((0, 255) if mode == "LA" else (0, 0, 0, 255), (0, 0, 4, 8))
    else:
        image = grey.convert("I").convert(mode) if mode == "I;16" else grey.convert(mode)
    data = written(image, "TIFF")
    shown = frame(opened(BytesIO(data)), 1)
    assert shown.mode == "RGB"
    assert max(shown.getpixel((1, 1))) < 40 and min(shown.getpixel((6, 6))) > 215


def test_a_picture_that_claims_to_be_huge_is_refused_before_it_is_unpacked() -> None:
    data = bytearray(written(Image.new("1", (64, 64)), "BMP"))
    data[18:26] = (60_000).to_bytes(4, "little") * 2
    assert kind_of("a.bmp", bytes(data)).kind == "picture"
    with pytest.raises(Unreadable) as refused:
        pages(bytes(data))
    assert refused.value.reason == "too_large_unpacked"


@pytest.mark.parametrize("form", ["PNG", "JPEG", "GIF", "TIFF", "BMP", "WEBP"])
def test_a_broken_picture_is_damaged(form: str) -> None:
    data = written(picture(LINES).convert("RGB"), form)
    for length in (20, len(data) // 2):
        try:
            found = pages(data[:length], How(recognition=recognition()) if length < 100 else How())
        except Unreadable as unreadable:
            assert unreadable.reason == "damaged"
        else:
            assert {page.outcome for page in found} <= {"failed", "needs_ocr"}


def test_frames_are_counted_from_one() -> None:
    data = written(picture(LINES), "PNG")
    assert frame_count(opened(BytesIO(data))) == 1
