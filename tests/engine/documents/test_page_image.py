from __future__ import annotations

from io import BytesIO
from typing import Any

import pymupdf
import pytest
from PIL import Image

from engine.documents.page_image import LARGEST, page_image
from engine.documents.reader import Unreadable
from engine.documents.source import Source
from tests.engine.documents.cases import FOLDER


def size(png: bytes) -> tuple[int, int]:
    with Image.open(BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.size


def pdf(**page: Any) -> Source:
    document = pymupdf.open()
    document.new_page(**page)
    document.new_page().insert_text((100, 100), "the second", fontsize=40)
    return Source("a.pdf", data=document.tobytes())


def test_a_page_of_a_pdf() -> None:
    first, second = (page_image(pdf(), number, 595) for number in (1, 2))
    assert size(first) == size(second) == (595, 842)
    assert first != second


def test_a_password_is_needed_where_the_file_needs_one() -> None:
    data = (FOLDER / "pdf-password.pdf").read_bytes()
    for password, reason in ((None, "encrypted"), ("wrong", "wrong_password")):
        with pytest.raises(Unreadable) as refused:
            page_image(Source("a.pdf", data=data), 1, 300, password)
        assert refused.value.reason == reason
    assert size(page_image(Source("a.pdf", data=data), 1, 300, "granary-1931"))[0] == 300


def test_a_page_of_any_form_stays_within_bounds() -> None:
    wide, high = size(page_image(pdf(width=72, height=14_000), 1, 4000))
    assert wide * high <= LARGEST * 1.02
    assert size(page_image(pdf(), 1, 10**9))[0] <= 4000
    assert size(page_image(pdf(), 1, -5))[0] >= 1


def test_a_frame_of_a_picture_is_never_larger_than_it_is() -> None:
    data = BytesIO()
    Image.new("L", (300, 200), 99).save(data, "TIFF", save_all=True, append_images=[Image.new("L", (100, 50), 9)])
    source = Source("a.tif", data=data.getvalue())
    assert size(page_image(source, 1, 150)) == (150, 100)
    assert size(page_image(source, 2, 150)) == (100, 50)


def test_what_has_no_such_page() -> None:
    with pytest.raises(IndexError):
        page_image(pdf(), 3, 100)
    with pytest.raises(IndexError):
        page_image(pdf(), 0, 100)
    with pytest.raises(Unreadable) as refused:
        page_image(Source("a.txt", data=b"text"), 1, 100)
    assert refused.value.reason == "unsupported_type"
    with pytest.raises(Unreadable) as refused:
        page_image(Source("a.pdf", data=b"%PDF-1.4\nnoise"), 1, 100)
    assert refused.value.reason == "damaged"
