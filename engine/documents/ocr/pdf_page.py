"""A page of a PDF that is a picture of text -> its text. It decides nothing about which pages are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PIL import Image

from engine.documents.characters import readable
from engine.documents.layout import page_text
from engine.documents.ocr.tesseract import LARGEST_PICTURE, POINTS, recognise
from engine.documents.ocr.under_way import recognising
from engine.documents.page import Page
from engine.documents.reader import Recognition
from engine.documents.running_heads import RunningHeads

LEAST_RESOLUTION, MOST_RESOLUTION = 150.0, 300.0
"""Pixels an inch: below, letters are too small to tell apart; above, nothing more is found."""


@recognising()
def recognised(page: Any, unread: Page, recognition: Recognition, heads: RunningHeads) -> Page:
    """`unread` as it is after recognition: read; blank, where nothing at all was found; or as it was, where what was
    found is no text. What text it has already is kept. page: of PyMuPDF.
    """
    resolution = _resolution(page)
    pixmap = page.get_pixmap(dpi=int(resolution), alpha=False)
    try:
        found = recognise(Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples), recognition)
    except RuntimeError:  # Tesseract does not take the data that is here
        return unread
    if not found.is_text:
        if found.is_blank and not unread.text and unread.reason == "no_text_layer":
            return replace(unread, outcome="blank", reason=None)
        return replace(unread, reason="not_recognised" if unread.reason == "no_text_layer" else unread.reason)
    lines, height = found.lines_at(resolution), found.height * POINTS / resolution
    text = readable(page_text(heads.without(lines, height, unread.number)))
    missing = [line for line in unread.text.split("\n") if line and line not in text]
    return replace(unread, outcome="read", reason=None, text="\n".join([*missing, text]), source="ocr")


def _resolution(page: Any) -> float:
    """Of the scan that makes up the page, within bounds; of letters without names, the most."""
    widths = [
        (image["width"] / image_width * POINTS)
        for image in page.get_image_info()
        if (image_width := image["bbox"][2] - image["bbox"][0]) > page.rect.width / 2
    ]
    wanted = min(MOST_RESOLUTION, max(LEAST_RESOLUTION, *widths)) if widths else MOST_RESOLUTION
    area = page.rect.width * page.rect.height / POINTS**2
    return float(max(1.0, min(wanted, (LARGEST_PICTURE / area) ** 0.5)))
