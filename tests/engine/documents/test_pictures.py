"""Pictures of every kind that is read, made here."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from engine.documents import moving_picture, pictures
from engine.documents.kinds import kind_of
from engine.documents.opening import open_document
from engine.documents.page import Page
from engine.documents.page_image import page_image
from engine.documents.pictures import frame, frame_count, opened
from engine.documents.reader import How, LeftOut, Recognition, Unreadable
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


def test_the_frames_of_a_tiff_are_pages() -> None:
    first, second = picture(LINES[:1]), picture(LINES[1:])
    found = pages(written(first, "TIFF", save_all=True, append_images=[second]))
    assert [page.text for page in found] == [LINES[0], "\n".join(LINES[1:])]


def watched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Takes the numbers of the frames that are recognised from now on."""
    numbers: list[int] = []

    def page_of(image: Image.Image, number: int, *how: Any, **more: Any) -> Page:
        numbers.append(number)
        return pictures.page_of(image, number, *how, **more)

    monkeypatch.setattr(moving_picture, "page_of", page_of)
    return numbers


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_of_a_moving_picture_what_is_new_in_a_frame_is_read(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, both, second = picture(LINES[:1]), picture(LINES[:2]), picture(LINES[1:2])
    dotted = first.copy()
    dotted.paste(0, (600, 400, 603, 403))  # less than a letter
    shown = [dotted, both, second, Image.new("L", first.size, 255)]
    data = written(first, form, save_all=True, append_images=shown, duration=[100, 200, 300, 400, 500], lossless=True)
    looked_at = watched(monkeypatch)
    found = pages(data)
    assert looked_at == [1, 3, 4, 5]
    texts = [(page.number, page.outcome, page.text) for page in found]
    read, blank = [(1, "read", LINES[0]), (3, "read", LINES[1])], [(number, "blank", "") for number in (2, 4, 5)]
    assert texts == sorted(read + blank)
    assert page_image(Source("a.bin", data=data), 3, 400) != page_image(Source("a.bin", data=data), 1, 400)


def test_between_the_frames_of_a_film_is_nothing_to_be_made_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def page_of(_: Image.Image, number: int, *__: Any, **___: Any) -> Page:
        return Page(number, "needs_ocr", "not_recognised", "")

    monkeypatch.setattr(moving_picture, "page_of", page_of)
    data = written(picture(LINES[:1]), "GIF", save_all=True, append_images=[picture(LINES)])
    assert [page.outcome for page in pages(data)] == ["needs_ocr", "blank"]


def test_a_moving_picture_is_read_on_as_if_it_had_not_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    data = written(picture(LINES[:1]), "GIF", save_all=True, append_images=[picture(LINES[:2]), picture(LINES)])
    _, reader = open_document(Source("a.gif", data=data), How(recognition=recognition()))
    whole = list(reader.pages())
    assert [page.text for page in whole] == list(LINES)
    assert list(reader.pages(3)) == whole[2:]
    looked_at = watched(monkeypatch)
    assert [page.number for page in reader.pages(3, lost=[1])] == [3] and looked_at == [2, 3]
    reader.close()


def test_only_so_much_time_goes_into_a_moving_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving_picture, "PICTURES_SECONDS", 0.0)
    data = written(picture(LINES[:1]), "GIF", save_all=True, append_images=[picture(LINES[:2])])
    assert [(page.outcome, page.reason) for page in pages(data)] == [("read", None), ("failed", "too_slow")]


@pytest.mark.parametrize("form", ["GIF", "TIFF"])
def test_what_is_beyond_the_most_frames_is_named(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_FRAMES", 2)
    blank = [Image.new("L", (40, 40), grey) for grey in (255, 0, 90, 180)]
    data = written(blank[0], form, save_all=True, append_images=blank[1:])
    _, reader = open_document(Source("a.bin", data=data), How())
    assert len(list(reader.pages())) == reader.page_count == 2
    assert list(reader.left_out) == [LeftOut("part", "pages from 3 on", "some_parts_left_out")]
    assert frame_count(opened(BytesIO(data))) == 2
    reader.close()


def test_a_tiff_that_breaks_off_is_read_up_to_there() -> None:
    data = written(picture(LINES), "TIFF", save_all=True, append_images=[picture(LINES)])
    found = pages(data[: len(data) // 2 + 40])
    assert [(page.outcome, page.reason) for page in found] == [("read", None), ("failed", "damaged")]


def test_pages_of_a_tiff_that_lead_back_end() -> None:
    blank = Image.new("L", (8, 8), 255)
    data = bytearray(written(blank, "TIFF", save_all=True, append_images=[blank]))
    entries = 2 + 12 * data[8]  # bytes of a page's list, which ends in where the next one lies
    second = int.from_bytes(data[8 + entries :][:4], "little")
    data[second + entries : second + entries + 4] = (8).to_bytes(4, "little")
    assert frame_count(opened(BytesIO(bytes(data)))) == 2


def test_light_letters_without_a_ground_are_read() -> None:
    letters = picture(LINES).convert("L").point(lambda grey: 255 - grey)
    light = Image.merge("LA", (Image.new("L", letters.size, 255), letters))
    (page,) = pages(written(light, "PNG"))
    assert page.text.split("\n") == list(LINES)
    nothing = Image.new("LA", (400, 400), (255, 0))
    assert frame(opened(BytesIO(written(nothing, "PNG"))), 1).getpixel((9, 9)) == (255, 255, 255)


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
