"""Pictures drawn here, recognised with the data that Keepsake brings."""

from __future__ import annotations

from random import Random

import pytest
from PIL import Image, ImageDraw, ImageFont

from engine.documents.layout import page_text
from engine.documents.ocr.languages import recognition_for
from engine.documents.ocr.tesseract import Recognised, recognise
from engine.documents.reader import Recognition

LINES = ("Record of the night watch", "The lamp burned 14 litres of oil.", "Two ships passed at 03:20.")


def picture(*columns: tuple[str, ...], size: tuple[int, int] = (1000, 700), pixels: int = 30) -> Image.Image:
    drawn = Image.new("L", size, 246)
    for number, lines in enumerate(columns):
        for row, line in enumerate(lines):
            place = (60 + number * size[0] // 2, 80 + row * pixels * 3 // 2)
            ImageDraw.Draw(drawn).text(place, line, fill=35, font=ImageFont.load_default(pixels))
    return drawn


def pebbles() -> Image.Image:
    """What a photograph without text may look like."""
    random = Random(1)
    drawn = Image.new("L", (500, 350), 240)
    for _ in range(150):
        x, y, wide, high = (
            random.randrange(500),
            random.randrange(350),
            random.randrange(3, 60),
            random.randrange(3, 60),
        )
        ImageDraw.Draw(drawn).ellipse((x, y, x + wide, y + high), fill=random.randrange(255))
    return drawn


def recognised(image: Image.Image) -> Recognised:
    recognition = recognition_for("auto", None)
    assert recognition is not None
    return recognise(image, recognition)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_text_is_found_whichever_way_up_it_is(turn: int) -> None:
    found = recognised(picture(LINES).rotate(turn, expand=True))
    assert [line.text for line in found.lines] == list(LINES)
    assert found.is_text and (found.width, found.height) == (1000, 700)


def test_columns_of_a_scan_that_lies_askew_are_told_apart() -> None:
    left = tuple(f"left {number} of a column of words" for number in range(6))
    right = tuple(f"right {number} of a column of words" for number in range(6))
    askew = picture(left, right, size=(1100, 700), pixels=26).rotate(-1.5, fillcolor=246)
    text = page_text(recognised(askew).lines_at(130))
    assert [" ".join(line.split()[:2]) for line in text.split("\n")] == [
        f"{side} {number}" for side in ("left", "right") for number in range(6)
    ]


def test_specks_and_rules_are_no_text() -> None:
    drawn = picture(LINES)
    ImageDraw.Draw(drawn).line((30, 60, 30, 300), fill=35, width=3)
    assert [line.text for line in recognised(drawn).lines] == list(LINES)


def test_an_empty_picture_has_no_lines_and_noise_is_no_text() -> None:
    assert recognised(Image.new("L", (600, 800), 246)).lines == ()
    assert not recognised(pebbles()).is_text


def test_a_very_large_picture_is_made_smaller_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.documents.ocr.tesseract.LARGEST_PICTURE", 1000 * 700)
    found = recognised(picture(LINES).resize((2000, 1400)))
    assert (found.width, found.height) == (1000, 700)
    assert [line.text for line in found.lines] == list(LINES)


def test_data_that_is_not_there_is_an_error() -> None:
    with pytest.raises(RuntimeError):
        recognise(picture(LINES), Recognition(("xyz",), "nowhere"))
